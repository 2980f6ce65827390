import type { RunsWindow } from '#contract/runs/query.ts';

/** Windows start and end at multiples of this, so that short scrolling needs no new query. */
const BLOCK = 24;

/** Returns the window that contains `start` to `end` and one block on either side. */
export function getWindow(start: number, end: number, total: number): RunsWindow {
  const first = Math.max(0, Math.floor(start / BLOCK) * BLOCK - BLOCK);
  const last = Math.ceil((Math.max(end, start) + 1) / BLOCK) * BLOCK + BLOCK;
  return {
    first,
    count: Math.min(last, Math.max(2 * BLOCK, Math.ceil(total / BLOCK) * BLOCK)) - first,
  };
}

/** Returns whether two windows overlap: then moving between them is scrolling, not a jump. */
export const near = (a: RunsWindow, b: RunsWindow): boolean =>
  a.first <= b.first + b.count && b.first <= a.first + a.count;
