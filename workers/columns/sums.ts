import type { Segment } from './segment.ts';

/** How often each value of a column occurs in a piece, and the problems of its rows that have one. */
export interface Sums { readonly kinds: Tally; readonly companies: Tally; readonly problems: Uint32Array }
export interface Tally { readonly values: Uint32Array; readonly counts: Uint32Array }

/** Made when first asked for; `forgetSums` when rows of the piece change in place. */
export function sumsOf(piece: Segment): Sums {
  let known = sums.get(piece);
  if (!known) {
    const { kind, company, problem } = piece.cols;
    sums.set(piece, (known = { kinds: tally(kind), companies: tally(company), problems: problem.filter((one) => one !== 0) }));
  }
  return known;
}

export const forgetSums = (piece: Segment): boolean => sums.delete(piece);

const sums = new WeakMap<Segment, Sums>();
const table = new Uint32Array(0x1_0000);

function tally(column: Uint16Array): Tally {
  const values: number[] = [];
  for (const value of column) {
    const before = table[value] ?? 0;
    if (before === 0) values.push(value);
    table[value] = before + 1;
  }
  const counts = Uint32Array.from(values, (value) => table[value] ?? 0);
  for (const value of values) table[value] = 0;
  return { values: Uint32Array.from(values), counts };
}
