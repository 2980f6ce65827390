import type { Ms } from '#contract/ids.ts';
import { offsetAt } from '#contract/time/day.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';
import type { Vb365Job } from './shapes.ts';
import { parseTime } from './times.ts';

// The times of jobs are those of the server's own clock, whose zone its API doesn't give. The next run
// of a daily job is a moment, so it shows by how much the provider's clocks are ahead.

/** A daily time, and a moment at which the server's clock had it. */
export interface Sighting {
  /** `HH:mm` of the server's clock. */
  readonly time: string;
  readonly at: Ms;
}

const DAY_MINUTES = 24 * 60;
/** All zones differ by multiples of this; a next run that doesn't is a retry. */
const ZONE_STEP_MINUTES = 15;

/** Returns what a job shows of its server's clock; null if it shows nothing now. */
export function getSighting(
  { schedulePolicy, nextRun }: Pick<Vb365Job, 'schedulePolicy' | 'nextRun'>,
  now: Ms,
): Sighting | null {
  const { type, scheduleEnabled, dailyTime } = schedulePolicy ?? {};
  const time = /^(?:[01]\d|2[0-3]):[0-5]\d/.exec(dailyTime ?? '')?.[0];
  const at = parseTime(nextRun);
  if (type !== 'Daily' || scheduleEnabled === false || time === undefined) return null;
  if (at === null || at < now) return null;
  return Math.floor(at / MINUTE_MS - toMinutes(time)) % ZONE_STEP_MINUTES === 0
    ? { time, at }
    : null;
}

/** Returns by how much the clocks of a zone are ahead of the server's, in whole minutes. */
export function getClock({ time, at }: Sighting, timeZone: string): Ms {
  const wall = Math.floor((at + offsetAt(at, timeZone)) / MINUTE_MS);
  // Of the two directions, the shorter one.
  const half = DAY_MINUTES / 2;
  return (
    (((((wall - toMinutes(time) + half) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES) - half) *
    MINUTE_MS
  );
}

/**
 * Returns what shows the clock of a job: what it showed itself the last time, else what other jobs of
 * its server did. Between its runs and while it runs, that stays the same.
 */
export function chooseSighting<K extends string>(
  sightings: ReadonlyMap<K, Sighting>,
  job: K | null,
): Sighting | null {
  const own = job === null ? undefined : sightings.get(job);
  if (own !== undefined) return own;
  const first = [...sightings].toSorted(([a], [b]) => (a < b ? -1 : 1))[0];
  return first?.[1] ?? null;
}

/** A time of a clock, as that of another one that is ahead. `days`: by how many days it shifts. */
export function shiftTime(
  time: string,
  ahead: Ms,
): { readonly time: string; readonly days: number } {
  const total = toMinutes(time) + ahead / MINUTE_MS;
  const days = Math.floor(total / DAY_MINUTES);
  const minutes = total - days * DAY_MINUTES;
  return { time: `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`, days };
}

const toMinutes = (time: string): number =>
  Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const pad = (part: number): string => String(part).padStart(2, '0');
