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

/**
 * Returns the column width: columns share the available space with 26 to 40 px each, 44 on touch.
 */
export const columnWidth = (room: number, days: number, touch: boolean): number =>
  touch ? 44 : Math.max(26, Math.min(40, Math.floor(room / Math.max(1, days))));
