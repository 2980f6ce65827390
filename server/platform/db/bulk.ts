/** A column of a bulk statement. `json` values are passed as JSON text. */
export interface Given {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'int' | 'json';
}

/**
 * Returns SQL for many records as one table, with one parameter per column, starting at parameter
 * `from`. JSON is not put into array literals, where its quotes would need escaping: the texts are
 * joined by a character that JSON text can't contain.
 */
export const unnestParams = (columns: readonly Given[], from: number): string =>
  `unnest(${columns.map(({ type }, index) => (type === 'json' ? `string_to_array($${from + index}::text, e'\\x1e')` : `$${from + index}::text::${type}[]`)).join(', ')}) as x(${columns.map((one) => one.name).join(', ')})`;

/**
 * Returns the same as the table `x` beside the head row of the tenant, which is `$1`, as `h`. A statement
 * that inserts takes its `tenant_id` from there: so Citus sees that all its rows belong on one node.
 */
export const unnestOwned = (columns: readonly Given[], from: number): string =>
  `(select tenant_id from head where tenant_id = $1::uuid) as h, ${unnestParams(columns, from)}`;

/** Returns the select list for the columns of `unnestParams`. */
export const selected = (columns: readonly Given[]): string =>
  columns.map(({ name, type }) => (type === 'json' ? `x.${name}::json` : `x.${name}`)).join(', ');

/** Returns the parameters for `unnestParams`. */
export const parameters = (
  columns: readonly Given[],
  records: readonly Readonly<Record<string, unknown>>[],
): string[] =>
  columns.map(({ name, type }) =>
    type === 'json'
      ? records.map((record) => record[name]).join('\x1e')
      : `{${records.map((record) => element(record[name])).join(',')}}`,
  );

/** Formats an element of an array literal: a number, a string or null. */
function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number') return String(value);
  const text = value as string;
  return PLAIN.test(text) ? `"${text}"` : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

const PLAIN = /^[^"\\]*$/;
