import type { TenantId } from '#contract/ids.ts';
import type { TableName, TABLES, Tables } from '#contract/tables.ts';
import type { JsonColumn } from './json-column.ts';

/** The SQL names of tables whose own name is reserved. All others have their name in snake case. */
const SQL_NAMES = {
  user: 'app_user',
  key: 'source_key',
  rule: 'result_rule',
} as const;
type SqlName<T extends TableName> = T extends keyof typeof SQL_NAMES
  ? (typeof SQL_NAMES)[T]
  : SnakeCase<T>;
type SnakeCase<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

export const sqlName = (name: TableName): string =>
  (SQL_NAMES as Partial<Record<TableName, string>>)[name] ??
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The tables of the fold's rows: tenant, key, lookup columns, and the row as JSON. */
export type ProjectedTables = {
  [T in TableName as SqlName<T>]: {
    tenant_id: TenantId;
    row: JsonColumn<Tables[T]>;
  } & Key<Entry<T>['key']> &
    Lookups<Entry<T>['lookups']> &
    (T extends 'run' ? LastEvent : unknown);
};
type Entry<T extends TableName> = (typeof TABLES)[T];
type Key<K extends 'n' | 'id'> = K extends 'n' ? { n: number } : { id: string };
type Lookups<L> = {
  -readonly [C in keyof L]: L[C] extends { readonly of: (row: never) => infer V } ? V : never;
};
interface LastEvent {
  /** The last event that changed the run. The row doesn't contain it. */
  seq: number;
}
