import type { Segment } from './segment.ts';

/** How often each value occurs. A value may be listed twice. */
export interface ValueTally {
  readonly values: Uint32Array;
  readonly counts: Uint32Array;
}

/** How often each value of a column occurs; for problems, among the rows that have one. */
export interface RunSums {
  readonly rows: number;
  readonly kinds: ValueTally;
  readonly companies: ValueTally;
  readonly problems: ValueTally;
}

/** For one segment: also which rows have a problem, in order. */
interface PieceSums extends RunSums {
  readonly problemRows: Uint32Array;
}

/**
 * Calculated on first use. Call `forgetSums` when rows of the segment change in place; nobody reads
 * the previous sums then.
 */
export function getPieceSums(piece: Segment): PieceSums {
  let known = sums.get(piece);
  if (!known) {
    const { kind, company, problem } = piece.cols;
    const problemRows = withProblem.get(piece) ?? rowsWith(problem);
    const values = problemRows.map((row) => problem[row] ?? 0);
    let kinds: ValueTally | null = null;
    let companies: ValueTally | null = null;
    known = {
      rows: piece.rows,
      problems: { values, counts: new Uint32Array(values.length).fill(1) },
      problemRows,
      get kinds() {
        return (kinds ??= tally(kind));
      },
      get companies() {
        return (companies ??= tally(company));
      },
    };
    sums.set(piece, known);
  }
  return known;
}

/** Returns the problems in rows [from, to) of a segment. */
export function problemsWithin(
  piece: Segment,
  from: number,
  to: number,
): Pick<PieceSums, 'rows' | 'problems' | 'problemRows'> {
  const all = getPieceSums(piece);
  const { values, counts } = all.problems;
  if (from === 0 && to === piece.rows) return all;
  const first = findRowIndex(all.problemRows, from);
  const last = findRowIndex(all.problemRows, to);
  return {
    rows: to - from,
    problemRows: all.problemRows.subarray(first, last),
    problems: { values: values.subarray(first, last), counts: counts.subarray(first, last) },
  };
}

/** Returns the index of a row among ordered rows, or where it would be. */
function findRowIndex(rows: Uint32Array, row: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((rows[mid] ?? 0) < row) low = mid + 1;
    else high = mid;
  }
  return low;
}

export function forgetSums(piece: Segment): void {
  sums.delete(piece);
  withProblem.delete(piece);
}

/** Stores which rows of a segment have a problem, if that is already known. */
export const knowProblemRows = (piece: Segment, rows: readonly number[]): void => {
  withProblem.set(piece, Uint32Array.from(rows));
};
const withProblem = new WeakMap<Segment, Uint32Array>();

const sums = new WeakMap<Segment, PieceSums>();
const table = new Uint32Array(0x1_0000);

function rowsWith(column: Uint32Array): Uint32Array {
  const rows = new Uint32Array(column.length);
  let count = 0;
  for (let row = 0; row < column.length; row++) {
    rows[count] = row;
    if (column[row] !== 0) count += 1;
  }
  return rows.slice(0, count);
}

function tally(column: Uint16Array): ValueTally {
  const values: number[] = [];
  for (let row = 0; row < column.length; row++) {
    // an iterator is slow until the browser has compiled it
    const value = column[row] ?? 0;
    const before = table[value] ?? 0;
    if (before === 0) values.push(value);
    table[value] = before + 1;
  }
  const counts = Uint32Array.from(values, (value) => table[value] ?? 0);
  for (const value of values) table[value] = 0;
  return { values: Uint32Array.from(values), counts };
}

/** Sums of all segments of a list together, cached until one of them changes. */
export function sumsOfAll(list: readonly Segment[]): RunSums {
  const parts = list.map(getPieceSums);
  const known = wholes.get(list);
  if (known?.parts.every((part, i) => part === parts[i]) === true) return known.whole;
  const whole: RunSums = {
    rows: parts.reduce((sum, { rows }) => sum + rows, 0),
    kinds: together(parts.map(({ kinds }) => kinds)),
    companies: together(parts.map(({ companies }) => companies)),
    problems: together(parts.map(({ problems }) => problems)),
  };
  wholes.set(list, { parts, whole });
  return whole;
}

const wholes = new WeakMap<
  readonly Segment[],
  { readonly parts: readonly PieceSums[]; readonly whole: RunSums }
>();

function together(parts: readonly ValueTally[]): ValueTally {
  const max = parts.reduce(
    (known, { values }) => values.reduce((a, b) => Math.max(a, b), known),
    0,
  );
  const all = new Uint32Array(max + 1);
  const values = new Uint32Array(max + 1);
  for (const { values: some, counts } of parts) {
    for (let i = 0; i < some.length; i++) {
      const value = some[i] ?? 0;
      all[value] = (all[value] ?? 0) + (counts[i] ?? 0);
    }
  }
  let count = 0;
  for (let value = 0; value <= max; value++) {
    values[count] = value;
    if ((all[value] ?? 0) > 0) count += 1;
  }
  const found = values.slice(0, count);
  return { values: found, counts: found.map((value) => all[value] ?? 0) };
}

/**
 * The rows of a column by value: those of `tally.values[i]` are, in order, before `ends[i]` and
 * after the previous end.
 */
export interface Index {
  readonly ends: Uint32Array;
  readonly rows: Uint16Array;
}

/** Calculated on first use. `tally`: of the column, which has at most 2^16 rows. */
export function getIndex(column: Uint16Array, tally: ValueTally): Index {
  let known = indexes.get(tally);
  if (!known) {
    const { values, counts } = tally;
    const ends = new Uint32Array(values.length);
    const rows = new Uint16Array(column.length);
    for (let i = 0, end = 0; i < values.length; i++) {
      table[values[i] ?? 0] = end;
      ends[i] = end += counts[i] ?? 0;
    }
    for (let row = 0; row < column.length; row++) {
      const value = column[row] ?? 0;
      const at = table[value] ?? 0;
      rows[at] = row;
      table[value] = at + 1;
    }
    for (const value of values) table[value] = 0;
    indexes.set(tally, (known = { ends, rows }));
  }
  return known;
}

const indexes = new WeakMap<ValueTally, Index>();
