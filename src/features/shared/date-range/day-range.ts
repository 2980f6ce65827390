import type { Day, Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { addDays, getDays, firstMomentOfDay } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';
import { spanMessages as t } from './messages.en.ts';

/** Days of a figure, both inclusive, and their times (`to` exclusive). */
export interface DayRange {
  readonly days: readonly [first: Day, last: Day];
  readonly count: number;
  readonly from: Ms;
  readonly to: Ms;
}

/**
 * Returns the days of a span up to today, because future days have nothing to compare with. A span
 * in the future is reduced to its first day.
 */
export function toDayRange(span: Span, today: Day, rule: DayRule): DayRange {
  const [first, end] = getDays(span, today);
  return toRange(first, end > today && first <= today ? today : end > today ? first : end, rule);
}

/** Returns the days of the chart: those of the range, but at least thirty. */
export function getHistory({ days: [first, last] }: DayRange, rule: DayRule): DayRange {
  const month = addDays(last, 1 - HISTORY_DAYS);
  return toRange(first < month ? first : month, last, rule);
}

/** `11/14/26 to 11/20/26`. */
export const daysWords = ([first, last]: readonly [Day, Day]): string =>
  first === last ? dayWords(first) : t.range({ from: dayWords(first), to: dayWords(last) });

/** `11/20/26`. */
export const dayWords = (day: Day): string =>
  `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(2, 4)}`;

export const HISTORY_DAYS = 30;

function toRange(first: Day, last: Day, rule: DayRule): DayRange {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
  return {
    days: [first, last],
    count,
    from: firstMomentOfDay(first, rule),
    to: firstMomentOfDay(addDays(last, 1), rule),
  };
}
