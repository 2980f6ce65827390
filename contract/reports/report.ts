import type { Day, Ms } from '../ids.ts';
import type { CalendarCell } from '../calendar/calendar.ts';

/**
 * What the days of a row show, a letter of `LETTERS` each, and how many of its jobs failed or did
 * not run on each (null where a row is one job).
 */
export interface DayCells {
  readonly states: string;
  readonly bad: readonly number[] | null;
}
export const LETTERS = {
  Failed: 'F',
  Error: 'E',
  Missed: 'M',
  Anomaly: 'A',
  Warning: 'W',
  Running: 'R',
  Success: 'S',
  off: 'o',
} as const satisfies Record<Exclude<CalendarCell, null>, string>;
const NOTHING = '-';
export const letterOf = (cell: CalendarCell): string => (cell === null ? NOTHING : LETTERS[cell]);
const CELLS = new Map<string, CalendarCell>(
  Object.entries(LETTERS).map(([cell, letter]) => [letter, cell as Exclude<CalendarCell, null>]),
);
export const cellOfLetter = (letter: string): CalendarCell => CELLS.get(letter) ?? null;

/**
 * How the cells of a column are meant. `text` and `state` (a state by its name) are strings;
 * `count`, `share` (0 to 1), `bytes`, `seconds` and `moment` (ms) are numbers; `day` is
 * `YYYY-MM-DD`; `days` holds a letter for each of the column's days.
 */
export type ColumnKind =
  | 'text'
  | 'state'
  | 'count'
  | 'share'
  | 'bytes'
  | 'seconds'
  | 'moment'
  | 'day'
  | 'days';
/** `wide`: how much room it asks for beside the other texts; 1 unless said. */
export interface Column {
  readonly id: string;
  readonly title: string;
  readonly kind: ColumnKind;
  readonly wide?: number | undefined;
  readonly days?: readonly Day[] | undefined;
}
export type ReportCell = string | number | null | DayCells;
export type ReportRow = readonly ReportCell[];

/**
 * One table of a report. `total`: a last row that sums up; null for none. `none`: what stands in
 * place of no rows.
 */
export interface Section {
  readonly title: string | null;
  readonly columns: readonly Column[];
  readonly rows: readonly ReportRow[];
  readonly total: ReportRow | null;
  readonly none: string;
}

/** A figure above the tables. */
export interface Fact {
  readonly title: string;
  readonly kind: Exclude<ColumnKind, 'days'>;
  readonly value: string | number | null;
}

/** What a template makes of figures. */
export interface Body {
  readonly facts: readonly Fact[];
  readonly sections: readonly Section[];
  /** What a reader must know of it: that it was cut. */ readonly notices: readonly string[];
}

/**
 * A whole report: what it is, of which time and made when. `from` inclusive, `to` exclusive; both
 * and `madeAt` are told on the wall of `timeZone`.
 */
export interface Report extends Body {
  readonly name: string;
  readonly template: string;
  readonly from: Ms;
  readonly to: Ms;
  readonly madeAt: Ms;
  readonly timeZone: string;
  readonly language: string;
}

export const rowsIn = ({ sections }: Pick<Body, 'sections'>): number =>
  sections.reduce((all, { rows }) => all + rows.length, 0);

/** The first rows of it, over all its tables. */
export function firstRows<B extends Body>(body: B, most: number): B {
  let left = most;
  const sections: Section[] = [];
  for (const section of body.sections) {
    if (left <= 0 && section.rows.length > 0) break;
    const rows = section.rows.slice(0, left);
    sections.push({
      ...section,
      rows,
      total: rows.length < section.rows.length ? null : section.total,
    });
    left -= rows.length;
  }
  return { ...body, sections };
}
