import type { Ms } from '#contract/ids.ts';
import { getDay, startOfDay } from '#contract/time/day.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { DayStarts } from '#workers/types.ts';

/** Operational days of a provider. */
export interface Days {
  /** Returns the day number of a time. */
  of(ms: Ms): number;
  /** Returns the starts of the last `count` days, oldest first; the last one contains `now`. */
  last(count: number, now: Ms): readonly Ms[];
}

/**
 * Times within `starts` need no calendar. The browser takes longer to load its own than the first
 * rows take.
 */
export function getDays(
  timeZone: string,
  beginsHour: number,
  starts: DayStarts | null = null,
): Days {
  const cached =
    starts?.timeZone === timeZone && starts.dayBeginsHour === beginsHour ? starts : null;
  let known: { today: number; starts: readonly Ms[] } | null = null;
  const of = (ms: Ms): number =>
    (cached && dayWithin(cached, ms)) ?? getDay(ms, timeZone, beginsHour);
  const getDayStart = (day: number): Ms =>
    cached?.starts[day - cached.first] ?? startOfDay(day, timeZone, beginsHour);
  return {
    of,
    last(count, now) {
      const today = of(now);
      if (known?.today !== today || known.starts.length !== count) {
        known = {
          today,
          starts: Array.from({ length: count }, (_, i) => getDayStart(today - count + 1 + i)),
        };
      }
      return known.starts;
    },
  };
}

/**
 * Returns the age of a problem in operational days, 1 on the first: counts up while it is open and
 * stops when it ends.
 */
export const dayCount = (
  { openedAt, closedAt }: Pick<ProblemRow, 'openedAt' | 'closedAt'>,
  days: Pick<Days, 'of'>,
  now: Ms,
): number => Math.max(1, days.of(closedAt ?? now) - days.of(openedAt) + 1);

/**
 * For many times: looks up a day once per quarter of an hour, which lies within one day in every
 * zone.
 */
export function byQuarters(days: Pick<Days, 'of'>): Pick<Days, 'of'> {
  const known = new Map<number, number>();
  return {
    of(ms) {
      const quarter = Math.floor(ms / QUARTER_MS);
      let day = known.get(quarter);
      if (day === undefined) known.set(quarter, (day = days.of(ms)));
      return day;
    },
  };
}
const QUARTER_MS: Ms = 900_000;

export function dayStartsAround(
  timeZone: string,
  dayBeginsHour: number,
  now: Ms,
  back: number,
  ahead: number,
): DayStarts {
  const first = getDay(now, timeZone, dayBeginsHour) - back;
  return {
    timeZone,
    dayBeginsHour,
    first,
    starts: Array.from({ length: back + ahead }, (_, i) =>
      startOfDay(first + i, timeZone, dayBeginsHour),
    ),
  };
}

/** Returns null before the first and from the last of them on. */
function dayWithin({ first, starts }: DayStarts, ms: Ms): number | null {
  let low = 0;
  let high = starts.length - 1;
  if (ms < (starts[low] ?? Infinity) || ms >= (starts[high] ?? -Infinity)) return null;
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if ((starts[mid] ?? 0) <= ms) low = mid;
    else high = mid;
  }
  return first + low;
}
