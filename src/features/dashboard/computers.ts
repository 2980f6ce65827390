import type { CompanyN, Day, Ms } from '#contract/ids.ts';
import type { ComputerOut } from '#contract/daily-checks/operator-calls.ts';
import { formatCount } from '#src/ui/format.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { cardParams } from '#src/features/shared/page-links/results.ts';
import type { ResultsQuery } from '#src/features/shared/page-links/results.ts';
import { besideQuery, LIST_PATHS } from '../shared/lists/address.ts';
import { isIgnored } from '../shared/lists/rows.ts';

/** Seen, with no job, and nobody said that this is meant; those seen longest first. */
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

/** How many of them had been seen by the end of each of these days (their last ones). */
export function seenBy(
  computers: readonly ComputerOut[],
  days: readonly Day[],
  rule: DayRule,
): readonly number[] {
  const first = computers.map(({ firstSeenAt }) => dayAt(firstSeenAt, rule));
  return days.map((day) => first.filter((one) => one <= day).length);
}

/**
 * What can be told of the change: a computer's first day is kept, the day on which it got a job is
 * not.
 */
export function firstSeenWords(
  computers: readonly ComputerOut[],
  { from, to }: { readonly from: Ms; readonly to: Ms },
): string {
  const fresh = computers.filter(
    ({ firstSeenAt }) => firstSeenAt >= from && firstSeenAt < to,
  ).length;
  return fresh === 0
    ? 'None first seen in this time'
    : `${formatCount(fresh)} first seen in this time`;
}

/**
 * Their list; of one company where the page shows one, found by its name. With the days of the
 * card, where a card leads there.
 */
export function computersAddress(
  companies: readonly CompanyN[],
  nameOf: (n: CompanyN) => string,
  card?: Pick<ResultsQuery, 'days' | 'instructionTypes'>,
): string {
  const [one] = companies;
  const name =
    companies.length === 1 && one !== undefined
      ? besideQuery({ text: nameOf(one), ignored: false })
      : '';
  const query = [card === undefined ? '' : cardParams(card).toString(), name]
    .filter((part) => part !== '')
    .join('&');
  return query === ''
    ? LIST_PATHS.computers
    : `${LIST_PATHS.computers}?${query.replaceAll('%2C', ',')}`;
}
