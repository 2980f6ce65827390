import type { CompanyN, Day, Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { cardParams } from '#src/features/shared/page-links/results.ts';
import type { ResultsQuery } from '#src/features/shared/page-links/results.ts';
import { besideQuery, LIST_PATHS } from '../shared/lists/address.ts';
import { isIgnored } from '../shared/lists/rows.ts';
import { dashboardMessages as t } from './messages.en.ts';

/** Returns computers without a job that nobody ignored, the longest known first. */
export function unprotected(
  computers: readonly ComputerOut[],
  companies: readonly CompanyN[],
  now: Ms,
): readonly ComputerOut[] {
  return computers
    .filter(
      ({ jobs, ignored, company }) =>
        jobs === 0 &&
        (companies.length === 0 || companies.includes(company)) &&
        !isIgnored(ignored, now),
    )
    .toSorted((a, b) => a.firstSeenAt - b.firstSeenAt || a.hostName.localeCompare(b.hostName));
}

/** Returns how many of them had been seen by the end of each day. */
export function seenBy(
  computers: readonly ComputerOut[],
  days: readonly Day[],
  rule: DayRule,
): readonly number[] {
  const first = computers.map(({ firstSeenAt }) => dayAt(firstSeenAt, rule));
  return days.map((day) => first.filter((one) => one <= day).length);
}

/**
 * Returns the description of the change. A computer's first day is stored, but not the day on which
 * it got a job.
 */
export function firstSeenWords(
  computers: readonly ComputerOut[],
  { from, to }: { readonly from: Ms; readonly to: Ms },
): string {
  const fresh = computers.filter(
    ({ firstSeenAt }) => firstSeenAt >= from && firstSeenAt < to,
  ).length;
  return fresh === 0 ? t.noneFirstSeen : t.firstSeen({ count: fresh });
}

/**
 * Returns the address of their list. Filters by name if the page shows a single company, and by the
 * card's days if a card links to it.
 */
export function companyComputersAddress(
  companies: readonly CompanyN[],
  getName: (n: CompanyN) => string,
  card?: Pick<ResultsQuery, 'days' | 'instructionTypes'>,
): string {
  const [one] = companies;
  const name =
    companies.length === 1 && one !== undefined
      ? besideQuery({ text: getName(one), ignored: false })
      : '';
  const query = [card === undefined ? '' : cardParams(card).toString(), name]
    .filter((part) => part !== '')
    .join('&');
  return query === ''
    ? LIST_PATHS.computers
    : `${LIST_PATHS.computers}?${query.replaceAll('%2C', ',')}`;
}
