import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Log } from '#server/platform/app-context.ts';
import { openStore, type OpenStore } from '#server/platform/db/open.ts';
import { logMigrations } from '#server/platform/db/migrate.ts';
import { MIGRATIONS } from '#server/platform/db/migrations/list.ts';
import { IS_OWN_ROW, UNOWNED } from '#server/platform/db/migrations/migration.ts';
import { migratedFolder, missing, plainUrl, QUIET } from './databases.ts';
import { aTenant } from './drafts.ts';

/** The steps of the first version that used the migrator. Databases have these names recorded. */
const STEPS =
  '0001 0002 0003 0004 0005 0006 0007 0008 0009 0010 0011 0012 0013 0014 0015 0016 0018 0019 0020 0021 0022 0023 0024 0025 0029 0034 0035 0036'.split(
    ' ',
  );

/** As the tables' owner. */
const asOwner = async (store: OpenStore, statements: readonly string[]): Promise<void> => {
  await store.system(async (db) => {
    await sql`reset role`.execute(db);
    for (const statement of statements) await sql.raw(statement).execute(db);
  });
};

const recorded = (store: OpenStore) =>
  store.system(
    async (db) =>
      (
        await sql<{
          name: string;
          timestamp: string;
        }>`select name, timestamp from migration order by name`.execute(db)
      ).rows,
  );

const listPolicies = (store: OpenStore) =>
  store.system(
    async (db) =>
      (
        await sql`select tablename::text, policyname::text, cmd, roles::text, qual, with_check from pg_policies order by 1, 2`.execute(
          db,
        )
      ).rows,
  );

/** What earlier versions recorded: names with the time in milliseconds. */
const EARLIER = [
  'drop table migration_lock',
  // The tables of later steps, the last ones first: they may refer to others.
  ...MIGRATIONS.filter(({ name }) => name >= '0035')
    .flatMap(({ statements }) => statements.flatMap((one) => /^create table (\w+)/.exec(one) ?? []))
    .filter((_, index) => index % 2 === 1)
    .toReversed()
    .map((table) => `drop table ${table}`),
  // What later steps add to earlier tables.
  ...['audit', 'event'].flatMap((table) => [
    `drop policy appended on ${table}`,
    `drop policy deletable on ${table}`,
    `drop policy tenant on ${table}`,
    `create policy tenant on ${table} for all using (${IS_OWN_ROW}) with check (${IS_OWN_ROW})`,
  ]),
  'alter table audit drop column organization',
  'drop index command_at',
  ...['outgoing', 'webhook', 'push_waiting', 'report_sent', 'ticket_work'].map(
    (table) => `alter table ${table} drop column held_by`,
  ),
  ...['sealed_seq', 'sealed_hash', 'checked_at', 'damaged_parts', 'cut_seq'].map(
    (column) => `alter table head drop column ${column}`,
  ),
  'alter table session drop column pair_used',
  `delete from migration where name >= '0035'`,
  'alter table migration drop column timestamp',
  'alter table migration add column at bigint not null default 1700000000123',
  'alter table migration alter column at drop default',
];

/** The files of the migrations, in their order. */
const files = readdirSync('server/platform/db/migrations')
  .filter((file) => /^\d{4}_/.test(file))
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted();

for (const kind of ['pglite', 'postgres'] as const)
  test.skipIf(kind === 'postgres' && missing !== '')(
    `STORE-14: a database of an earlier version keeps its recorded steps and data, and only the new steps run (${kind}${kind === 'postgres' ? missing : ''})`,
    async () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'daybook-migrate-'));
      if (kind === 'pglite') await migratedFolder(dataDir);
      const databaseUrl = kind === 'postgres' ? await plainUrl() : null;
      const entries: unknown[] = [];
      const log: Log = {
        ...QUIET.log,
        info: (what, fields) => void (what.startsWith('database ') && entries.push([what, fields])),
      };
      const open = (): Promise<OpenStore> =>
        openStore({ dataDir, databaseUrl, clock: QUIET.clock, log });

      const before = await open();
      const tenant = await aTenant(before);
      const policies = await listPolicies(before);
      await asOwner(before, EARLIER);
      expect(await listPolicies(before)).not.toEqual(policies);
      await before.close();
      entries.length = 0;

      const store = await open();
      try {
        const later = files.filter((file) => file >= '0035');
        expect(entries).toEqual([
          ['database migrated', { version: later.at(-1), migrations: later }],
        ]);
        expect(later.slice(0, 2)).toEqual(['0035_background_jobs', '0036_pinned_companies']);
        const rows = (await recorded(store)).slice(0, STEPS.length);
        expect(rows.map(({ name }) => name)).toEqual(STEPS);
        expect(new Set(rows.slice(0, -2).map(({ timestamp }) => timestamp))).toEqual(
          new Set(['2023-11-14T22:13:20.123Z']),
        );
        expect(await store.tenants()).toContain(tenant);
        expect(await listPolicies(store)).toEqual(policies);
      } finally {
        await store.close();
      }
      entries.length = 0;

      const again = await open();
      await asOwner(again, [
        `insert into migration (name, timestamp) values ('9999', '2030-01-01T00:00:00.000Z')`,
      ]);
      await again.close();
      expect(entries).toEqual([]);
      await expect(open()).rejects.toThrow(/newer version of Daybook \(migration 9999\)/);
    },
  );

test('STORE-14: the log of a new database has its version, and that of an update also the migrations', () => {
  const entries: unknown[] = [];
  const log: Log = { ...QUIET.log, info: (what, fields) => void entries.push([what, fields]) };
  logMigrations(
    log,
    MIGRATIONS.map(({ name }) => name),
  );
  logMigrations(log, ['0018', '0019']);
  expect(entries).toEqual([
    ['database created', { version: files.at(-1) }],
    [
      'database migrated',
      { version: '0019_audit_index', migrations: ['0018_support_requests', '0019_audit_index'] },
    ],
  ]);
});

test('STORE-14, T4: a step that changes rows of providers lifts the policy that its role would be bound by, and sets it again', () => {
  const changing = MIGRATIONS.flatMap(({ name, statements }) =>
    statements.flatMap((statement, at) => {
      const table = /^\s*(?:update|delete from|insert into)\s+(\w+)/i.exec(statement)?.[1];
      return table === undefined || table in UNOWNED ? [] : [{ name, statements, at, table }];
    }),
  );
  expect(changing.length).toBeGreaterThan(5);
  for (const { name, statements, at, table } of changing) {
    const lifted = statements.indexOf(`alter table ${table} no force row level security`);
    const forced = statements.lastIndexOf(`alter table ${table} force row level security`);
    expect([name, table, lifted >= 0 && lifted < at, forced > at]).toEqual([
      name,
      table,
      true,
      true,
    ]);
  }
});
