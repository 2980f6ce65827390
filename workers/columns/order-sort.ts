import { UNKNOWN } from './order-names.ts';

/**
 * Returns the order of the keys, least first, stable: a counting sort by digits from the lowest, at
 * most 11 bits per digit (with more buckets, writing is slower than another pass). `before`: the
 * previous order; null: the keys' own. Skips a digit that all keys share.
 */
export function sorted(keys: Uint32Array, max: number, before: Uint32Array | null): Uint32Array {
  const bits = Math.max(1, 32 - Math.clz32(max));
  const digits = Math.ceil(bits / DIGIT_BITS);
  const width = Math.ceil(bits / digits);
  let from = before;
  let spare: Uint32Array | null = null;
  for (let shift = 0; shift < bits; shift += width) {
    const next = countBuckets(keys, shift, width);
    if (next === null) continue;
    const to: Uint32Array = spare ?? new Uint32Array(keys.length);
    spare = from === before ? null : from;
    if (from) place(keys, from, to, next, shift);
    else placeAll(keys, to, next, shift);
    from = to;
  }
  if (from) return from;
  const same = new Uint32Array(keys.length);
  for (let i = 0; i < same.length; i++) same[i] = i;
  return same;
}
const DIGIT_BITS = 11;

/** Returns where the keys of each digit begin; null if all are the same. */
function countBuckets(keys: Uint32Array, shift: number, width: number): Uint32Array | null {
  const starts = new Uint32Array((1 << width) + 1);
  const mask = (1 << width) - 1;
  for (let i = 0; i < keys.length; i++) {
    const at = (((keys[i] ?? 0) >>> shift) & mask) + 1;
    starts[at] = (starts[at] ?? 0) + 1;
  }
  for (let digit = 1; digit < starts.length; digit++) {
    const count = starts[digit] ?? 0;
    if (count === keys.length) return null;
    starts[digit] = count + (starts[digit - 1] ?? 0);
  }
  return starts;
}

function placeAll(keys: Uint32Array, to: Uint32Array, next: Uint32Array, shift: number): void {
  const mask = next.length - 2;
  for (let i = 0; i < keys.length; i++) {
    const digit = ((keys[i] ?? 0) >>> shift) & mask;
    const at = next[digit] ?? 0;
    to[at] = i;
    next[digit] = at + 1;
  }
}

function place(
  keys: Uint32Array,
  from: Uint32Array,
  to: Uint32Array,
  next: Uint32Array,
  shift: number,
): void {
  const mask = next.length - 2;
  for (let i = 0; i < from.length; i++) {
    const one = from[i] ?? 0;
    const digit = ((keys[one] ?? 0) >>> shift) & mask;
    const at = next[digit] ?? 0;
    to[at] = one;
    next[digit] = at + 1;
  }
}

/**
 * Reverses keys if `reverse`, and puts UNKNOWN after all others either way. Returns the greatest
 * key.
 */
export function settle(keys: Uint32Array, reverse: boolean): number {
  let max = 0;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? 0;
    if (key !== UNKNOWN && key > max) max = key;
  }
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? 0;
    keys[i] = key === UNKNOWN ? max + 1 : reverse ? max - key : key;
  }
  return max + 1;
}
