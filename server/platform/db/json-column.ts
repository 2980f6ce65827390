import type { ColumnType } from 'kysely';

export type Json<T> = ColumnType<T, string, string>;
/** `{}` where nothing is given. */
export type Filled<T> = ColumnType<T, string | undefined, string>;
