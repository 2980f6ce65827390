import { REPLICATED_TABLES, TABLES } from '#contract/tables.ts';
import type { FoldedTable, SmallTable } from './types.ts';

/** Tables whose rows a device folds from events. */
export const FOLDED_TABLES: readonly FoldedTable[] = REPLICATED_TABLES;
/** Every table that a device stores as rows. */
export const SMALL_TABLES: readonly SmallTable[] = [...FOLDED_TABLES, 'lastSync'];

/** Tables whose rows had other names in a former version. */
const FORMS: Readonly<Partial<Record<SmallTable, number>>> = { job: 2, problem: 2 };
/** The tables and the form of their rows, as a load lists them: a load with others is replaced. */
export const TABLE_FORMS: readonly string[] = SMALL_TABLES.map((table) =>
  FORMS[table] === undefined ? table : `${table}@${FORMS[table]}`,
);

/** Their rows have text keys instead of numbers. */
export const isNamed = (table: SmallTable): boolean =>
  table === 'lastSync' || TABLES[table].key === 'id';

/** A row of any of these tables, as far as its key. */
export interface SmallRow {
  readonly n?: number;
  readonly id?: string;
}
export const getId = (table: SmallTable, row: SmallRow): number | string =>
  isNamed(table) ? (row.id ?? '') : (row.n ?? 0);
