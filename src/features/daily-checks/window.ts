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

/**
 * Returns the indexes that a virtual list renders: the range with its overscan, and a row that must
 * stay rendered (the focused one).
 */
export function withPinned(
  range: {
    readonly startIndex: number;
    readonly endIndex: number;
    readonly overscan: number;
    readonly count: number;
  },
  pinned: number | null,
): number[] {
  const first = Math.max(0, range.startIndex - range.overscan);
  const last = Math.min(range.count - 1, range.endIndex + range.overscan);
  const drawn = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  if (pinned === null || pinned < 0 || pinned >= range.count) return drawn;
  if (pinned < first) return [pinned, ...drawn];
  return pinned > last ? [...drawn, pinned] : drawn;
}

/** Returns the rendered index that does not adjoin the others, or -1. */
export function getGap(drawn: readonly number[]): number {
  const [first = -1, second = first + 1] = drawn;
  const last = drawn.at(-1) ?? -1;
  if (second - first > 1) return first;
  return last - (drawn.at(-2) ?? last) > 1 ? last : -1;
}
