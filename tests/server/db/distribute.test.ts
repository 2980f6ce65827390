import { Client } from 'pg';
import { expect, test } from 'vitest';
import { distribute, distributeNewTables } from '#server/platform/db/distribute.ts';
import { verify } from '#server/platform/events/verify.ts';
import { openStore } from '#server/platform/db/open.ts';
import { CITUS, freshUrl, missing, QUIET } from './databases.ts';
import { aTenant, byClock, companyDraft } from './drafts.ts';

const open = () => openStore({ ...QUIET, dataDir: '', databaseUrl: CITUS });
const noCitus = CITUS === '' ? ' (skipped: no CITUS_URL, see start-citus.sh)' : '';

test.skipIf(missing !== '' || CITUS !== '')(
  `SCALE-1: a PostgreSQL without Citus is left as it is${missing}`,
  async () => {
    const url = await freshUrl();
    expect(await distribute(url)).toEqual({ kind: 'no-citus' });
    expect(await distributeNewTables(url)).toEqual([]);
  },
);

test.skipIf(CITUS === '')(
  `SCALE-1: each table of providers is distributed by provider, once, and rows stay; new ones follow${noCitus}`,
  async () => {
    const first = await open();
    const tenant = await aTenant(first);
    const drafts = [companyDraft(1), companyDraft(2)];
    await first.tenant(tenant, (tx) => tx.append(drafts, byClock));
    await first.close();
    const before = await distribute(CITUS);
    expect(before.kind).toBe('distributed');
    // Connections from before don't show the nodes whose transaction it is.
    const store = await open();
    const client = new Client(CITUS);
    await client.connect();
    try {
      expect(await distribute(CITUS)).toEqual({ kind: 'distributed', tables: [] });
      // Citus's own list of tables, beside PostgreSQL's list of columns.
      const { rows } = await client.query<{ name: string; column: string | null; group: number }>(
        `select t.table_name::text as name, t.distribution_column as "column", t.colocation_id as "group"
          from citus_tables as t where t.citus_table_type = 'distributed'`,
      );
      const owned = await client.query<{ name: string }>(
        `select c.relname as name from pg_class as c join pg_policy as p on p.polrelid = c.oid
          where p.polname = 'tenant' and c.relnamespace = 'public'::regnamespace order by 1`,
      );
      expect(rows.map(({ name }) => name).toSorted()).toEqual(
        owned.rows.map(({ name }) => name).toSorted(),
      );
      expect(new Set(rows.map(({ column }) => column))).toEqual(new Set(['tenant_id']));
      expect(new Set(rows.map(({ group }) => group)).size).toBe(1);

      await client.query(
        'create table later_one (tenant_id uuid not null, n int, primary key (tenant_id, n))',
      );
      await client.query('alter table later_one enable row level security');
      await client.query('alter table later_one force row level security');
      expect(await distributeNewTables(CITUS)).toEqual(['later_one']);
      const later = await store.tenant(tenant, (tx) => tx.append([companyDraft(3)], byClock));
      expect(later.map(({ seq }) => seq)).toEqual([3]);
      for (const [one, expected] of [
        [tenant, [1, 2, 3]],
        [await aTenant(store), []],
      ] as const)
        expect(
          await store.tenant(one, async (tx) =>
            (await tx.all('company')).map(({ n }) => n).sort((a, b) => a - b),
          ),
        ).toEqual(expected);
      expect(await verify(store, { only: [tenant] })).toMatchObject([
        { head: 3, sealed: 3, damages: [], rebuilt: { differences: [] } },
      ]);
    } finally {
      await client.query('drop table if exists later_one');
      await client.end();
      await store.close();
    }
  },
);
