import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import { type JsonObject, readMoment, span, word, toLuxonZone } from './tool-output.ts';

export interface BorgTimes {
  /** Null if the zone is unknown. */
  readonly start: Ms | null;
  readonly end: Ms | null;
  readonly durationSec: number | null;
}

/**
 * Returns when an archive was made. Borg writes local times in whole seconds and without a zone;
 * only the duration is certain. If the distance between start and end differs from the duration,
 * the clock changed in between, and only one of the two is correct.
 */
export function getBorgTimes(archive: JsonObject, tz: string | null): BorgTimes {
  const durationSec = span(archive['duration']);
  const start = readMoment(archive['start'], tz) ?? readMoment(archive['time'], tz);
  const end = readMoment(archive['end'], tz);
  if (durationSec === null || start === null || end === null)
    return { start, end: end === null || start === null ? end : Math.max(start, end), durationSec };
  const lengthMs = durationSec * 1000;
  if (Math.abs(end - start - lengthMs) <= WHOLE_SECONDS_MS)
    return { start, end: Math.max(start, end), durationSec };
  const fromStart = { start, end: start + lengthMs, durationSec };
  const fromEnd = { start: end - lengthMs, end, durationSec };
  // The offset is the one at the time of the report, after the end.
  if (tz !== null && /^[+-]\d/.test(tz)) return fromEnd;
  return !reads(fromStart.end, archive['end'], tz) && reads(fromEnd.start, archive['start'], tz)
    ? fromEnd
    : fromStart;
}

const WHOLE_SECONDS_MS: Ms = 2_000;

/** Returns whether a clock in the zone showed the local time at that moment. */
function reads(at: Ms, local: unknown, tz: string | null): boolean {
  const said = DateTime.fromISO(word(local) ?? '', { zone: 'UTC' }).toMillis();
  const shown = DateTime.fromMillis(at, { zone: toLuxonZone(tz ?? 'UTC') })
    .setZone('UTC', { keepLocalTime: true })
    .toMillis();
  return Math.abs(said - shown) <= WHOLE_SECONDS_MS;
}

/**
 * Returns the offset of local times, as `+02:00`, from log lines with epoch seconds, which were
 * written between start and end. Null if there are none or more than one offset fits.
 */
export function offsetFromLog(archive: JsonObject, logged: readonly JsonObject[]): string | null {
  const start = readMoment(archive['start'], 'UTC');
  const end = readMoment(archive['end'], 'UTC');
  if (start === null || end === null) return null;
  const times = logged.flatMap((line) => span(line['time']) ?? []);
  if (times.length === 0) return null;
  // Uses reduce because a call cannot take that many arguments.
  const first = times.reduce((a, b) => Math.min(a, b)) * 1000;
  const last = times.reduce((a, b) => Math.max(a, b)) * 1000;
  const fitting = OFFSETS_MIN.filter(
    (minutes) =>
      first + minutes * 60_000 >= start - BESIDE_MS && last + minutes * 60_000 <= end + BESIDE_MS,
  );
  const [minutes] = fitting;
  if (minutes === undefined || fitting.length > 1) return null;
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
}

/** All offsets in use are multiples of a quarter of an hour, from -12:00 to +14:00. */
const OFFSETS_MIN = Array.from({ length: 26 * 4 + 1 }, (_, n) => n * 15 - 12 * 60);
/** Lines can be written shortly before the start and after the end. */
const BESIDE_MS: Ms = 5 * 60_000;
