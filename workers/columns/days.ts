import type { Ms } from '#contract/ids.ts';
import { dayOf, startOfDay } from '#contract/monitoring/day.ts';

/** Operational days of a provider. */
export interface Days {
  /** Day number of a moment. */
  of(ms: Ms): number;
  /** The first moments of the last `count` days, oldest first; the last is that of `now`. */
  last(count: number, now: Ms): readonly Ms[];
}

export function daysOf(timeZone: string, beginsHour: number): Days {
  let known: { today: number; starts: readonly Ms[] } | null = null;
  const of = (ms: Ms): number => dayOf(ms, timeZone, beginsHour);
  return {
    of,
    last(count, now) {
      const today = of(now);
      if (known?.today !== today || known.starts.length !== count) {
        known = { today, starts: Array.from({ length: count }, (_, i) => startOfDay(today - count + 1 + i, timeZone, beginsHour)) };
      }
      return known.starts;
    },
  };
}
