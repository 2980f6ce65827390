import type { SmallRow } from '../tables.ts';

/**
 * A sealed chunk: its fields as columns, each in the shortest of these forms. It takes a third of
 * the bytes of plain rows, and reading a few rows builds only those.
 *
 *   { all }                the same simple value in every row
 *   { from }               whole numbers that count up by one
 *   { words, at }          few texts, or null: each once, and the index of the text in a row
 *   { base, unit, more }   large whole numbers, or null: base + unit · more
 *   { of, at }             objects with the same fields, or null: packed as rows, and the index of
 *                          the object in a row
 *   [ … ]                  a value per row
 */
export type Packed<R extends object = SmallRow> = Columns | readonly R[];
interface Columns {
  readonly fields: readonly string[];
  readonly count: number;
  readonly columns: readonly Column[];
}
type Column =
  | { readonly all: unknown }
  | { readonly from: number }
  | { readonly words: readonly (string | null)[]; readonly at: readonly number[] }
  | { readonly base: number; readonly unit: number; readonly more: readonly (number | null)[] }
  | { readonly of: Columns; readonly at: readonly (number | null)[] }
  | readonly unknown[];

/** Rows whose fields differ, or that contain `undefined`, stay as they are. */
export function pack<R extends object>(rows: readonly R[]): Packed<R> {
  const fields = Object.keys(rows[0] ?? {});
  const names = fields.join();
  const values = rows.map((row) => Object.values(row) as unknown[]);
  const alike = rows.every(
    (row, i) => Object.keys(row).join() === names && !values[i]?.includes(undefined),
  );
  return alike
    ? {
        fields,
        count: rows.length,
        columns: fields.map((_, at) => getColumn(values.map((row) => row[at]))),
      }
    : rows;
}

/** Returns all rows, or those whose number is in `wanted`. */
export function unpackRows(packed: Packed, wanted?: ReadonlySet<number>): readonly SmallRow[] {
  if (!('fields' in packed)) return wanted ? packed.filter(({ n }) => wanted.has(n ?? 0)) : packed;
  return rowsAt(
    packed,
    wanted
      ? listColumnIndexes(packed, wanted)
      : Array.from({ length: packed.count }, (_, row) => row),
  );
}

/**
 * Returns the indexes of the wanted numbers. Mostly the numbers count up, so there is no search.
 */
function listColumnIndexes(
  { fields, count, columns }: Columns,
  wanted: ReadonlySet<number>,
): number[] {
  const numbers = columns[fields.indexOf('n')] ?? [];
  if ('from' in numbers)
    return [...wanted]
      .map((n) => n - numbers.from)
      .filter((row) => row >= 0 && row < count)
      .sort((a, b) => a - b);
  const all = Array.from({ length: count }, (_, row) => row);
  const values = valuesAt(numbers, all);
  return all.filter((row) => wanted.has(Number(values[row])));
}

/** Column by column, so that a column's form is checked once. */
function rowsAt({ fields, columns }: Columns, places: readonly number[]): object[] {
  const rows = places.map((): Record<string, unknown> => ({}));
  fields.forEach((field, i) => {
    const values = valuesAt(columns[i] ?? [], places);
    rows.forEach((row, at) => {
      row[field] = values[at];
    });
  });
  return rows;
}

function valuesAt(column: Column, places: readonly number[]): readonly unknown[] {
  if (isPlain(column)) return places.map((row) => column[row]);
  if ('all' in column) return places.map(() => column.all);
  if ('from' in column) return places.map((row) => column.from + row);
  if ('words' in column) return places.map((row) => column.words[column.at[row] ?? 0]);
  if ('base' in column) return places.map((row) => getTimes(column, column.more[row] ?? null));
  const at = places.map((row) => column.at[row] ?? null);
  const inner = rowsAt(
    column.of,
    at.filter((row) => row !== null),
  );
  let next = 0;
  return at.map((row) => (row === null ? null : inner[next++]));
}

const isPlain = (column: Column): column is readonly unknown[] => Array.isArray(column);
const getTimes = (
  { base, unit }: { readonly base: number; readonly unit: number },
  more: number | null,
): number | null => (more === null ? null : base + unit * more);

const getColumn = (values: readonly unknown[]): Column =>
  packEqualColumn(values) ??
  packCountedColumn(values) ??
  getWords(values) ??
  packLargeColumn(values) ??
  getObjects(values) ??
  values;

function packEqualColumn(values: readonly unknown[]): Column | null {
  const [first] = values;
  return (typeof first !== 'object' || first === null) && values.every((one) => one === first)
    ? { all: first }
    : null;
}

function packCountedColumn(values: readonly unknown[]): Column | null {
  const [first] = values;
  return typeof first === 'number' &&
    Number.isSafeInteger(first) &&
    values.every((one, i) => one === first + i)
    ? { from: first }
    : null;
}

function getWords(values: readonly unknown[]): Column | null {
  const places = new Map<string | null, number>();
  const at: number[] = [];
  for (const one of values) {
    if ((typeof one !== 'string' && one !== null) || places.size > MAX_WORDS) return null;
    const place = places.get(one) ?? places.size;
    places.set(one, place);
    at.push(place);
  }
  return { words: [...places.keys()], at };
}
/** With more words, the index is as long as the word. */
const MAX_WORDS = 16;

/** Mainly for timestamps: their first digits are alike, and most are whole seconds. */
function packLargeColumn(values: readonly unknown[]): Column | null {
  let base = Infinity;
  for (const one of values) {
    if (one === null) continue;
    if (typeof one !== 'number' || !Number.isSafeInteger(one) || one < LARGE) return null;
    base = Math.min(base, one);
  }
  const unit = values.every((one) => one === null || (Number(one) - base) % 1000 === 0) ? 1000 : 1;
  return base === Infinity
    ? null
    : {
        base,
        unit,
        more: values.map((one) => (one === null ? null : (Number(one) - base) / unit)),
      };
}
const LARGE = 1e9;

function getObjects(values: readonly unknown[]): Column | null {
  const inner: object[] = [];
  const at: (number | null)[] = [];
  for (const one of values) {
    if (typeof one !== 'object' || Array.isArray(one)) return null;
    at.push(one === null ? null : inner.push(one) - 1);
  }
  const of = pack(inner);
  return 'fields' in of ? { of, at } : null;
}
