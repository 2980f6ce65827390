import { DateTime } from 'luxon';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { ExecutionIn, Ingested, RepositoryIn } from '#contract/ingest/calls.ts';
import type { JobSchedule } from '#contract/runs/rows.ts';
import { cutText, parseStorable } from '#contract/stored-text.ts';
import { ingestAnswers as t } from '../answers.messages.en.ts';

/** Values from the request's address. Null: not given. */
export interface ToolQuery {
  readonly job: string | null;
  readonly host: string | null;
  readonly exit: number | null;
  /** The name of a time zone, or an offset such as `+02:00`, for tools that write local times. */
  readonly tz: string | null;
  readonly schedule: JobSchedule | null;
  readonly graceSec: number | null;
}

/** One run in a tool's output. */
export interface ReadRun {
  readonly execution: ExecutionIn;
  /** The tool reports no times, so they are computed back from the arrival. */
  readonly byArrival: boolean;
  /** From a list of restore points: adds unknown runs and does not change known ones. */
  readonly listed?: true;
  /** A shorter spelling of `externalId` that the same tool uses elsewhere. */
  readonly shortId?: string;
}

/** What a reader found in a tool's output. */
export interface ToolReading {
  readonly executions: readonly ReadRun[];
  readonly rejected: Ingested['rejected'];
  /** Sizes of repositories that the output reports. */
  readonly repositories?: readonly RepositoryIn[];
  /**
   * Why nothing, or not everything, is recorded although nothing is wrong: one sentence for the
   * sender.
   */
  readonly note?: string;
}

/** Converts a tool's own output to executions. Pure. */
export type Reader = (body: string, query: ToolQuery, at: Ms) => ToolReading;

export const one = (execution: ExecutionIn, byArrival: boolean): ToolReading => ({
  executions: [{ execution, byArrival }],
  rejected: [],
});
/** Returns a reading without runs, for valid output that is not the result of a backup. */
export const notARun = (note: string, repositories: readonly RepositoryIn[] = []): ToolReading => ({
  executions: [],
  rejected: [],
  repositories,
  note,
});
export const none = (error: string, index = 0): ToolReading => ({
  executions: [],
  rejected: [{ index, error }],
});

/** Returns the fields that all tools share. */
export function common(
  query: ToolQuery,
  source: NonNullable<ExecutionIn['source']>,
  name: string,
  host = '',
): Pick<ExecutionIn, 'job' | 'source' | 'computer' | 'schedule' | 'graceSec' | 'exitCode'> {
  const computer = cutText(query.host ?? host, LIMITS.nameChars);
  return {
    job: cutText(query.job ?? name, LIMITS.nameChars) || source,
    source,
    exitCode: query.exit,
    ...(computer === '' ? {} : { computer }),
    ...(query.schedule === null ? {} : { schedule: query.schedule }),
    ...(query.graceSec === null ? {} : { graceSec: query.graceSec }),
  };
}

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Separates lines of JSON objects from lines of text, for a tool's combined standard output and
 * error. Of more than `MAX_LINES` lines, only the first and the last are read.
 */
export function parseJsonLines(body: string): {
  readonly objects: JsonObject[];
  readonly text: string[];
} {
  const objects: JsonObject[] = [];
  const text: string[] = [];
  let broken = 0;
  for (const line of withoutMiddle(body).split(/\r?\n/)) {
    const like = broken < BROKEN && line.startsWith('{') && line.trimEnd().endsWith('}');
    const object = like ? objectIn(line) : null;
    if (like && !object) broken += 1;
    if (object) objects.push(object);
    else if (line.trim() !== '') text.push(line);
  }
  return { objects, text };
}

/**
 * Every line takes time even if it is short, so the number of lines is bounded. The largest body, 4
 * MB, has fewer lines with any tool: paths and messages are longer than 40 bytes on average.
 */
const MAX_LINES = 100_000;

/** Returns the first and the last half of `most` lines; the lines between them are skipped. */
export function withoutMiddle(body: string, max = MAX_LINES): string {
  let head = 0;
  let tail = body.length;
  for (let n = 0; n < max / 2; n += 1) {
    const end = body.indexOf('\n', head);
    if (end === -1) return body;
    head = end + 1;
  }
  // A trailing line break does not begin another line.
  if (body.endsWith('\n')) tail -= 1;
  for (let n = 0; n < max / 2; n += 1) {
    const start = body.lastIndexOf('\n', tail - 1);
    if (start < head) return body;
    tail = start;
  }
  return body.slice(0, head) + body.slice(tail + 1);
}

/**
 * The maximum number of lines that look like an object and are not. No tool writes more, and a line
 * that fails to parse costs more than a valid one.
 */
const BROKEN = 1_000;

/** Returns a line of output without escape sequences. If it overwrites itself, the last version. */
export const plainLine = (line: string): string =>
  line
    .replace(ESCAPES, '')
    .split('\r')
    .findLast((part) => part.trim() !== '')
    ?.trimEnd() ?? '';
const ESCAPE = String.fromCharCode(27);
const ESCAPES = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[@-Z_])`, 'g');

/** Returns the newest of a list of restore points, and a note about the others. */
export function pickNewest<T>(
  points: readonly T[],
  getStart: (point: T) => Ms,
): { readonly points: readonly T[]; readonly note?: string } {
  if (points.length <= LIMITS.ingestRecords) return { points };
  const newest = points
    .toSorted((a, b) => getStart(b) - getStart(a))
    .slice(0, LIMITS.ingestRecords);
  return {
    points: newest,
    note: t.newestOnly({ max: String(LIMITS.ingestRecords), count: String(points.length) }),
  };
}

/** Returns a JSON object, or null for anything else. */
export function objectIn(text: string): JsonObject | null {
  const value = jsonIn(text);
  return isObject(value) ? value : null;
}

/** Returns a JSON value, or undefined for anything else and for nesting that no tool writes. */
export function jsonIn(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return parseStorable(text);
  } catch {
    return undefined;
  }
}

/** No tool nests deeper. Parsing millions of open brackets takes longer than any real output. */
const MAX_DEPTH = 200;
const MIN_CHECKED_CHARS = 10_000;

function isTooDeep(text: string): boolean {
  if (text.length < MIN_CHECKED_CHARS) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (isInString) {
      if (char === BACKSLASH) at += 1;
      else if (char === QUOTE) isInString = false;
    } else if (char === QUOTE) isInString = true;
    else if (char === OPEN_BRACKET || char === OPEN_BRACE) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (char === CLOSE_BRACKET || char === CLOSE_BRACE) depth -= 1;
  }
  return false;
}
const [QUOTE, BACKSLASH, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
];

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const sub = (json: JsonObject | null | undefined, name: string): JsonObject => {
  const value = json?.[name];
  return isObject(value) ? value : {};
};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/**
 * Returns a string, or a number as a string; null if it is empty or neither. File names that are
 * not UTF-8 contain lone surrogates, which databases cannot store.
 */
export const word = (value: unknown): string | null =>
  typeof value === 'string'
    ? value.trim().toWellFormed() || null
    : typeof value === 'number' && Number.isFinite(value)
      ? String(value)
      : null;
/** Returns a number, also if it is a string. */
export function amount(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
/** Returns a count: rounded and not below 0. */
export const whole = (value: unknown): number | null => {
  const number = amount(value);
  return number === null || number < 0 || number > Number.MAX_SAFE_INTEGER
    ? null
    : Math.round(number);
};

/** Returns a duration in seconds: not below 0, and at most the maximum duration of a run. */
export const span = (value: unknown): number | null => {
  const number = amount(value);
  return number === null || number < 0 || number > 0xffff_fffe ? null : number;
};

/**
 * Returns a time in milliseconds; one without a zone is read in `tz`. Null if it is not a time, or
 * needs a zone that is unknown.
 */
export function readMoment(value: unknown, tz: string | null): Ms | null {
  const text = word(value);
  if (
    text === null ||
    text.length > MOMENT_CHARS ||
    /^0{4}-/.test(text) ||
    text.startsWith('0001-')
  )
    return null;
  const isoText = text
    .replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, '$1T')
    .replace(/ (?=[+-]\d\d:?\d\d$)/, '');
  if (/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(isoText)) return finite(DateTime.fromISO(isoText).toMillis());
  return tz === null
    ? null
    : finite(DateTime.fromISO(isoText, { zone: toLuxonZone(tz) }).toMillis());
}

/** No tool writes longer ones. The patterns take more than linear time. */
const MOMENT_CHARS = 64;

/** Returns `+02:00` as luxon spells it. */
export const toLuxonZone = (tz: string): string =>
  /^[+-]\d\d:?\d\d$/.test(tz) ? `UTC${tz.slice(0, 3)}:${tz.slice(-2)}` : tz;
const finite = (ms: number): Ms | null => (Number.isFinite(ms) ? ms : null);

export const toResultTime = (ms: Ms): string => new Date(Math.max(0, Math.round(ms))).toISOString();
/** Returns the values that are not null, for the detail panel. */
export const details = (
  all: Readonly<Record<string, string | number | boolean | null>>,
): NonNullable<ExecutionIn['detail']> =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === null ? [] : [[name, typeof value === 'string' ? cutText(value, 1000) : value]],
    ),
  );
export const logText = (body: string): string | null =>
  body.trim() === '' ? null : body.slice(-200_000);
