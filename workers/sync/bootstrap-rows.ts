import * as v from 'valibot';
import { makeFastValidator } from '#contract/fast-validate.ts';
import { FOLDS } from '#contract/fold.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import { TABLES } from '#contract/tables.ts';
import { FOLDED_TABLES } from '#workers/tables.ts';
import type { FoldedTable, SmallRows } from '#workers/types.ts';

/** The rows of a bootstrap that this version can read, and how many it can't, by table. */
export interface CheckedRows {
  readonly rows: SmallRows;
  readonly unreadable: readonly string[];
}

/**
 * Checks each row by its table's schema (SYNC-17). Rows stay as they came: a field that only a newer
 * server knows is stored too.
 */
export function checkRows(start: Bootstrap): CheckedRows {
  const rows: Partial<Record<FoldedTable, readonly unknown[]>> = {};
  const unreadable: string[] = [];
  for (const table of FOLDED_TABLES) {
    const received: readonly unknown[] = start[TABLES[table].replicatedAs];
    const isReadable = getReader(table);
    rows[table] = received.every(isReadable) ? received : received.filter(isReadable);
    const left = received.length - rows[table].length;
    if (left > 0) unreadable.push(`${table} (${left})`);
  }
  return { rows: rows as SmallRows, unreadable };
}

/** Valibot takes tens of microseconds per row, so it checks only rows that the fast check rejects. */
function getReader(table: FoldedTable): (row: unknown) => boolean {
  const schema: v.GenericSchema = FOLDS[table].row;
  const isValid = makeFastValidator(schema);
  return (row) => isValid(row) || v.is(schema, row);
}
