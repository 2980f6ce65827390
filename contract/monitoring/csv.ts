import type { Ms } from '../ids.ts';
import { offsetAt } from './day.ts';

/** What a list's file may hold, in the grid's words. `started`, `lastGood` and other moments make two columns each, and so do ranges. */
export const EXPORT_COLUMNS = [
  'state', 'streak', 'company', 'job', 'computer', 'server', 'source', 'type', 'managed', 'kind', 'cause', 'message', 'started', 'duration',
  'usualDuration', 'bytes', 'usualBytes', 'lastGood', 'review', 'reviewedBy', 'reviewedAt', 'comment', 'snoozedUntil', 'note', 'ticket', 'run',
] as const;
export type ExportColumnId = (typeof EXPORT_COLUMNS)[number];

/** `words`: what a person reads for a code of this column (`Missed`: "Did not run"); a code without a word stands as it is. */
export interface ExportColumn { readonly id: ExportColumnId; readonly title: string; readonly words?: Readonly<Record<string, string>> }

/** Text is made safe; a number stands as it is; null is an empty cell. */
export type Cell = string | number | null;

/** Tells a spreadsheet that the file is UTF-8. */
export const BOM = '\uFEFF';
const END = '\r\n';

/** One line of RFC 4180, with its end. */
export const csvLine = (cells: readonly Cell[]): string => cells.map(csvCell).join(',') + END;

function csvCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  const safe = withoutFormula(cell);
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A spreadsheet takes a cell that begins so for a formula: an apostrophe before it makes it text. */
export const withoutFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** Also where blanks at an end might be taken for none. */
const QUOTED = /[",\r\n]|^\s|\s$/;

/** `11/20/26 07:46 AM` on the wall of the zone. */
export function wallText(at: Ms, timeZone: string): string {
  const { year, month, day, hour, minute } = wallOf(at, timeZone);
  return `${two(month)}/${two(day)}/${two(year % 100)} ${two(hour % 12 === 0 ? 12 : hour % 12)}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`;
}

/** `2026-11-20T07:46:13Z`. */
export const utcText = (at: Ms): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** `DailyChecks_2026-11-21_074613.csv`: what it is and when it was made, on the wall of the zone. */
export function csvName(prefix: string, at: Ms, timeZone: string): string {
  const { year, month, day, hour, minute, second } = wallOf(at, timeZone);
  return `${prefix}_${year}-${two(month)}-${two(day)}_${two(hour)}${two(minute)}${two(second)}.csv`;
}

interface Wall { readonly year: number; readonly month: number; readonly day: number; readonly hour: number; readonly minute: number; readonly second: number }

function wallOf(at: Ms, timeZone: string): Wall {
  const wall = new Date(at + offsetAt(at, timeZone));
  return {
    year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate(), hour: wall.getUTCHours(), minute: wall.getUTCMinutes(),
    second: wall.getUTCSeconds(),
  };
}

const two = (value: number): string => String(value).padStart(2, '0');
