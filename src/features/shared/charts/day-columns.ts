import type { Day } from '#contract/ids.ts';
import { sumTallies } from '#contract/dashboard/overview.ts';
import type { DayTally, Tally } from '#contract/dashboard/overview.ts';
import { chartMessages as t } from './messages.en.ts';
import { daysWords } from '../date-range/day-stretch.ts';

/** A bar of the chart: a day, or where there are many of them some days together. */
export interface Column extends Tally {
  readonly days: readonly [first: Day, last: Day];
}

const MOST = 62;

/** Days a column holds: one, a week, or four weeks. */
export const daysAColumn = (days: number): number => (days <= MOST ? 1 : days <= MOST * 7 ? 7 : 28);

/**
 * The columns of days, oldest first. The last one is whole; it is the first that may hold fewer
 * days.
 */
export function columnsOf(days: readonly DayTally[]): readonly Column[] {
  const size = daysAColumn(days.length);
  const columns: Column[] = [];
  for (let end = days.length; end > 0; end -= size) {
    const part = days.slice(Math.max(0, end - size), end);
    const [first] = part;
    const last = part.at(-1);
    if (first && last) columns.push({ ...sumTallies(part), days: [first.day, last.day] });
  }
  return columns.toReversed();
}

/**
 * Successes outside what is usual are successes here: the chart's lower storey shows what went
 * wrong.
 */
export const goodOf = ({ success, anomaly }: Tally): number => success + anomaly;
export const badOf = ({ failed, missed, warning }: Tally): number => failed + missed + warning;

/** `11/02/26: 38 failed, 6 did not run, 16 warnings, 1,903 succeeded`. */
export function columnWords(column: Column): string {
  const days = daysWords(column.days);
  if (column.runs === 0) return t.columnWithoutResults({ days });
  return t.column({
    days,
    failed: column.failed,
    missed: column.missed,
    warnings: column.warning,
    good: goodOf(column),
  });
}

/**
 * A point for each column; null where there is nothing to tell. Days before the first result are
 * none.
 */
export function traceOf(
  columns: readonly Column[],
  valueOf: (column: Column) => number | null,
): readonly (number | null)[] {
  const first = columns.findIndex(({ runs }) => runs > 0);
  return columns.map((column, i) => (first < 0 || i < first ? null : valueOf(column)));
}

/**
 * The day of the first result, where the days asked for begin before it; null where all have some,
 * or none has.
 */
export function beginsLater(days: readonly DayTally[]): Day | null {
  const first = days.findIndex(({ runs }) => runs > 0);
  return first > 0 ? (days[first]?.day ?? null) : null;
}
