import { DIM } from './kinds.ts';
import type { Segment } from './segment.ts';
import { markMessages } from './text.ts';

/**
 * A filter as byte tables: what a row fails, by its kind, its company, its problem, its job. Null
 * where the filter restricts nothing.
 *
 *   fails of a row = 0             it is in the list, and counts in every facet
 *                  = one bit       it fails only that dimension, and counts in its facet (COL-3)
 *                  = OUT, or more  it counts nowhere
 *
 * One small loop per restriction: a loop over two arrays keeps them in registers and has no branch
 * to mispredict, which beats a single loop over ten. Each iteration handles four rows, which also
 * makes the functions too long to be inlined: V8 inlines short functions into callers that it
 * compiles quickly but not well, and a hot loop then stays there.
 */
export interface Masks {
  readonly kind: Uint8Array | null;
  readonly company: Uint8Array | null;
  readonly problem: Uint8Array | null;
  readonly job: Uint8Array | null;
  /**
   * OUT where the text is not in the names of the job, or not in the name of the company; null: in
   * none. Messages are searched per segment.
   */
  readonly text: {
    readonly key: string;
    readonly job: Uint8Array | null;
    readonly company: Uint8Array | null;
  } | null;
  /** OUT for jobs seen before, if only the newest run of each job counts. The walk writes it. */
  readonly met: Uint8Array | null;
}
/** Counts nowhere. */
export const OUT = 0xff;

/** Writes what rows [from, to) fail. The values of other rows are undefined. */
export function markFailures(
  piece: Segment,
  from: number,
  to: number,
  masks: Masks,
  fails: Uint8Array,
): void {
  const { cols } = piece;
  if (masks.text) {
    const { key, job, company } = masks.text;
    if (job && company) setText(fails, cols.job, cols.company, job, company, from, to);
    else {
      fails.fill(job || company ? 0 : OUT, from, to);
      if (job) orTable(fails, cols.job, job, from, to);
      if (company) orTable(fails, cols.company, company, from, to);
    }
    markMessages(piece, key, fails, 0);
  } else fails.fill(0, from, to);
  if (masks.kind) orTable(fails, cols.kind, masks.kind, from, to);
  if (masks.company) orTable(fails, cols.company, masks.company, from, to);
  if (masks.problem) orTable(fails, cols.problem, masks.problem, from, to);
  if (masks.job) orTable(fails, cols.job, masks.job, from, to);
  if (masks.met) orMet(fails, cols.job, masks.met, from, to);
}

type Column = Uint16Array | Uint32Array;
/** A separate loop for each element width: a loop that sees both is slower for both. */
const orTable = (
  fails: Uint8Array,
  column: Column,
  table: Uint8Array,
  from: number,
  to: number,
): void =>
  column instanceof Uint16Array
    ? orTable16(fails, column, table, from, to)
    : orTable32(fails, column, table, from, to);

function orTable16(
  fails: Uint8Array,
  column: Uint16Array,
  table: Uint8Array,
  from: number,
  to: number,
): void {
  let row = from;
  for (; row + 3 < to; row += 4) {
    fails[row] = (fails[row] ?? 0) | (table[column[row] ?? 0] ?? 0);
    fails[row + 1] = (fails[row + 1] ?? 0) | (table[column[row + 1] ?? 0] ?? 0);
    fails[row + 2] = (fails[row + 2] ?? 0) | (table[column[row + 2] ?? 0] ?? 0);
    fails[row + 3] = (fails[row + 3] ?? 0) | (table[column[row + 3] ?? 0] ?? 0);
  }
  for (; row < to; row++) fails[row] = (fails[row] ?? 0) | (table[column[row] ?? 0] ?? 0);
}

function orTable32(
  fails: Uint8Array,
  column: Uint32Array,
  table: Uint8Array,
  from: number,
  to: number,
): void {
  let row = from;
  for (; row + 3 < to; row += 4) {
    fails[row] = (fails[row] ?? 0) | (table[column[row] ?? 0] ?? 0);
    fails[row + 1] = (fails[row + 1] ?? 0) | (table[column[row + 1] ?? 0] ?? 0);
    fails[row + 2] = (fails[row + 2] ?? 0) | (table[column[row + 2] ?? 0] ?? 0);
    fails[row + 3] = (fails[row + 3] ?? 0) | (table[column[row + 3] ?? 0] ?? 0);
  }
  for (; row < to; row++) fails[row] = (fails[row] ?? 0) | (table[column[row] ?? 0] ?? 0);
}

function setText(
  fails: Uint8Array,
  job: Uint32Array,
  company: Uint16Array,
  byJob: Uint8Array,
  byCompany: Uint8Array,
  from: number,
  to: number,
): void {
  let row = from;
  for (; row + 3 < to; row += 4) {
    fails[row] = (byJob[job[row] ?? 0] ?? 0) & (byCompany[company[row] ?? 0] ?? 0);
    fails[row + 1] = (byJob[job[row + 1] ?? 0] ?? 0) & (byCompany[company[row + 1] ?? 0] ?? 0);
    fails[row + 2] = (byJob[job[row + 2] ?? 0] ?? 0) & (byCompany[company[row + 2] ?? 0] ?? 0);
    fails[row + 3] = (byJob[job[row + 3] ?? 0] ?? 0) & (byCompany[company[row + 3] ?? 0] ?? 0);
  }
  for (; row < to; row++)
    fails[row] = (byJob[job[row] ?? 0] ?? 0) & (byCompany[company[row] ?? 0] ?? 0);
}

function orMet(
  fails: Uint8Array,
  job: Uint32Array,
  met: Uint8Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const one = job[row] ?? 0;
    fails[row] = (fails[row] ?? 0) | (met[one] ?? 0);
    met[one] = OUT;
  }
}

/** Counts by value of a column, over the rows at positions [first, last). */
export function countListed(
  column: Uint16Array,
  places: Uint32Array,
  first: number,
  last: number,
  base: number,
  counts: Uint32Array,
): void {
  for (let i = first; i < last; i++) {
    const value = column[(places[i] ?? 0) - base] ?? 0;
    counts[value] = (counts[value] ?? 0) + 1;
  }
}

/**
 * Counts rows that fail only one dimension, by kind: a stretch of 2^16 for each dimension, the last
 * for all other rows.
 */
export function countKindsAlone(
  kind: Uint16Array,
  fails: Uint8Array,
  from: number,
  to: number,
  counts: Uint32Array,
): void {
  for (let row = from; row < to; row++) {
    const fail = fails[row] ?? 0;
    if (fail === 0) continue; // counted with the list
    const at = ((ALONE[fail] ?? 0) << 16) | (kind[row] ?? 0);
    counts[at] = (counts[at] ?? 0) + 1;
  }
}
export const KIND_STRETCHES = 6;
const ALONE = new Uint8Array(0x100).fill(KIND_STRETCHES - 1);
ALONE[0] = 0;
ALONE[DIM.states] = 1;
ALONE[DIM.sources] = 2;
ALONE[DIM.types] = 3;
ALONE[DIM.managed] = 4;
/** The stretch of rows that fail this; rows that fail nothing are at 0. */
export const aloneAt = (fails: number): number => (ALONE[fails] ?? 0) << 16;

/** Company 0 is none: rows that don't fail only the company are counted there. */
export function countCompaniesAlone(
  company: Uint16Array,
  fails: Uint8Array,
  from: number,
  to: number,
  counts: Uint32Array,
): void {
  for (let row = from; row < to; row++) {
    const at = fails[row] === DIM.companies ? (company[row] ?? 0) : 0;
    counts[at] = (counts[at] ?? 0) + 1;
  }
}

export interface ProblemCounts {
  /** By review byte, by cause: rows that fail nothing. Rows without a problem are in neither. */
  readonly review: Uint32Array;
  readonly cause: Uint32Array;
  /** By review byte, by kind of problem, by cause: rows that fail only that. */
  readonly reviewAlone: Uint32Array;
  readonly kindAlone: Uint32Array;
  readonly causeAlone: Uint32Array;
}
/** `least`: the first two have no entries before it. */
export interface ProblemTables {
  readonly review: Uint8Array;
  readonly cause: Uint32Array;
  readonly kinds: Uint8Array;
  readonly min: number;
}

export function countProblems(
  problem: Uint32Array,
  places: Uint32Array,
  first: number,
  last: number,
  base: number,
  tables: ProblemTables,
  counts: ProblemCounts,
): void {
  for (let i = first; i < last; i++) {
    const one = problem[(places[i] ?? 0) - base] ?? 0;
    if (one !== 0) countProblem(one, 1, tables, counts);
  }
}

/**
 * The same over the rows with a problem, of a whole segment: row and problem are stored side by
 * side, so the column is not read.
 */
export function countProblemRows(
  rows: Uint32Array,
  ones: Uint32Array,
  fails: Uint8Array,
  { review, cause }: ProblemTables,
  counts: ProblemCounts,
): void {
  const { review: byReview, cause: byCause } = counts;
  for (let i = 0; i < rows.length; i++) {
    const one = ones[i] ?? 0;
    const r = review[one] ?? 0;
    const c = cause[one] ?? 0;
    const more = ((fails[rows[i] ?? 0] ?? 0) - 1) >>> 31; // 1 for a row that fails nothing
    byReview[r] = (byReview[r] ?? 0) + more;
    byCause[c] = (byCause[c] ?? 0) + more;
  }
}

/** Counts rows of one problem that fail nothing. */
export function countProblem(
  one: number,
  times: number,
  { review, cause }: ProblemTables,
  { review: byReview, cause: byCause }: ProblemCounts,
): void {
  const r = review[one] ?? 0;
  const c = cause[one] ?? 0;
  byReview[r] = (byReview[r] ?? 0) + times;
  byCause[c] = (byCause[c] ?? 0) + times;
}

export function countProblemsAlone(
  problem: Uint32Array,
  fails: Uint8Array,
  from: number,
  to: number,
  tables: ProblemTables,
  counts: ProblemCounts,
): void {
  for (let row = from; row < to; row++) {
    const fail = fails[row] ?? 0;
    if (fail >= DIM.review && (fail & (fail - 1)) === 0)
      countProblemAlone(problem[row] ?? 0, fail, 1, tables, counts);
  }
}

/** Counts rows of one problem (0: of none) that fail exactly one dimension of problems. */
export function countProblemAlone(
  one: number,
  fail: number,
  times: number,
  { review, cause, kinds }: ProblemTables,
  counts: ProblemCounts,
): void {
  const { reviewAlone, kindAlone, causeAlone } = counts;
  if (fail === DIM.review) {
    const r = review[one] ?? 0;
    reviewAlone[r] = (reviewAlone[r] ?? 0) + times;
    return;
  }
  const c = cause[one] ?? 0;
  if (fail === DIM.causes) causeAlone[c] = (causeAlone[c] ?? 0) + times;
  if (fail === DIM.kinds) {
    const k = kinds[c] ?? 0;
    kindAlone[k] = (kindAlone[k] ?? 0) + times;
  }
}
