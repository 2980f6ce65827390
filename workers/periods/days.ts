import type { Ms } from '#contract/ids.ts';
import type { DayN } from '#contract/time/day.ts';
import { getDay, startOfDay } from '#contract/time/day.ts';
import type { ColumnStore } from '#workers/types.ts';

export interface DayWindow {
  readonly n: DayN;
  readonly from: Ms;
  readonly to: Ms;
}

/** More days than any query needs, so that a broken address can't fill the memory. */
const MAX_DAYS = 1_100;

/**
 * Returns the operational days that overlap a time range, oldest first, each complete; `to` is
 * exclusive.
 */
export function daysIn(
  from: Ms,
  to: Ms,
  { timeZone, dayBeginsHour }: ColumnStore['wall'],
): readonly DayWindow[] {
  if (!(from < to)) return [];
  const last = getDay(to - 1, timeZone, dayBeginsHour);
  const first = Math.max(getDay(from, timeZone, dayBeginsHour), last - MAX_DAYS + 1);
  const starts = Array.from({ length: last - first + 2 }, (_, i) =>
    startOfDay(first + i, timeZone, dayBeginsHour),
  );
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    n: first + i,
    from: starts[i] ?? 0,
    to: starts[i + 1] ?? 0,
  }));
}

/** Starts are whole seconds: a start is before a time if it is before the next whole second. */
export const getSeconds = (at: Ms): number => Math.ceil(at / 1000);
