import type { Day, Ms } from '../ids.ts';
import type { CalendarCell } from '../calendar/calendar.ts';

/**
 * The days of a row: one letter of `LETTERS` per day, and how many of its jobs failed or did not
 * run on each (null if the row is a single job).
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
const EMPTY = '-';
export const getLetter = (cell: CalendarCell): string => (cell === null ? EMPTY : LETTERS[cell]);
const CELLS = new Map<string, CalendarCell>(
  Object.entries(LETTERS).map(([cell, letter]) => [letter, cell as Exclude<CalendarCell, null>]),
);
export const cellOfLetter = (letter: string): CalendarCell => CELLS.get(letter) ?? null;

/**
 * The type of a column's cells. `text` and `state` (a state by its name) are strings; `count`,
 * `share` (0 to 1), `bytes`, `seconds` and `moment` (ms) are numbers; `day` is `YYYY-MM-DD`; `days`
 * contains one letter for each of the column's days.
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
/** `wide`: the relative width among the text columns; default 1. */
export interface ReportColumn {
  readonly id: string;
  readonly title: string;
  readonly kind: ColumnKind;
  readonly wide?: number | undefined;
  readonly days?: readonly Day[] | undefined;
}
export type ReportCell = string | number | null | DayCells;
export type ReportRow = readonly ReportCell[];

/**
 * One table of a report. `total`: a row of totals at the end; null for none. `none`: the text shown
 * if there are no rows.
 */
export interface ReportSection {
  readonly title: string | null;
  readonly columns: readonly ReportColumn[];
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

/** What a template creates from figures. */
export interface Body {
  readonly facts: readonly Fact[];
  readonly sections: readonly ReportSection[];
  /** What a reader must know about the report, such as that it is incomplete. */
  readonly notices: readonly string[];
}

/**
 * A complete report. `from` is inclusive, `to` exclusive; both and `madeAt` are shown in
 * `timeZone`.
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

/** Returns the first `most` rows over all tables. */
export function firstRows<B extends Body>(body: B, max: number): B {
  let left = max;
  const sections: ReportSection[] = [];
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
