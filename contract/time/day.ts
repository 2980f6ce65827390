import { IANAZone } from 'luxon';
import type { Day, Ms } from '../ids.ts';
import type { RunState } from '../runs/query.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';

/**
 * Operational days (RUN-7). A day is an integer: days since 1970-01-01 in local time of `timeZone`.
 * A day begins at `beginsHour` (0 to 23) and ends at that hour of the next day. A day that a clock
 * change makes longer or shorter is still one day.
 */
export type DayN = number;

export function getDay(ms: Ms, timeZone: string, beginsHour: number): DayN {
  const day = wallDay(ms, timeZone, beginsHour);
  // If the clocks go back past the hour at which a day begins, local time passes that hour twice.
  // The day begins the first time, and doesn't end again (Pacific/Chatham at 3, Antarctica/Troll at
  // 2).
  return offsetAt(ms - 3 * HOUR_MS, timeZone) > offsetAt(ms, timeZone) &&
    startOfDay(day + 1, timeZone, beginsHour) <= ms
    ? day + 1
    : day;
}

/** Returns the day by local time. While an hour repeats, it may go back to the previous day. */
const wallDay = (ms: Ms, timeZone: string, beginsHour: number): DayN =>
  Math.floor((ms + offsetAt(ms, timeZone) - beginsHour * HOUR_MS) / DAY_MS);

/**
 * Returns the first moment of a day. If the clocks skip the hour at which it begins, that is the
 * first moment after the gap.
 */
export const startOfDay = (day: DayN, timeZone: string, beginsHour: number): Ms =>
  firstMoment(day * DAY_MS + beginsHour * HOUR_MS, timeZone);

/**
 * Returns when the clocks of a zone first show a local time of a day (`timeOfDay`: since midnight).
 * If they skip it, that is the first moment after the gap.
 */
export const getMoment = (day: DayN, timeOfDay: Ms, timeZone: string): Ms =>
  firstMoment(day * DAY_MS + timeOfDay, timeZone);

/** `wall`: the local time, as if it were UTC. */
function firstMoment(wall: Ms, timeZone: string): Ms {
  const isReached = (ms: Ms): boolean => ms + offsetAt(ms, timeZone) >= wall;
  // The offset of the moment is one of those in effect within a day of it. The earliest matching
  // moment wins.
  const guesses = [
    wall - offsetAt(wall - DAY_MS, timeZone),
    wall - offsetAt(wall + DAY_MS, timeZone),
  ].sort((a, b) => a - b);
  const hit = guesses.find((ms) => isReached(ms) && !isReached(ms - 1));
  if (hit !== undefined) return hit;
  let [before, after] = [wall - 2 * DAY_MS, wall + 2 * DAY_MS];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isReached(middle)) after = middle;
    else before = middle;
  }
  return after;
}

/** Returns a day as `YYYY-MM-DD`. */
export const dayText = (day: DayN): Day => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Returns the UTC day of a moment. */
export const utcDay = (at: Ms): Day => new Date(at).toISOString().slice(0, 10);

/** Returns false for a name that this runtime doesn't know as a time zone. */
export const isTimeZone = (name: string): boolean => findZone(name) !== null;

/** Returns the zone, or UTC for a name that this runtime doesn't know. */
export const zoneOrUtc = (name: string): string => (isTimeZone(name) ? name : 'UTC');

/** Returns by how many ms the local time of a zone is ahead of UTC at a moment. */
export function offsetAt(ms: Ms, timeZone: string): Ms {
  if (timeZone === 'UTC') return 0;
  let days = offsets.get(timeZone);
  if (days === undefined) {
    getZone(timeZone); // may throw, or clear the offsets
    offsets.set(timeZone, (days = new Map()));
  }
  const day = Math.floor(ms / DAY_MS);
  let known = days.get(day);
  if (known === undefined) {
    // If the offset is the same at both ends of a UTC day, it is the same all day. On a day with a
    // change, each moment is measured.
    const first = measure(day * DAY_MS, timeZone);
    known = first === measure((day + 1) * DAY_MS - 1000, timeZone) ? first : null;
    if (days.size > 4_000) days.clear();
    days.set(day, known);
  }
  return known ?? measure(ms, timeZone);
}

export type WorstHow = 'worst' | 'best' | 'last' | 'warning-if-mixed';

/**
 * A higher number is worse. A run that hasn't ended ranks lowest: it counts only if nothing else is
 * known.
 */
const RANK: Record<RunState, number> = {
  Failed: 6,
  Error: 5,
  Missed: 4,
  Warning: 3,
  Anomaly: 2,
  Success: 1,
  Running: 0,
};

/**
 * Returns the state of a day from its results (RUN-7), or null for none. `states` are in
 * chronological order. `warning-if-mixed`: a day with both good and bad results is a warning; any
 * other day shows its worst.
 */
export function worst(states: readonly RunState[], how: WorstHow): RunState | null {
  const over = states.filter((state) => state !== 'Running');
  if (over.length === 0) return states[0] ?? null;
  if (how === 'last') return over.at(-1) ?? null;
  const gravest = over.reduce((a, b) => (RANK[b] > RANK[a] ? b : a));
  const lightest = over.reduce((a, b) => (RANK[b] < RANK[a] ? b : a));
  if (how === 'best') return lightest;
  // A success doesn't hide that the job is running again: worst ranks Running above Success, in the
  // order of the calendar's legend.
  if (how === 'worst')
    return gravest === 'Success' && over.length < states.length ? 'Running' : gravest;
  return RANK[gravest] >= RANK.Missed && RANK[lightest] < RANK.Warning ? 'Warning' : gravest;
}

const offsets = new Map<string, Map<number, Ms | null>>();
const zones = new Map<string, IANAZone>();
const MAX_ZONES = 600;

/**
 * Zone names ignore case, so one zone could have many names: the caches are bounded. Luxon's own
 * cache of zones (`IANAZone.create`) isn't, and has names of no zone, too.
 */
function findZone(name: string): IANAZone | null {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = new IANAZone(name);
  if (!zone.isValid) return null;
  if (zones.size >= MAX_ZONES) {
    zones.clear();
    offsets.clear();
    IANAZone.resetCache();
  }
  zones.set(name, zone);
  return zone;
}

function getZone(timeZone: string): IANAZone {
  const zone = findZone(timeZone);
  if (zone === null) throw new RangeError(`${timeZone} is not a time zone`);
  return zone;
}

const measure = (ms: Ms, timeZone: string): Ms =>
  Math.round(getZone(timeZone).offset(Math.floor(ms / 1000) * 1000) * 60_000);
