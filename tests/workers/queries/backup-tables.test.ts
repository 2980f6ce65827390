import { expect, test } from 'vitest';
import { getBackupRows } from '#workers/queries/backup-tables.ts';
import { organization } from '#tests/src/backup/rows.ts';

const place = (rows: readonly object[]) =>
  ({ replica: { engine: { all: () => rows } } }) as unknown as Parameters<typeof getBackupRows>[0];

test('SUITE-10: a device lists organizations by name, without deleted ones; without a user it has none', () => {
  const rows = [
    organization({ id: '3', name: 'Zinc' }),
    organization({ id: '2', name: 'Amber', removedAt: 5 }),
    organization({ id: '1', name: 'copper' }),
  ];
  expect(getBackupRows(place(rows), 'organization')?.map(({ name }) => name)).toEqual([
    'copper',
    'Zinc',
  ]);
  expect(getBackupRows(null, 'organization')).toBeNull();
});
