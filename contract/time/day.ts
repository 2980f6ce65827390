import type { Day, Ms } from '../ids.ts';
import type { RunState } from '../runs/query.ts';

/**
 * Operational days (RUN-7). A day is a whole number: days since 1970-01-01 on the wall of
 * `timeZone`, where a day begins at `beginsHour` (0 to 23) and ends at that hour of the next. Days
 * that the clocks make longer or shorter stay one day.
 */
export type DayN = number;

export function dayOf(ms: Ms, timeZone: string, beginsHour: number): DayN {
  const day = wallDay(ms, timeZone, beginsHour);
  // Where the clocks go back past the hour at which a day begins, the wall passes it twice. The day
  // begins the first time, and doesn't end again (Pacific/Chatham at 3, Antarctica/Troll at 2).
  return offsetAt(ms - 3 * HOUR, timeZone) > offsetAt(ms, timeZone) &&
    startOfDay(day + 1, timeZone, beginsHour) <= ms
    ? day + 1
    : day;
}

/** The day on the wall: while an hour is repeated, it may go back to the one before. */
const wallDay = (ms: Ms, timeZone: string, beginsHour: number): DayN =>
  Math.floor((ms + offsetAt(ms, timeZone) - beginsHour * HOUR) / DAY);

/**
 * The first moment of a day. Where the clocks skip the hour at which it begins, the first moment
 * after the gap.
 */
export function startOfDay(day: DayN, timeZone: string, beginsHour: number): Ms {
  const wall = day * DAY + beginsHour * HOUR;
  // The offset of the moment sought is one of those in force within a day of it; the earliest
  // moment of the day wins.
  const guesses = [
    wall - offsetAt(wall - DAY, timeZone),
    wall - offsetAt(wall + DAY, timeZone),
  ].sort((a, b) => a - b);
  const hit = guesses.find(
    (ms) =>
      wallDay(ms, timeZone, beginsHour) === day && wallDay(ms - 1, timeZone, beginsHour) < day,
  );
  if (hit !== undefined) return hit;
  let [before, after] = [wall - 2 * DAY, wall + 2 * DAY];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallDay(middle, timeZone, beginsHour) < day) before = middle;
    else after = middle;
  }
  return after;
}

/** `YYYY-MM-DD` of a day. */
export const dayText = (day: DayN): Day => new Date(day * DAY).toISOString().slice(0, 10);

/** The day (UTC) of a moment. */
export const utcDay = (at: Ms): Day => new Date(at).toISOString().slice(0, 10);

/** False for a name that this runtime does not know as a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What the wall clock of a zone is ahead of UTC at a moment, in ms. */
export function offsetAt(ms: Ms, timeZone: string): Ms {
  if (timeZone === 'UTC') return 0;
  let days = offsets.get(timeZone);
  if (days === undefined) offsets.set(timeZone, (days = new Map()));
  const day = Math.floor(ms / DAY);
  let known = days.get(day);
  if (known === undefined) {
    // The same at both ends of a UTC day: the same all day. A day with a change is asked moment by
    // moment.
    const first = measure(day * DAY, timeZone);
    known = first === measure((day + 1) * DAY - 1000, timeZone) ? first : null;
    if (days.size > 4_000) days.clear();
    days.set(day, known);
  }
  return known ?? measure(ms, timeZone);
}

export type WorstHow = 'worst' | 'best' | 'last' | 'warning-if-mixed';

/**
 * Greater is worse. A run that is not over says the least: it counts where nothing else is known.
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
 * What several results of one day come to (RUN-7). `states` in order of time; null for none.
 * `warning-if-mixed`: a day with both good and bad results is a warning; a day of one sort shows
 * its worst.
 */
export function worst(states: readonly RunState[], how: WorstHow): RunState | null {
  const over = states.filter((state) => state !== 'Running');
  if (over.length === 0) return states[0] ?? null;
  if (how === 'last') return over.at(-1) ?? null;
  const gravest = over.reduce((a, b) => (RANK[b] > RANK[a] ? b : a));
  const lightest = over.reduce((a, b) => (RANK[b] < RANK[a] ? b : a));
  if (how === 'best') return lightest;
  // A success does not undo that the job runs again now: worst shows Running over Success, as the
  // calendar's legend orders them.
  if (how === 'worst')
    return gravest === 'Success' && over.length < states.length ? 'Running' : gravest;
  return RANK[gravest] >= RANK.Missed && RANK[lightest] < RANK.Warning ? 'Warning' : gravest;
}

const HOUR = 3_600_000;
const DAY = 86_400_000;
const offsets = new Map<string, Map<number, Ms | null>>();
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formats.size > 600) formats.clear();
    formats.set(timeZone, format);
  }
  return format;
}

function measure(ms: Ms, timeZone: string): Ms {
  const whole = Math.floor(ms / 1000) * 1000;
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(whole)) part[type] = Number(value);
  const wall = Date.UTC(
    part.year ?? 0,
    (part.month ?? 1) - 1,
    part.day ?? 1,
    part.hour ?? 0,
    part.minute ?? 0,
    part.second ?? 0,
  );
  return wall - whole;
}
