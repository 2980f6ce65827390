import { jsonOf } from '../events/validate-events.ts';

/** A column that is given in bulk. `json` values come as what they are and travel as text. */
export interface Given {
  readonly name: string;
  readonly type: 'text' | 'bigint' | 'int' | 'json';
}

/**
 * Many records as one table of a statement, a parameter a column, from parameter `from` on. JSON is
 * not put into array literals, whose quotes would have to be escaped: its texts are joined by a
 * character that no JSON text holds.
 */
export const given = (columns: readonly Given[], from: number): string =>
  `unnest(${columns.map(({ type }, index) => (type === 'json' ? `string_to_array($${from + index}::text, e'\\x1e')` : `$${from + index}::text::${type}[]`)).join(', ')}) as x(${columns.map((one) => one.name).join(', ')})`;

/** The columns of `given` as they are selected. */
export const selected = (columns: readonly Given[]): string =>
  columns.map(({ name, type }) => (type === 'json' ? `x.${name}::json` : `x.${name}`)).join(', ');

/** The parameters of `given`. */
export const parameters = (
  columns: readonly Given[],
  records: readonly Readonly<Record<string, unknown>>[],
): string[] =>
  columns.map(({ name, type }) =>
    type === 'json'
      ? records.map((record) => jsonOf(record[name])).join('\x1e')
      : `{${records.map((record) => element(record[name])).join(',')}}`,
  );

/** Of an array literal: a number, a string or null. */
function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number') return String(value);
  const text = value as string;
  return PLAIN.test(text) ? `"${text}"` : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

const PLAIN = /^[^"\\]*$/;
