import * as v from 'valibot';
import { expect, test } from 'vitest';
import { FOLDS } from '#contract/fold.ts';
import type { Bootstrap } from '#contract/sync/calls.ts';
import type { TableName } from '#contract/tables.ts';
import { aSuite, makeAll } from '../backup/fixtures.ts';
import { seed } from './scope-fixtures.ts';

/** The field of the bootstrap with each table's rows. */
const FIELDS = {
  company: 'companies',
  key: 'keys',
  job: 'jobs',
  cause: 'causes',
  problem: 'problems',
  view: 'views',
  shift: 'shifts',
  preference: 'preferences',
  pin: 'pins',
  organization: 'organizations',
  backupRepository: 'backupRepositories',
  backupProxy: 'backupProxies',
  backupJob: 'backupJobs',
} as const satisfies Partial<Record<TableName, keyof Bootstrap>>;

test('HOUSE-7: the rows that the server sends and stores have the fields of their schemas', async () => {
  const { ground: fixture, office } = await aSuite();
  await seed(office, fixture);
  await makeAll(await office.as('suite', ['o365_admin']), 1, 'Calloway');
  const both = await office.as('both', ['operator', 'admin', 'o365_admin']);
  const start = (await both<Bootstrap>('GET', 'sync/bootstrap')).body.data;
  await both('PUT', `profile/${start.me.id}/preferences/theme`, { value: '{"mode":"dark"}' });
  await both('PUT', `profile/${start.me.id}/pinned-companies/1`, { pinned: true });
  const sent = (await both<Bootstrap>('GET', 'sync/bootstrap')).body.data;
  for (const [table, field] of Object.entries(FIELDS) as [keyof typeof FIELDS, keyof Bootstrap][]) {
    expect([table, (sent[field] as readonly object[]).map((row) => parsed(table, row))]).toEqual([
      table,
      sent[field],
    ]);
    expect(sent[field]).not.toEqual([]);
  }
  await fixture.context.store.tenant(office.tenant, async (tx) => {
    for (const table of ['user', 'stat', 'run'] as const) {
      const rows = await tx.all(table);
      expect(rows.map((row) => parsed(table, row))).toEqual(rows);
      expect(rows).not.toEqual([]);
    }
  });
});

/** A field that the schema doesn't name is missing here. */
const parsed = (table: TableName, row: object): object =>
  v.parse<v.GenericSchema<unknown, object>>(FOLDS[table].row, row);
