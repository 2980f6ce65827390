import { LIMITS } from '#contract/limits.ts';
import {
  encodeColumns,
  newestFirst,
  runAt,
  viewColumns,
  type LeanRun,
  type RunColumns,
} from '#contract/runs/columns.ts';
import type { SegmentInfo } from '../types.ts';

/** A segment ready to be sealed. */
export interface SegmentPage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
  readonly fromSec: number;
  readonly toSec: number;
}

export const getInfo = (id: number, { rows, fromSec, toSec }: SegmentPage): SegmentInfo => ({
  id,
  rows,
  fromSec,
  toSec,
});

/**
 * Returns pages of at most 16,384 rows. A page from the server is stored as received; one that is
 * out of order is rebuilt.
 */
export function pagesFrom(columns: readonly RunColumns[]): SegmentPage[] {
  return columns.flatMap((one) => {
    if (one.rows === 0) return [];
    const bytes = wholeBuffer(one);
    return bytes !== null && one.rows <= LIMITS.pageRows && inOrder(one)
      ? [getPage(bytes, one)]
      : getPages(unpackRuns(one));
  });
}

/** Returns the runs, in any order, as pages. */
export function getPages(runs: readonly LeanRun[]): SegmentPage[] {
  const sorted = runs.toSorted(newestFirst);
  const pages: SegmentPage[] = [];
  for (let at = 0; at < sorted.length; at += LIMITS.pageRows) {
    const bytes = encodeColumns(sorted.slice(at, at + LIMITS.pageRows));
    pages.push(getPage(bytes, viewColumns(bytes.buffer)));
  }
  return pages;
}

export const unpackRuns = (columns: RunColumns): LeanRun[] =>
  Array.from({ length: columns.rows }, (_, row) => runAt(columns, row));

/** Returns its row, or -1. */
export function findRun(columns: RunColumns, run: Pick<LeanRun, 'n' | 'startSec'>): number {
  let low = 0;
  let high = columns.rows - 1;
  while (low <= high) {
    const mid = (low + high) >> 1;
    const side = newestFirst({ n: columns.n[mid] ?? 0, startSec: columns.start[mid] ?? 0 }, run);
    if (side === 0) return mid;
    if (side < 0) low = mid + 1;
    else high = mid - 1;
  }
  return -1;
}

const getPage = (bytes: Uint8Array<ArrayBuffer>, columns: RunColumns): SegmentPage => ({
  bytes,
  rows: columns.rows,
  fromSec: columns.start[columns.rows - 1] ?? 0,
  toSec: columns.start[0] ?? 0,
});

function wholeBuffer(columns: RunColumns): Uint8Array<ArrayBuffer> | null {
  const { buffer } = columns.n;
  if (!(buffer instanceof ArrayBuffer)) return null;
  try {
    const again = viewColumns(buffer);
    return again.rows === columns.rows && again.n.byteOffset === columns.n.byteOffset
      ? new Uint8Array(buffer)
      : null;
  } catch {
    return null;
  }
}

function inOrder({ rows, start, n }: RunColumns): boolean {
  for (let row = 1; row < rows; row++) {
    const before = start[row - 1] ?? 0;
    const here = start[row] ?? 0;
    if (before < here || (before === here && (n[row - 1] ?? 0) <= (n[row] ?? 0))) return false;
  }
  return true;
}
