import type { RunsWindow } from '#contract/runs/query.ts';

/** Windows begin and end at multiples of this, so that a little scrolling asks for nothing. */
const BLOCK = 24;

/** What to ask for so that `start` to `end` can be seen, and a block to either side. */
export function windowOf(start: number, end: number, total: number): RunsWindow {
  const first = Math.max(0, Math.floor(start / BLOCK) * BLOCK - BLOCK);
  const last = Math.ceil((Math.max(end, start) + 1) / BLOCK) * BLOCK + BLOCK;
  return {
    first,
    count: Math.min(last, Math.max(2 * BLOCK, Math.ceil(total / BLOCK) * BLOCK)) - first,
  };
}

/** Two windows overlap: going from one to the other is scrolling, not a jump. */
export const near = (a: RunsWindow, b: RunsWindow): boolean =>
  a.first <= b.first + b.count && b.first <= a.first + a.count;

/**
 * What a virtual list draws: the range with its overscan, and one more row that must not go away
 * (the one with the focus).
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

/**
 * Of the rows that are drawn, the one that does not follow the others, wherever it is kept: -1 for
 * none.
 */
export function apartOf(drawn: readonly number[]): number {
  const [first = -1, second = first + 1] = drawn;
  const last = drawn.at(-1) ?? -1;
  if (second - first > 1) return first;
  return last - (drawn.at(-2) ?? last) > 1 ? last : -1;
}
