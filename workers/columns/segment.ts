import type { LeanRun, RunColumns } from '#contract/runs/columns.ts';
import { messageAt, newestFirst, runAt } from '#contract/runs/columns.ts';

/**
 * A segment of the store: runs as columns, newest first (start descending, then number descending,
 * strictly). The keys `start` and `n` never change in a segment. A segment that gains rows is
 * replaced, so readers of an old one may still use its keys.
 */
export interface Segment {
  readonly rows: number;
  readonly cols: RunColumns;
  /** Messages that changed after the columns were made, by row. */
  readonly changedMessages: Map<number, string | null>;
  /** Incremented with every run that changes in place. */
  edits: number;
  readonly minN: number;
  readonly maxN: number;
}

export type RunKey = Pick<LeanRun, 'startSec' | 'n'>;

/** Takes over the columns without a copy: they must be sorted and belong to the store. */
export function getSegment(cols: RunColumns): Segment {
  let numbers: { readonly min: number; readonly max: number } | null = null;
  return {
    rows: cols.rows,
    cols,
    changedMessages: new Map(),
    edits: 0,
    get minN() {
      return (numbers ??= getSpan(cols.n)).min;
    },
    get maxN() {
      return (numbers ??= getSpan(cols.n)).max;
    },
  };
}

function getSpan(ns: Uint32Array): { readonly min: number; readonly max: number } {
  let min = Infinity;
  let max = 0;
  for (let row = 0; row < ns.length; row++) {
    // an iterator is slow until the browser has compiled it
    const n = ns[row] ?? 0;
    if (n < min) min = n;
    if (n > max) max = n;
  }
  return { min, max };
}

/** Returns a copy, so that a change in place doesn't affect a pending write to the disk. */
export const copyColumns = (c: RunColumns): RunColumns => ({
  rows: c.rows,
  n: c.n.slice(),
  job: c.job.slice(),
  problem: c.problem.slice(),
  start: c.start.slice(),
  elapsed: c.elapsed.slice(),
  bytesLow: c.bytesLow.slice(),
  bytesHigh: c.bytesHigh.slice(),
  company: c.company.slice(),
  kind: c.kind.slice(),
  textRow: c.textRow.slice(),
  textEnd: c.textEnd.slice(),
  text: c.text.slice(),
});

/** Whether rows are newest first without duplicates. */
export function isSorted({ rows, start, n }: RunColumns): boolean {
  for (let row = 1; row < rows; row++) {
    const before = start[row - 1] ?? 0;
    const here = start[row] ?? 0;
    if (before < here || (before === here && (n[row - 1] ?? 0) <= (n[row] ?? 0))) return false;
  }
  return true;
}

export const keyAt = ({ cols }: Segment, row: number): RunKey => ({
  startSec: cols.start[row] ?? 0,
  n: cols.n[row] ?? 0,
});
export const firstKey = (segment: Segment): RunKey => keyAt(segment, 0);
export const lastKey = (segment: Segment): RunKey => keyAt(segment, segment.rows - 1);

/** Returns the row of a run, or -1. */
export function getRow(segment: Segment, key: RunKey): number {
  let low = 0;
  let high = segment.rows - 1;
  while (low <= high) {
    const mid = (low + high) >> 1;
    const order = newestFirst(keyAt(segment, mid), key);
    if (order === 0) return mid;
    if (order < 0) low = mid + 1;
    else high = mid - 1;
  }
  return -1;
}

/** Returns the first row that started before `sec`, or the number of rows if none did. */
export function firstBefore({ cols: { start }, rows }: Segment, sec: number): number {
  let low = 0;
  let high = rows;
  while (low < high) {
    const mid = (low + high) >> 1;
    if ((start[mid] ?? 0) >= sec) low = mid + 1;
    else high = mid;
  }
  return low;
}

export const leanAt = (segment: Segment, row: number): LeanRun => {
  const corrected = segment.changedMessages.get(row);
  return corrected === undefined
    ? runAt(segment.cols, row)
    : { ...runAt(segment.cols, row), message: corrected };
};

export const getMessage = (segment: Segment, row: number): string | null => {
  const corrected = segment.changedMessages.get(row);
  return corrected === undefined ? messageAt(segment.cols, row) : corrected;
};
