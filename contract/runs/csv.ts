import { withoutBidi } from '../bidi.ts';
import type { Ms } from '../ids.ts';
import { dayText, offsetAt } from '../time/day.ts';
import type { DayN } from '../time/day.ts';
import { DAY_MS } from '../time/durations.ts';

/**
 * The columns that a list's file may contain. The ids differ from those of the columns on the
 * screen, because one column there can show several of these. Moments such as `started` and
 * `lastGood`, and ranges, become two columns each.
 */
export const EXPORT_COLUMNS = [
  'state',
  'streak',
  'company',
  'job',
  'computer',
  'server',
  'source',
  'type',
  'managed',
  'schedule',
  'kind',
  'cause',
  'message',
  'started',
  'duration',
  'usualDuration',
  'bytes',
  'usualBytes',
  'lastGood',
  'review',
  'reviewedBy',
  'reviewedAt',
  'comment',
  'snoozedUntil',
  'note',
  'ticket',
  'run',
] as const;
export type ExportColumnId = (typeof EXPORT_COLUMNS)[number];

/**
 * Additional columns that only the server's file may contain, because a device doesn't have this
 * data.
 */
export const SERVER_COLUMNS = ['level', 'scheduledFor', 'errorCount', 'warningCount'] as const;
export type FileColumnId = ExportColumnId | (typeof SERVER_COLUMNS)[number];

/**
 * `words`: labels for the codes of this column (`Missed`: "Did not run"). A code without a label
 * appears unchanged.
 */
export interface ExportColumn<Id extends FileColumnId = ExportColumnId> {
  readonly id: Id;
  readonly title: string;
  readonly words?: Readonly<Record<string, string>>;
}

/** Text is escaped, numbers are written as they are, and null is an empty cell. */
export type Cell = string | number | null;

/** Tells a spreadsheet that the file is UTF-8. */
export const BOM = '\uFEFF';
const END = '\r\n';

/** Returns one line of RFC 4180 with its line break. */
export function csvLine(cells: readonly Cell[]): string {
  let line = '';
  for (let i = 0; i < cells.length; i++) line += (i === 0 ? '' : ',') + csvCell(cells[i] ?? null);
  return line + END;
}

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  if (!SPECIAL.test(cell)) return cell;
  const safe = withoutFormula(withoutBidi(cell));
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Prefixes text with an apostrophe if a spreadsheet would read it as a formula. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Also quotes cells with leading or trailing spaces, which some programs trim. */
const QUOTED = /[",\r\n]|^\s|\s$/;
/** A fast check for text that needs escaping or quoting; most text doesn't. */
const SPECIAL = /[",\r\n\u202A-\u202E\u2066-\u2069]|^[\s=+\-@＝＋－＠]|\s$/;

/** Returns `11/20/26 07:46 AM` in the zone. */
export function wallText(at: Ms, timeZone: string): string {
  const { date, hour, minute } = getClock(at + offsetAt(at, timeZone));
  return `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(2, 4)} ${two(hour % 12 === 0 ? 12 : hour % 12)}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** Returns `2026-11-20T07:46:13Z`. */
export function utcText(at: Ms): string {
  const { date, hour, minute, second } = getClock(at);
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}Z`;
}

/**
 * Returns a file name such as `DailyChecks_2026-11-21_074613.csv`: the prefix and the creation time
 * in the zone. A prefix that ends with a hyphen is joined as it is.
 */
export function csvName(prefix: string, at: Ms, timeZone: string): string {
  const { date, hour, minute, second } = getClock(at + offsetAt(at, timeZone));
  return `${prefix.endsWith('-') ? prefix : `${prefix}_`}${date}_${two(hour)}${two(minute)}${two(second)}.csv`;
}

/**
 * Splits a local time into its parts. It caches the date, because consecutive moments are usually
 * on the same day.
 */
function getClock(wall: Ms): {
  readonly date: string;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
} {
  const day = Math.floor(wall / DAY_MS);
  const rest = Math.floor((wall - day * DAY_MS) / 1000);
  let date = dates.get(day);
  if (date === undefined) {
    if (dates.size > MAX_DATES) dates.clear();
    dates.set(day, (date = dayText(day)));
  }
  return {
    date,
    hour: Math.floor(rest / 3600),
    minute: Math.floor(rest / 60) % 60,
    second: rest % 60,
  };
}

const MAX_DATES = 1_000;
const dates = new Map<DayN, string>();

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));
