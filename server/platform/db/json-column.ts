import type { ColumnType } from 'kysely';

export type Json<T> = ColumnType<T, string, string>;
/** Defaults to `{}`. */
export type Filled<T> = ColumnType<T, string | undefined, string>;
