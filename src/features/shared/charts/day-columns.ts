import type { Day } from '#contract/ids.ts';
import { sumTallies } from '#contract/dashboard/overview.ts';
import type { DayTally, Tally } from '#contract/dashboard/overview.ts';
import { chartMessages as t } from './messages.en.ts';
import { daysWords } from '../date-range/day-range.ts';

/** A column of the chart: a day, or several days in longer periods. */
export interface ChartColumn extends Tally {
  readonly days: readonly [first: Day, last: Day];
}

const MAX_COLUMNS = 62;

/** Returns the days per column: one, a week, or four weeks. */
export const daysAColumn = (days: number): number =>
  days <= MAX_COLUMNS ? 1 : days <= MAX_COLUMNS * 7 ? 7 : 28;

/**
 * Groups days into columns, oldest first. The last column is always complete; the first can have
 * fewer days.
 */
export function getDayColumns(days: readonly DayTally[]): readonly ChartColumn[] {
  const size = daysAColumn(days.length);
  const columns: ChartColumn[] = [];
  for (let end = days.length; end > 0; end -= size) {
    const part = days.slice(Math.max(0, end - size), end);
    const [first] = part;
    const last = part.at(-1);
    if (first && last) columns.push({ ...sumTallies(part), days: [first.day, last.day] });
  }
  return columns.toReversed();
}

/**
 * Anomalous successes count as successes here, because the lower chart shows only failures, missed
 * runs and warnings.
 */
export const countGood = ({ success, anomaly }: Tally): number => success + anomaly;
export const countBad = ({ failed, missed, warning }: Tally): number => failed + missed + warning;

/** `11/02/26: 38 failed, 6 did not run, 16 warnings, 1,903 succeeded`. */
export function columnWords(column: ChartColumn): string {
  const days = daysWords(column.days);
  if (column.runs === 0) return t.columnWithoutResults({ days });
  return t.column({
    days,
    failed: column.failed,
    missed: column.missed,
    warnings: column.warning,
    good: countGood(column),
  });
}

/** Returns a value per column; null without results, as for days before the first result. */
export function getTrace(
  columns: readonly ChartColumn[],
  getValue: (column: ChartColumn) => number | null,
): readonly (number | null)[] {
  const first = columns.findIndex(({ runs }) => runs > 0);
  return columns.map((column, i) => (first < 0 || i < first ? null : getValue(column)));
}

/**
 * Returns the day of the first result if the period starts earlier; null if every day has results,
 * or none.
 */
export function beginsLater(days: readonly DayTally[]): Day | null {
  const first = days.findIndex(({ runs }) => runs > 0);
  return first > 0 ? (days[first]?.day ?? null) : null;
}
