import type { Segment } from './segment.ts';

/**
 * The rows of a list before ordering: as positions over the segments, newest first. Those of
 * segment i end before `ends[i]`.
 */
export interface OrderedRows {
  readonly pieces: readonly Segment[];
  readonly bases: readonly number[];
  readonly ends: readonly number[];
  readonly places: Uint32Array;
  readonly count: number;
}

type Column32 = 'job' | 'problem' | 'elapsed' | 'bytesLow' | 'start';
type Column16 = 'company' | 'kind' | 'bytesHigh';

/**
 * Returns a column of the rows in order, or `table` of its values. A separate loop for each: see
 * scan.ts.
 */
export function getValues(
  { pieces, bases, ends, places, count }: OrderedRows,
  name: Column32 | Column16,
  table: Uint32Array | null = null,
): Uint32Array {
  const values = new Uint32Array(count);
  pieces.forEach(({ cols }, i) => {
    const column = cols[name];
    const base = bases[i] ?? 0;
    const first = ends[i - 1] ?? 0;
    const last = ends[i] ?? 0;
    if (column instanceof Uint16Array) {
      if (table) lookUp16(column, table, places, first, last, base, values);
      else values16(column, places, first, last, base, values);
    } else if (table) lookUp32(column, table, places, first, last, base, values);
    else values32(column, places, first, last, base, values);
  });
  return values;
}

function values16(
  column: Uint16Array,
  places: Uint32Array,
  first: number,
  last: number,
  base: number,
  values: Uint32Array,
): void {
  for (let i = first; i < last; i++) values[i] = column[(places[i] ?? 0) - base] ?? 0;
}

function values32(
  column: Uint32Array,
  places: Uint32Array,
  first: number,
  last: number,
  base: number,
  values: Uint32Array,
): void {
  for (let i = first; i < last; i++) values[i] = column[(places[i] ?? 0) - base] ?? 0;
}

function lookUp16(
  column: Uint16Array,
  table: Uint32Array,
  places: Uint32Array,
  first: number,
  last: number,
  base: number,
  values: Uint32Array,
): void {
  for (let i = first; i < last; i++) values[i] = table[column[(places[i] ?? 0) - base] ?? 0] ?? 0;
}

function lookUp32(
  column: Uint32Array,
  table: Uint32Array,
  places: Uint32Array,
  first: number,
  last: number,
  base: number,
  values: Uint32Array,
): void {
  for (let i = first; i < last; i++) values[i] = table[column[(places[i] ?? 0) - base] ?? 0] ?? 0;
}
