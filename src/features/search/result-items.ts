import { formatList } from '#contract/i18n/list.ts';
import type { Role } from '#contract/abilities.ts';
import { can } from '#contract/abilities.ts';
import type { Day, Ms } from '#contract/ids.ts';
import { dayText } from '#contract/time/day.ts';
import type { FoundOut } from '#contract/search/calls.ts';
import type { Sought } from '#contract/search/search.ts';
import type { SearchMatches } from '#workers/api.ts';
import { dayAt, spanKey } from '../shared/date-range/dates.ts';
import type { DayRule } from '../shared/date-range/dates.ts';
import { formatAge, formatDate } from '../../ui/format.ts';
import { STATES } from '../../ui/states.ts';
import { companyAddress, jobAddress, foundListAddress } from './palette-items.ts';
import type { PaletteLine } from './palette-items.ts';
import { searchMessages as t } from './messages.en.ts';

const joinWords = (...words: readonly string[]): string =>
  formatList(
    words.filter((word) => word !== ''),
    'plain',
  );

/** Returns the items for data on this device. */
export const linesHere = ({ companies, jobs, computers }: SearchMatches): PaletteLine[] => [
  ...companies.rows.map(({ company, name, jobs: count }): PaletteLine => ({
    key: `company-${company}`,
    group: t.companies,
    label: name,
    detail: t.jobCount({ count }),
    icon: 'companies',
    does: { kind: 'open', to: companyAddress(company) },
  })),
  ...jobs.rows.map(({ job, name, computer, companyName }): PaletteLine => ({
    key: `job-${job}`,
    group: t.jobs,
    label: name,
    detail: joinWords(companyName, computer),
    icon: 'daily-checks',
    does: { kind: 'open', to: jobAddress(job) },
  })),
  ...computers.rows.map(({ name, company, companyName }): PaletteLine => ({
    key: computerKey(company, name),
    group: t.computers,
    label: name,
    detail: companyName,
    icon: 'computer',
    does: { kind: 'open', to: `${companyAddress(company)}&q=${encodeURIComponent(name)}` },
  })),
];

const computerKey = (company: number, name: string): string =>
  `computer-${company}-${name.toLowerCase()}`;

/**
 * Returns the item that opens the run list with these words and days; null if this device stores
 * none of the days.
 */
export function lineOfResults(
  { words, days }: Sought,
  typed: string,
  oldest: Day,
): PaletteLine | null {
  if (days && dayText(days.to) < oldest) return null;
  const span = days
    ? spanKey({ kind: 'range', from: dayText(days.from), to: dayText(days.to) })
    : 'last-30';
  return {
    key: 'results-here',
    group: t.results,
    label: t.resultsWith({ text: typed.trim() }),
    detail: t.onThisDevice,
    icon: 'search',
    does: {
      kind: 'open',
      to: foundListAddress({ date: span, ...(words.length > 0 && { q: words.join(' ') }) }),
    },
  };
}

const open = (
  key: string,
  group: string,
  icon: PaletteLine['icon'],
  word: string,
  detail: string,
  to: string,
): PaletteLine => ({
  key,
  group,
  icon,
  label: word,
  ...(detail !== '' && { detail }),
  does: { kind: 'open', to },
});

/** Returns the server's items that the user can open. */
export function linesThere(
  found: FoundOut,
  roles: readonly Role[],
  rule: DayRule,
  now: Ms,
): readonly PaletteLine[] {
  const lists = can(roles, 'monitoring.daily-checks');
  const date = (at: Ms): string => formatDate(at, rule.zone);
  return [
    ...(found.companies?.rows ?? []).map(({ n, _id: id, name }) =>
      open(
        `company-${n}`,
        t.companiesOnServer,
        'companies',
        name,
        '',
        lists ? companyAddress(n) : `/monitoring/companies?company=${id}`,
      ),
    ),
    ...(found.jobs?.rows ?? []).map(({ n, name, computer, companyName }) =>
      open(
        `job-${n}`,
        t.jobsOnServer,
        'daily-checks',
        name,
        joinWords(companyName, computer),
        jobAddress(n),
      ),
    ),
    ...(found.computers?.rows ?? []).map(({ name, company, companyName, seenAt }) =>
      open(
        computerKey(company, name),
        t.reportedComputers,
        'computer',
        name,
        joinWords(companyName, t.seen({ age: formatAge(seenAt, now) })),
        `/monitoring/computers?${new URLSearchParams({ date: `${dayAt(seenAt, rule)}..${dayAt(now, rule)}`, q: name }).toString()}`,
      ),
    ),
    ...(found.users?.rows ?? []).map(({ _id: id, username, name }) =>
      open(`user-${id}`, t.users, 'person', name, username, `/monitoring/users?user=${id}`),
    ),
    ...(found.repositories?.rows ?? []).map(({ _id: id, name, hostName, companyName }) =>
      open(
        `repository-${id}`,
        t.repositories,
        'repository',
        name,
        joinWords(companyName, hostName ?? ''),
        `/monitoring/repositories?${new URLSearchParams({ open: id }).toString()}`,
      ),
    ),
    ...(found.tickets?.rows ?? []).map(({ _id: id, number, subject, open: isOpen, companyName }) =>
      open(
        `ticket-${id}`,
        t.tickets,
        'ticket',
        t.ticket({ number, subject }),
        joinWords(isOpen ? t.open : t.closed, companyName),
        `/monitoring/tickets?state=all&ticket=${id}`,
      ),
    ),
    ...(found.rules?.rows ?? []).map(({ _id: id, name }) =>
      open(`rule-${id}`, t.rules, 'rules', name, '', `/monitoring/rules?rule=${id}`),
    ),
    ...(found.hints?.rows ?? []).map(({ _id: id, name }) =>
      open(`hint-${id}`, t.hints, 'hint', name, '', `/monitoring/hints?hint=${id}`),
    ),
    ...(found.results?.rows ?? []).map(
      ({ n, job, jobName, companyName, computer, startedAt, state, message }): PaletteLine => ({
        ...open(
          `result-${n}`,
          t.olderResults,
          STATES[state].icon,
          jobName,
          joinWords(date(startedAt), companyName, computer, message ?? ''),
          `${jobAddress(job)}&run=${n}`,
        ),
        state,
      }),
    ),
  ];
}

/** Returns whether the server has more items of a kind than it returned. */
export const hasMore = (found: FoundOut): boolean =>
  Object.values(found).some((part) => part?.more === true);
