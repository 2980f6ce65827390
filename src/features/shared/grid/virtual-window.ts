/** How the grid is measured, px. */
export interface Measures {
  readonly row: number;
  readonly col: number;
  readonly left: number;
}

/** A stretch of lines or days. */
export interface Stretch {
  readonly first: number;
  readonly count: number;
}

/**
 * Stretches begin and end at multiples of this, so that a little scrolling draws and asks for
 * nothing new.
 */
const BLOCK = 8;

/** What stands between two places of a scrolled part, and a block to either side. */
export function stretchOf(from: number, length: number, size: number, total: number): Stretch {
  const first = Math.max(0, Math.floor(from / size / BLOCK) - 1) * BLOCK;
  const end = Math.min(total, (Math.ceil((from + length) / size / BLOCK) + 1) * BLOCK);
  return { first: Math.min(first, Math.max(0, total - 1)), count: Math.max(0, end - first) };
}

/** Columns share the room that there is: 26 to 40 px wide, 44 under a finger. */
export const columnWidth = (room: number, days: number, touch: boolean): number =>
  touch ? 44 : Math.max(26, Math.min(40, Math.floor(room / Math.max(1, days))));

/**
 * Where to scroll so that a stretch of `size` at `at` is wholly in sight, `head` px of which stand
 * before it for good; `now` where it is.
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
