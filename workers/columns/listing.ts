import { MAX_ROWS } from './gather.ts';
import type { Index, ValueTally } from './sums.ts';

/**
 * Lists rows as positions over all segments, `base + row`, appended after the first `already`
 * entries. Each function returns the new number of entries. `places` needs room for one more than
 * it may hold.
 */

/**
 * Lists rows [from, to) that fail nothing. `few`: skips four rows at once if all of them fail,
 * which pays off only if nearly all do. `fails` begins at the start of its buffer.
 */
export function listed(
  fails: Uint8Array,
  from: number,
  to: number,
  few: boolean,
  base: number,
  places: Uint32Array,
  already: number,
): number {
  const fours = new Int32Array(fails.buffer, 0, fails.length >>> 2);
  let count = already;
  let row = from;
  for (; row < to && (row & 3) !== 0; row++) {
    places[count] = base + row;
    count += ((fails[row] ?? 0) - 1) >>> 31; // 1 for a row that fails nothing
  }
  for (; row + 3 < to; row += 4) {
    const four = fours[row >>> 2] ?? 0;
    // none of its bytes is 0
    if (few && (((four - 0x0101_0101) | 0) & ~four & 0x8080_8080) === 0) continue;
    places[count] = base + row;
    count += ((four & 0xff) - 1) >>> 31;
    places[count] = base + row + 1;
    count += (((four >>> 8) & 0xff) - 1) >>> 31;
    places[count] = base + row + 2;
    count += (((four >>> 16) & 0xff) - 1) >>> 31;
    places[count] = base + row + 3;
    count += ((four >>> 24) - 1) >>> 31;
  }
  for (; row < to; row++) {
    places[count] = base + row;
    count += ((fails[row] ?? 0) - 1) >>> 31;
  }
  return count;
}

export function listedAll(
  from: number,
  to: number,
  base: number,
  places: Uint32Array,
  already: number,
): number {
  for (let row = from, count = already; row < to; row++, count++) places[count] = base + row;
  return already + to - from;
}

/** For a whole segment where the column of kinds or companies decides alone: visits all rows. */
export function listedBy(
  column: Uint16Array,
  table: Uint8Array,
  base: number,
  places: Uint32Array,
  already: number,
): number {
  let count = already;
  let row = 0;
  for (; row + 3 < column.length; row += 4) {
    places[count] = base + row;
    count += ((table[column[row] ?? 0] ?? 0) - 1) >>> 31;
    places[count] = base + row + 1;
    count += ((table[column[row + 1] ?? 0] ?? 0) - 1) >>> 31;
    places[count] = base + row + 2;
    count += ((table[column[row + 2] ?? 0] ?? 0) - 1) >>> 31;
    places[count] = base + row + 3;
    count += ((table[column[row + 3] ?? 0] ?? 0) - 1) >>> 31;
  }
  for (; row < column.length; row++) {
    places[count] = base + row;
    count += ((table[column[row] ?? 0] ?? 0) - 1) >>> 31;
  }
  return count;
}

/**
 * The same when few rows match: visits only these. They are ordered by value, and a bit per row
 * brings them in row order.
 */
export function listedByIndex(
  { values }: ValueTally,
  { ends, rows }: Index,
  table: Uint8Array,
  base: number,
  places: Uint32Array,
  already: number,
): number {
  for (let i = 0, from = 0; i < values.length; i++) {
    const end = ends[i] ?? 0;
    if (table[values[i] ?? 0] === 0) {
      for (; from < end; from++) {
        const row = rows[from] ?? 0;
        bits[row >>> 5] = (bits[row >>> 5] ?? 0) | (1 << (row & 31));
      }
    }
    from = end;
  }
  let count = already;
  for (let word = 0; word << 5 < rows.length; word++) {
    let left = bits[word] ?? 0;
    bits[word] = 0;
    for (; left !== 0; count++) {
      const lowest = left & -left;
      places[count] = base + (word << 5) + 31 - Math.clz32(lowest);
      left ^= lowest;
    }
  }
  return count;
}
const bits = new Int32Array(MAX_ROWS >>> 5);

/**
 * For rows [from, to) where the problem decides alone; `withProblem` lists the rows among them that
 * have one.
 */
export function listedByProblem(
  problem: Uint32Array,
  withProblem: Uint32Array,
  from: number,
  to: number,
  table: Uint8Array,
  base: number,
  places: Uint32Array,
  already: number,
): number {
  let count = already;
  let next = from;
  const wantsNone = table[0] === 0;
  for (let i = 0; i < withProblem.length; i++) {
    const row = withProblem[i] ?? 0;
    const fits = table[problem[row] ?? 0] === 0;
    if (fits === wantsNone) continue;
    if (wantsNone) {
      count = listedAll(next, row, base, places, count);
      next = row + 1;
    } else places[count++] = base + row;
  }
  return wantsNone ? listedAll(next, to, base, places, count) : count;
}
