/** Sizes of the grid in px. */
export interface Measures {
  readonly row: number;
  readonly col: number;
  readonly left: number;
}

/** A range of rows or days. */
export interface Stretch {
  readonly first: number;
  readonly count: number;
}

/** Ranges start and end at multiples of this, so that short scrolling needs no render or query. */
const BLOCK = 8;

/** Returns the range between two scroll positions, and a block on either side. */
export function getVisibleStretch(
  from: number,
  length: number,
  size: number,
  total: number,
): Stretch {
  const first = Math.max(0, Math.floor(from / size / BLOCK) - 1) * BLOCK;
  const end = Math.min(total, (Math.ceil((from + length) / size / BLOCK) + 1) * BLOCK);
  return { first: Math.min(first, Math.max(0, total - 1)), count: Math.max(0, end - first) };
}

/**
 * Returns the column width: columns share the available space with 26 to 40 px each, 44 on touch.
 */
export const columnWidth = (room: number, days: number, touch: boolean): number =>
  touch ? 44 : Math.max(26, Math.min(40, Math.floor(room / Math.max(1, days))));

/**
 * Returns the scroll position at which a range of `size` at `at` is fully visible below a sticky
 * head of `head` px. Returns `now` if it already is.
 */
export function scrolledTo(
  now: number,
  room: number,
  head: number,
  at: number,
  size: number,
): number {
  if (at < now) return at;
  return at + size > now + room - head ? at + size - room + head : now;
}
