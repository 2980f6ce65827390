import type { SmallRow } from './books.ts';

/**
 * A chunk as it is sealed: its fields as columns, each in the shortest of four forms. A third of the bytes of plain rows; and of a chunk
 * that is read for a few rows, only those are made.
 *
 *   { all }         the same simple value in every row
 *   { from }        whole numbers that count up by one
 *   { words, at }   few texts, or none: each once, and which of them stands in a row
 *   [ … ]           a value a row
 */
export type Packed = { readonly fields: readonly string[]; readonly count: number; readonly columns: readonly Column[] } | readonly SmallRow[];
type Column = { readonly all: unknown } | { readonly from: number } | { readonly words: readonly (string | null)[]; readonly at: readonly number[] } | readonly unknown[];

/** Rows whose fields differ, or that hold an `undefined`, stay as they are. */
export function pack(rows: readonly SmallRow[]): Packed {
  const fields = Object.keys(rows[0] ?? {}), names = fields.join();
  const values = rows.map((row) => Object.values(row) as unknown[]);
  const alike = rows.every((row, i) => Object.keys(row).join() === names && !values[i]?.includes(undefined));
  return alike ? { fields, count: rows.length, columns: fields.map((_, at) => columnOf(values.map((row) => row[at]))) } : rows;
}

/** All rows, or those whose number is `wanted`. */
export function unpack(packed: Packed, wanted?: ReadonlySet<number>): readonly SmallRow[] {
  if (!('fields' in packed)) return wanted ? packed.filter(({ n }) => wanted.has(n ?? 0)) : packed;
  const { fields, count, columns } = packed;
  const numbers = columns[fields.indexOf('n')];
  const rows: SmallRow[] = [];
  for (let row = 0; row < count; row++) {
    if (wanted && !(numbers && wanted.has(Number(valueAt(numbers, row))))) continue;
    const one: Record<string, unknown> = {};
    for (let i = 0; i < fields.length; i++) one[fields[i] ?? ''] = valueAt(columns[i] ?? [], row);
    rows.push(one);
  }
  return rows;
}

function valueAt(column: Column, row: number): unknown {
  if (Array.isArray(column)) return column[row];
  if ('all' in column) return column.all;
  if ('from' in column) return column.from + row;
  return 'words' in column ? column.words[column.at[row] ?? 0] : undefined;
}

function columnOf(values: readonly unknown[]): Column {
  const [first] = values;
  if ((typeof first !== 'object' || first === null) && values.every((one) => Object.is(one, first))) return { all: first };
  if (typeof first === 'number' && Number.isSafeInteger(first) && values.every((one, i) => one === first + i)) return { from: first };
  const places = new Map<string | null, number>(), at: number[] = [];
  for (const one of values) {
    if ((typeof one !== 'string' && one !== null) || places.size > MOST_WORDS) return values;
    const place = places.get(one) ?? places.size;
    places.set(one, place);
    at.push(place);
  }
  return { words: [...places.keys()], at };
}
/** With more, naming the word is as long as the word. */
const MOST_WORDS = 16;
