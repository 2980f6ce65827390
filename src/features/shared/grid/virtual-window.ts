import type { Range } from '@tanstack/react-virtual';

/** A range of rows or days. */
export interface IndexRange {
  readonly first: number;
  readonly count: number;
}

/** Ranges start and end at multiples of this, so that short scrolling needs no render or query. */
const BLOCK = 8;

/** Returns the indexes that are rendered: those in sight, and a block on either side. */
export function getBlocks({
  startIndex,
  endIndex,
  count,
}: Pick<Range, 'startIndex' | 'endIndex' | 'count'>): number[] {
  const first = Math.max(0, Math.floor(startIndex / BLOCK) - 1) * BLOCK;
  const end = Math.min(count, (Math.floor(endIndex / BLOCK) + 2) * BLOCK);
  return Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
}

/** Returns rendered indexes with one that must stay rendered: that of the active row or day. */
export function addPinned(
  drawn: readonly number[],
  pinned: number | null,
  count: number,
): number[] {
  const [first = 0] = drawn;
  const last = drawn.at(-1) ?? -1;
  if (pinned === null || pinned < 0 || pinned >= count) return [...drawn];
  if (pinned < first) return [pinned, ...drawn];
  return pinned > last ? [...drawn, pinned] : [...drawn];
}

/** Returns the indexes that a virtual list renders: the range with its overscan, and the active row. */
export function withPinned(
  range: Pick<Range, 'startIndex' | 'endIndex' | 'overscan' | 'count'>,
  pinned: number | null,
): number[] {
  const first = Math.max(0, range.startIndex - range.overscan);
  const last = Math.min(range.count - 1, range.endIndex + range.overscan);
  const drawn = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  return addPinned(drawn, pinned, range.count);
}

/** Returns the rendered index that does not adjoin the others, or -1. */
export function getGap(drawn: readonly number[]): number {
  const [first = -1, second = first + 1] = drawn;
  const last = drawn.at(-1) ?? -1;
  if (second - first > 1) return first;
  return last - (drawn.at(-2) ?? last) > 1 ? last : -1;
}

/** Returns the range of the rendered indexes, without the one that does not adjoin. */
export function getStretch(drawn: readonly number[]): IndexRange {
  const gap = getGap(drawn);
  const flow = drawn.filter((index) => index !== gap);
  return { first: flow[0] ?? 0, count: flow.length };
}

/** Returns the rendered indexes, each with how many before it are not rendered. */
export const withSkipped = (
  drawn: readonly number[],
): readonly { readonly index: number; readonly skipped: number }[] =>
  drawn.map((index, i) => ({ index, skipped: index - (drawn[i - 1] ?? -1) - 1 }));

/**
 * Returns the column width: columns share the available space with 26 to 40 px each, 44 on touch.
 */
export const columnWidth = (room: number, days: number, touch: boolean): number =>
  touch ? 44 : Math.max(26, Math.min(40, Math.floor(room / Math.max(1, days))));
