import { MOST_ROWS } from './gather.ts';
import type { Index, Tally } from './sums.ts';

/**
 * Rows as places in the list of all pieces: `base + row`, written behind the `already` that stand
 * there. Each answers how many stand there now. `places` has room for one more than it may hold.
 */

/**
 * Rows [from, to) that fail nothing. `few`: four that all fail are passed over at once, which pays
 * only where nearly all do. `fails` begins where its buffer does.
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

/**
 * Of a whole piece, where its column of kinds or companies decides alone: all rows are looked at.
 */
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
 * The same where few rows are meant: only these are looked at. They stand by value, and are brought
 * in order through a bit for each row.
 */
export function listedByIndex(
  { values }: Tally,
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
const bits = new Int32Array(MOST_ROWS >>> 5);

/**
 * Of rows [from, to), where the problem decides alone; those of `withProblem`, all among them, have
 * one.
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
