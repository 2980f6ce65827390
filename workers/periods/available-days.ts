import type { ColumnStore } from '#workers/types.ts';
import { utcDay } from '#contract/time/day.ts';
import type { Day, Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';

/** The UTC days of this device's window, and whether each is loaded. */
export type AvailableDays = ReadonlyMap<Day, boolean>;

/** Returns the start of the oldest day; null if there is none yet. */
export function storedFrom(days: AvailableDays): Ms | null {
  let oldest: Day | null = null;
  for (const day of days.keys()) if (oldest === null || day < oldest) oldest = day;
  return oldest === null ? null : Date.parse(`${oldest}T00:00:00Z`);
}

/**
 * Whether everything that this device will know of a time range is loaded. Days that began since
 * arrive run by run, and are in no list.
 */
export function isHere(days: AvailableDays, from: Ms, to: Ms): boolean {
  const first = storedFrom(days);
  if (first === null || from < first) return false;
  for (let at = from; at < to; at += DAY_MS) if (days.get(utcDay(at)) === false) return false;
  return days.get(utcDay(to - 1)) !== false;
}

/** The data that figures of a period are built from. */
export interface FiguresStore {
  readonly engine: ColumnStore;
  readonly days: AvailableDays;
}
