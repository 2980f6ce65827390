import { expect, test } from 'vitest';
import type { EventType } from '#contract/events.ts';
import { FOLDS } from '#contract/fold.ts';
import { REPLICATED_TABLES, TABLE_OF, TABLES } from '#contract/tables.ts';
import type { TableName } from '#contract/tables.ts';

/** Everything that a device holds as rows, in the words of the specification of the sync. */
const ON_DEVICES: readonly string[] = [
  'backupJob',
  'backupProxy',
  'backupRepository',
  'cause',
  'company',
  'job',
  'key',
  'organization',
  'pin',
  'preference',
  'problem',
  'restoreSession',
  'shift',
  'view',
];

test('HOUSE-7, SYNC-6: devices get rows of exactly the tables on this list', () => {
  expect(REPLICATED_TABLES.toSorted()).toEqual(ON_DEVICES);
});

test('HOUSE-7: an entry without a schema of its rows or without a fold does not compile', () => {
  const { view, ...others } = FOLDS;
  // @ts-expect-error -- a table without schema and fold
  const missing: typeof FOLDS = others;
  const { row, ...unchecked } = view;
  // @ts-expect-error -- no schema
  const noSchema: typeof view = unchecked;
  // @ts-expect-error -- the schema of another table's rows
  const otherRow: typeof view = { ...view, row: FOLDS.preference.row };
  // @ts-expect-error -- a fold that doesn't take the events about this table
  const otherFold: typeof view = { ...view, fold: FOLDS.preference.fold };
  expect(missing).not.toHaveProperty('view');
  expect([noSchema, otherRow, otherFold].map((one) => one.row === row)).toEqual([
    false,
    false,
    true,
  ]);
});

test('HOUSE-7: an event that no entry lists does not compile', () => {
  const { 'view.saved@1': _, ...others } = TABLE_OF;
  // @ts-expect-error -- an event about no table
  const missing: Readonly<Record<EventType, TableName>> = others;
  expect(Object.keys(missing)).toHaveLength(Object.keys(TABLE_OF).length - 1);
});

test('HOUSE-7, T1: users look up their own rows by a column of the server', () => {
  const own = REPLICATED_TABLES.filter((table) => TABLES[table].scope.rows === 'self');
  expect(own.filter((table) => !('user_id' in TABLES[table].lookups))).toEqual([]);
});
