import type { ColumnType } from 'kysely';

export type JsonColumn<T> = ColumnType<T, string, string>;
/** Defaults to `{}`. */
export type Filled<T> = ColumnType<T, string | undefined, string>;

/** Any value, or null. */
export type JsonOrNull = ColumnType<unknown, string | null, string | null>;
