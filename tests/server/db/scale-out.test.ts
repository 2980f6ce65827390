import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#contract/ids.ts';
import { backUp, restoreFrom } from '#server/platform/db/backup-file.ts';
import { canonical } from '#server/platform/db/canonical.ts';
import { distribute } from '#server/platform/db/distribute.ts';
import { dump, NOT_DUMPED } from '#server/platform/db/dump.ts';
import { UNOWNED } from '#server/platform/db/migrations/migration.ts';
import { type OpenStore, openStore } from '#server/platform/db/open.ts';
import { verify } from '#server/platform/events/verify.ts';
import { CITUS, freshStore, freshUrl, plainUrl, QUIET } from './databases.ts';
import { aTenant, byClock, companyDraft, jobDraft, problemDraft, runDraft } from './drafts.ts';

const RUNS = 700;
/** In each table that has none otherwise. More than the load inserts at once. */
const ROWS = 600;
const noCitus = CITUS === '' ? ' (skipped: no CITUS_URL, see start-citus.sh)' : '';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'daybook-scale-out-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test.skipIf(CITUS === '')(
  `SCALE-1, G26: backups move the rows of all tables from the embedded database to PostgreSQL, and from there into a distributed one${noCitus}`,
  async () => {
    const embedded = await freshStore('pglite');
    const [real, made] = [await aTenant(embedded), await aTenant(embedded)];
    await embedded.tenant(real, (tx) =>
      tx.append(
        [
          companyDraft(1),
          jobDraft(1),
          problemDraft(1, 1, 1),
          ...Array.from({ length: RUNS }, (_, n) => runDraft({ n: n + 1, problem: 1 })),
        ],
        byClock,
      ),
    );
    await fillTables(embedded, made);
    const before = await readRows(embedded);
    expect([...before.keys()].filter((table) => before.get(table)?.length === 0)).toEqual([]);
    expect(before.get('run')?.length).toBe(RUNS + ROWS);

    const postgres = await openStore({ ...QUIET, dataDir: '', databaseUrl: await plainUrl() });
    await (await openStore({ ...QUIET, dataDir: '', databaseUrl: CITUS })).close();
    await distribute(CITUS);
    const citus = await openStore({ ...QUIET, dataDir: '', databaseUrl: await freshUrl() });
    try {
      const files = [join(dir, 'embedded.gz'), join(dir, 'postgres.gz')] as const;
      await backUp(embedded, files[0], byClock.at);
      expect(await restoreFrom(postgres, files[0])).toBe(2);
      expect(findChanged(before, await readRows(postgres))).toEqual([]);
      await backUp(postgres, files[1], byClock.at);
      expect(await restoreFrom(citus, files[1])).toBe(2);
      expect(findChanged(before, await readRows(citus))).toEqual([]);

      await citus.tenant(real, (tx) => tx.append([companyDraft(2)], byClock));
      expect((await readRows(citus)).get('company')?.length).toBe(2 + ROWS);
      expect(await verify(citus, { only: [real] })).toMatchObject([
        { head: RUNS + 4, damages: [], rebuilt: { differences: [] } },
      ]);
    } finally {
      await postgres.close();
      await citus.close();
    }
  },
);

/** Two providers, which may be on different nodes, have the same rows of an earlier version. */
test.skipIf(CITUS === '')(
  `SCALE-1, LOG-10: the steps for organizations of the audit and keys of posts change rows on all nodes${noCitus}`,
  async () => {
    const earlier = await openStore({ ...QUIET, dataDir: '', databaseUrl: await freshUrl() });
    await distribute(CITUS);
    const tenants = [await aTenant(earlier), await aTenant(earlier)];
    await earlier.close();
    const client = new Client(CITUS);
    await client.connect();
    try {
      for (const statement of [
        'drop index audit_of_organization',
        'alter table audit drop column organization',
        "create index audit_of_organization on audit (tenant_id, (detail ->> 'organization'), at desc, id desc) where detail ->> 'organization' is not null",
        "delete from migration where name in ('0136', '0137')",
        ...tenants.flatMap(listEarlier),
      ])
        await client.query(statement);
      const store = await openStore({ ...QUIET, dataDir: '', databaseUrl: CITUS });
      await store.close();
      for (const tenant of tenants) {
        const ask = async (text: string): Promise<unknown[]> =>
          (await client.query<{ readonly one: unknown }>(text, [tenant])).rows.map(
            ({ one }) => one,
          );
        expect(await ask('select organization as one from audit where tenant_id = $1')).toEqual([
          'north',
        ]);
        expect(await ask('select key as one from item where tenant_id = $1 order by n')).toEqual([
          'post:channel-1/17',
          'mail-1',
        ]);
        expect(await ask('select key as one from listed_item where tenant_id = $1')).toEqual([
          'post:channel-1/17',
        ]);
        expect(await ask('select scope as one from object_cursor where tenant_id = $1')).toEqual([
          'inbox',
        ]);
      }
    } finally {
      await client.end();
    }
  },
);

/** Returns what puts rows of an earlier version into the tables of a provider. */
const listEarlier = (tenant: TenantId): readonly string[] => [
  `insert into audit (tenant_id, at, id, what, ip, agent, detail) values ('${tenant}', 1, '${tenant}', 'read', '', '', '{"organization":"north"}')`,
  `insert into folder (tenant_id, object_n, n, key, name, well_known, from_point)
    values ('${tenant}', 1, 1, 'channel-1', 'General', 'channel', 1), ('${tenant}', 1, 2, 'inbox', 'Inbox', 'inbox', 1)`,
  `insert into item (tenant_id, object_n, n, folder_key, key, change_key, from_point, kind, at, changed_at, bytes, title, people, parts)
    values ('${tenant}', 1, 1, 'channel-1', '17', 'c', 1, 'post', 1, 1, 1, '', '', '[]'),
      ('${tenant}', 1, 2, 'inbox', 'mail-1', 'c', 1, 'mail', 1, 1, 1, '', '', '[]')`,
  `insert into listed_item (tenant_id, object_n, scope, key) values ('${tenant}', 1, 'channel-1', '17')`,
  `insert into object_cursor (tenant_id, object_n, scope, cursor) values ('${tenant}', 1, 'channel-1', 'a'), ('${tenant}', 1, 'inbox', 'b')`,
];

type Rows = ReadonlyMap<string, readonly string[]>;

/** Returns each table whose rows differ, with a row that only one of both has. */
const findChanged = (before: Rows, after: Rows): unknown[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((table) => {
    const [had, has] = [before.get(table) ?? [], after.get(table) ?? []];
    const changed = [without(had, has), without(has, had)].map((rows) => rows.slice(0, 1));
    return changed.some((rows) => rows.length > 0) ? [{ table, changed }] : [];
  });

function without(rows: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Set(others);
  return rows.filter((row) => !left.has(row));
}

/**
 * Returns the rows of all tables that are backed up, without what the database calculates by its locale. A
 * restore gives each provider a new epoch.
 */
async function readRows(store: OpenStore): Promise<Rows> {
  const tables = await listColumns(store);
  const rows = new Map<string, string[]>([...tables.keys()].map((table) => [table, []]));
  await dump(store, 0, (line) => {
    if (line.kind === 'row') {
      const columns = (tables.get(line.table) ?? []).filter(
        ({ name }) => line.table !== 'head' || name !== 'epoch',
      );
      const row = Object.fromEntries(columns.map(({ name }) => [name, line.row[name]]));
      rows.get(line.table)?.push(canonical(row));
    }
    return Promise.resolve();
  });
  return new Map([...rows].map(([table, texts]) => [table, texts.toSorted()]));
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}

/** The tables that are backed up, with the columns that take a value. */
async function listColumns(store: OpenStore): Promise<ReadonlyMap<string, readonly Column[]>> {
  const { rows } = await store.system((tx) =>
    tx.executeQuery<Column>(
      CompiledQuery.raw(
        `select c.relname::text as "table", a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type
          from pg_attribute as a join pg_class as c on c.oid = a.attrelid
          where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
            and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          order by c.relname, a.attnum`,
      ),
    ),
  );
  const tables = Map.groupBy(rows, ({ table }) => table);
  return new Map([...tables].filter(([table]) => !NOT_DUMPED.has(table)));
}

/** Puts rows of a provider into each table in which it has none. */
async function fillTables(store: OpenStore, tenant: TenantId): Promise<void> {
  const tables = await listColumns(store);
  // A row of `item_text` belongs to one of `item`.
  const sorted = [...tables].toSorted(([a], [b]) => a.localeCompare(b));
  await store.across(
    async (sql, enter) => {
      await enter(tenant);
      for (const [table, columns] of sorted) {
        const { rows } = await sql.executeQuery(
          CompiledQuery.raw(
            `select from ${table} where ${table in UNOWNED ? 'true' : 'tenant_id = $1'} limit 1`,
            table in UNOWNED ? [] : [tenant],
          ),
        );
        if (rows.length > 0) continue;
        const names = columns.map(({ name }) => `"${name}"`).join(', ');
        const values = columns.map((column) =>
          column.name === 'tenant_id' ? `'${tenant}'::uuid` : getValue(column),
        );
        await sql.executeQuery(
          CompiledQuery.raw(
            `insert into ${table} (${names}) select ${values.join(', ')} from generate_series(1, ${ROWS}) as i on conflict do nothing`,
          ),
        );
      }
      // Otherwise a restore takes the end of its chain from the rows of `log_hash`.
      await sql.executeQuery(
        CompiledQuery.raw('update head set sealed_seq = 1 where tenant_id = $1', [tenant]),
      );
    },
    { readOnly: false },
  );
}

/** Returns SQL for a value of the row `i`. */
function getValue({ table, name, type }: Column): string {
  if (type.endsWith('[]')) return `array['a "b"', 'ü, \\ 💾', i::text]::${type}`;
  if (type === 'bigint') return '9007199254740000 + i';
  if (type === 'integer' || type === 'smallint') return 'i';
  if (type === 'boolean') return 'i % 2 = 0';
  if (type === 'uuid') return `md5('${table}${name}' || i)::uuid`;
  if (type === 'bytea') return `decode(md5(i::text), 'hex')`;
  if (type === 'json' || type === 'jsonb')
    return `('{"n":' || i || ',"text":"ü \\"b\\" \\\\ 💾","list":[1.5,null,true]}')::${type}`;
  if (type === 'text') return `'ü "b" \\ 💾 ' || i`;
  return `i::text::${type}`;
}
