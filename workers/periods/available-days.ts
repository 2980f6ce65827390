import type { Engine } from '#workers/types.ts';
import { utcDay } from '#contract/time/day.ts';
import type { Day, Ms } from '#contract/ids.ts';

/** The UTC days that this device keeps, and whether each is here yet. */
export type AvailableDays = ReadonlyMap<Day, boolean>;

/** The first moment of the oldest; null where nothing is kept yet. */
export function keptFrom(days: AvailableDays): Ms | null {
  let oldest: Day | null = null;
  for (const day of days.keys()) if (oldest === null || day < oldest) oldest = day;
  return oldest === null ? null : Date.parse(`${oldest}T00:00:00Z`);
}

/**
 * Whether all that this device will know of a time is here. Days that began since come run by run,
 * and stand in no list.
 */
export function isHere(days: AvailableDays, from: Ms, to: Ms): boolean {
  const first = keptFrom(days);
  if (first === null || from < first) return false;
  for (let at = from; at < to; at += DAY) if (days.get(utcDay(at)) === false) return false;
  return days.get(utcDay(to - 1)) !== false;
}

const DAY = 86_400_000;

/** What figures of a period are made from. */
export interface FiguresStore {
  readonly engine: Engine;
  readonly days: AvailableDays;
}
