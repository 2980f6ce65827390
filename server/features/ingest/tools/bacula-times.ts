import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import { type JsonObject, readMoment, toLuxonZone, whole, word } from './tool-output.ts';

export interface BaculaTimes {
  readonly start: Ms | null;
  readonly end: Ms | null;
  readonly scheduled: Ms | null;
}

/**
 * Returns when a row of the catalog began, ended and was due. The catalog stores the director's
 * local time. `JobTDate` is the same moment as the end (for a running job, the start) in seconds
 * since 1970, so their difference is the offset of the local time.
 */
export function getBaculaTimes(row: JsonObject, tz: string | null, running: boolean): BaculaTimes {
  const ended = set(row['realendtime']) ?? set(row['endtime']);
  const reference = running
    ? (set(row['starttime']) ?? set(row['schedtime']))
    : (set(row['endtime']) ?? ended);
  const seconds = whole(row['jobtdate']);
  const offset = getOffset(reference, seconds);
  const exact = offset === null ? tz : zoneText(offset);
  // A named zone includes clock changes, so it is used if it had this offset at that moment.
  const zone = offset === null || agrees(tz, seconds, offset) ? tz : exact;
  const end = running ? null : readMoment(ended, exact);
  const start = readMoment(set(row['starttime']), running ? exact : zone);
  return {
    start: start === null || end === null ? start : getReading(start, end, zone),
    end,
    scheduled: readMoment(set(row['schedtime']), zone),
  };
}

/**
 * Returns a start before the end: the other reading of a local time in an hour that comes twice, if
 * there is one.
 */
const getReading = (start: Ms, end: Ms, zone: string | null): Ms =>
  start <= end || zone === null
    ? start
    : (DateTime.fromMillis(start, { zone: toLuxonZone(zone) })
        .getPossibleOffsets()
        .map((time) => time.toMillis())
        .find((time) => time <= end) ?? start);

/** Returns false for a time without a zone, and null without a time. */
export function hasZone(value: unknown): boolean | null {
  const text = set(value);
  return text === null ? null : readMoment(text, null) !== null;
}

/** Unset times are the number 0, or zeros. */
function set(value: unknown): string | null {
  const text = word(value);
  return text === null || /^[0:\-. T]*$/.test(text) ? null : text;
}

const QUARTER: Ms = 15 * 60_000;
const FURTHEST: Ms = 14 * 3_600_000;
/** Local times are in whole seconds, and a director may write the two with a short delay. */
const APART: Ms = 60_000;

/** Returns how far the local time is ahead of UTC; null if the two cannot be the same moment. */
function getOffset(local: string | null, seconds: number | null): Ms | null {
  const wall = local === null ? null : readMoment(local, 'UTC');
  if (wall === null || seconds === null || seconds === 0) return null;
  const ahead = wall - seconds * 1000;
  const offset = Math.round(ahead / QUARTER) * QUARTER;
  return Math.abs(offset) > FURTHEST || Math.abs(ahead - offset) > APART ? null : offset;
}

function agrees(tz: string | null, seconds: number | null, offset: Ms): boolean {
  if (tz === null || seconds === null) return false;
  const at = DateTime.fromMillis(seconds * 1000, { zone: toLuxonZone(tz) });
  return at.isValid && at.offset * 60_000 === offset;
}

const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');

function zoneText(offset: Ms): string {
  const minutes = Math.abs(offset) / 60_000;
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
