import type { DayN } from '#contract/time/day.ts';
import type { CalendarMode } from '#contract/calendar/calendar.ts';
import { worst } from '#contract/time/day.ts';
import type { WorstHow } from '#contract/time/day.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import { RANK } from '#workers/columns/kinds.ts';
import { getSeconds } from '#workers/periods/days.ts';
import type { DayWindow } from '#workers/periods/days.ts';
import { Seen } from '#workers/periods/segments-seen.ts';
import type { ColumnStore } from '#workers/types.ts';

/**
 * The results of a job on one day, packed by job number: bits 0 to 6 for the states that occur (by
 * index in `RUN_STATES`), bits 7 to 9 for the last finished state (index + 1, 0: none). Every mode
 * is a table over these.
 */
export type Marks = Uint16Array;
const STATES = RUN_STATES.length;
const RUNNING = RUN_STATES.indexOf('Running');
export const STATE_BITS = (1 << STATES) - 1;
/** States that need attention: all except success and running. */
export const PROBLEM_BITS = STATE_BITS & ~(1 << RUNNING) & ~(1 << RUN_STATES.indexOf('Success'));

const HOW: Record<CalendarMode, WorstHow> = {
  worst: 'worst',
  best: 'best',
  last: 'last',
  mixed: 'warning-if-mixed',
};
const tables = new Map<CalendarMode, Uint8Array>();

/**
 * Returns a table by marks: the index in `RUN_STATES` plus one of the state that the cell shows, 0
 * for nothing.
 */
export function getCells(mode: CalendarMode): Uint8Array {
  let table = tables.get(mode);
  if (!table) {
    table = Uint8Array.from({ length: 1 << (STATES + 3) }, (_, marks) => {
      const last = RUN_STATES[(marks >> STATES) - 1];
      const states = RUN_STATES.filter((_state, i) => (marks & (1 << i)) !== 0);
      const shown = worst(last === undefined ? states : [...states, last], HOW[mode]);
      return shown === null ? 0 : RUN_STATES.indexOf(shown) + 1;
    });
    tables.set(mode, table);
  }
  return table;
}

interface CachedMarks {
  readonly seen: Seen;
  readonly from: number;
  readonly to: number;
  marks: Marks;
  used: number;
}

/** Marks of days. A day is walked again only when one of its runs has changed. */
export class DayMarks {
  readonly #days = new Map<DayN, CachedMarks>();
  #asked = 0;
  /** Incremented with every change of any marks. */
  version = 0;

  /** Returns the marks of each day, in order; `reach`: the greatest job number. */
  of(engine: ColumnStore, spans: readonly DayWindow[], reach: number): readonly Marks[] {
    this.#asked += 1;
    const all = spans.map(({ n, from, to }) =>
      this.#day(engine, n, getSeconds(from), getSeconds(to), reach),
    );
    for (const [n, { used }] of this.#days)
      if (this.#days.size > MAX_ENTRIES && used !== this.#asked) this.#days.delete(n);
    return all;
  }

  clear(): void {
    this.#days.clear();
    this.version += 1;
  }

  #day(engine: ColumnStore, n: DayN, from: number, to: number, reach: number): Marks {
    let stored = this.#days.get(n);
    if (stored?.from !== from || stored.to !== to)
      this.#days.set(n, (stored = { seen: new Seen(from, to), from, to, marks: EMPTY, used: 0 }));
    stored.used = this.#asked;
    if (!stored.seen.changed(engine)) return stored.marks;
    this.version += 1;
    const marks = stored.seen.isEmpty ? EMPTY : new Uint16Array(reach + 1);
    stored.seen.each(({ cols: { job, kind } }, first, last) => {
      markRows(marks, job, kind, first, last);
    });
    return (stored.marks = marks);
  }
}
const EMPTY = new Uint16Array();
const MAX_ENTRIES = 400;

/** Rows are newest first, so the first finished row of a job is its last result. */
function markRows(
  marks: Marks,
  job: Uint32Array,
  kind: Uint16Array,
  first: number,
  last: number,
): void {
  for (let row = first; row < last; row++) {
    const one = job[row] ?? 0;
    const state = RANK[kind[row] ?? 0] ?? 0;
    const before = marks[one] ?? 0;
    marks[one] =
      before |
      (1 << state) |
      (before >> STATES === 0 && state !== RUNNING ? (state + 1) << STATES : 0);
  }
}
