import { sql as raw } from 'kysely';
import { expect, test } from 'vitest';
import { APP_ROLE, UNOWNED } from '#server/platform/db/migrations/migration.ts';
import { makeTenant, tenantOfHost } from '#server/platform/db/tenants.ts';
import { CITUS, eachDatabase } from './databases.ts';
import { aBranding, aTenant, byClock, jobDraft, runDraft } from './drafts.ts';

const ARCHIVED = `(seq <= (NULLIF(current_setting('app.cut_seq'::text, true), ''::text))::bigint)`;
/** Tables whose rows never change, and which of them can be deleted. */
const DELETABLE: Readonly<Record<string, string>> = {
  audit: `(at < (NULLIF(current_setting('app.audit_before'::text, true), ''::text))::bigint)`,
  event: ARCHIVED,
  log_hash: ARCHIVED,
};

eachDatabase((name, open) => {
  const ask = async <R>(query: string): Promise<R[]> =>
    (await open()).system(async (sql) => (await raw<R>`${raw.raw(query)}`.execute(sql)).rows);
  const TABLES = `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`;

  test(`G28: every table has an owner, a forced policy for reading and writing, or an entry on the list with the reason (${name})`, async () => {
    const tables = await ask<{
      name: string;
      on: boolean;
      forced: boolean;
      owner: string;
      notnull: boolean | null;
    }>(`
      select relname::text as name, relrowsecurity as on, relforcerowsecurity as forced, pg_get_userbyid(relowner)::text as owner,
        (select attnotnull from pg_attribute where attrelid = c.oid and attname = 'tenant_id') as notnull
      from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`);
    expect(tables.length).toBeGreaterThan(20);
    expect(tables.filter((one) => one.owner === APP_ROLE)).toEqual([]);
    const owned = tables.filter((one) => !(one.name in UNOWNED));
    expect(tables.length - owned.length).toBe(Object.keys(UNOWNED).length);
    // Eight at most, besides the two in which the migrator notes what it has done.
    expect(
      Object.keys(UNOWNED).filter((table) => !/^migration(?:_lock)?$/.test(table)).length,
    ).toBeLessThanOrEqual(8);
    expect(Object.values(UNOWNED).filter((reason) => reason.length < 20)).toEqual([]);
    expect(owned.filter((one) => !(one.on && one.forced && one.notnull))).toEqual([]);

    const policies = await ask<{
      table: string;
      cmd: string;
      permissive: string;
      using: string | null;
      check: string | null;
    }>(`
      select tablename::text as table, cmd::text, permissive::text, qual as using, with_check as check from pg_policies`);
    // Citus makes restrictive ones permissive.
    expect(policies.filter((one) => one.permissive !== 'PERMISSIVE')).toEqual([]);
    const mine = `(tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)`;
    const isAppendOnly = ({ table }: { table: string }): boolean => table in DELETABLE;
    const whole = policies.filter((one) => !isAppendOnly(one));
    expect(whole.map((one) => one.table).sort()).toEqual(
      owned
        .map((one) => one.name)
        .filter((table) => !(table in DELETABLE))
        .sort(),
    );
    expect(
      whole.filter((one) => one.cmd !== 'ALL' || one.using !== mine || one.check !== mine),
    ).toEqual([]);
    // Entries of the audit can't be deleted before their time, events and their hashes only if they are
    // archived, and none of them can be changed.
    expect(
      policies
        .filter(isAppendOnly)
        .map(({ table, cmd, using, check }) => [table, cmd, using, check])
        .sort((a, b) => `${a[0]} ${a[1]}`.localeCompare(`${b[0]} ${b[1]}`)),
    ).toEqual(
      Object.entries(DELETABLE).flatMap(([table, condition]) => [
        [table, 'DELETE', `(${mine} AND ${condition})`, null],
        [table, 'INSERT', null, mine],
        [table, 'SELECT', mine, null],
      ]),
    );
  });

  test(`G28, T1: tenant_id comes first in every key of an owned table, each has a key, and no view bypasses the policies (${name})`, async () => {
    const keys = await ask<{ table: string; kind: string; first: string }>(`
      select conrelid::regclass::text as table, contype::text as kind, a.attname::text as first from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1] where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f')`);
    const owned = (await ask<{ name: string }>(TABLES))
      .map((one) => one.name)
      .filter((one) => !(one in UNOWNED));
    expect(keys.filter((one) => owned.includes(one.table) && one.first !== 'tenant_id')).toEqual(
      [],
    );
    expect(
      owned.filter((table) => !keys.some((one) => one.table === table && one.kind === 'p')),
    ).toEqual([]);
    const indexes = await ask<{ table: string; first: string }>(`
      select i.indrelid::regclass::text as table, a.attname::text as first from pg_index i
      join pg_class c on c.oid = i.indrelid and c.relnamespace = 'public'::regnamespace
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0] where i.indisunique`);
    expect(indexes.filter((one) => owned.includes(one.table) && one.first !== 'tenant_id')).toEqual(
      [],
    );
    expect(
      await ask(
        `select relname::text from pg_class as c where relnamespace = 'public'::regnamespace and relkind in ('v', 'm', 'f')
          and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype = 'e')`,
      ),
    ).toEqual([]);
  });

  test(`G28, LOG-4, RES-56: the application's role owns nothing, can't sign in, bypass a policy or change an event or the audit (${name})`, async () => {
    expect(
      await ask(
        `select current_user::text as me, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole from pg_roles where rolname = current_user`,
      ),
    ).toEqual([
      {
        me: APP_ROLE,
        rolsuper: false,
        rolbypassrls: false,
        // The nodes of Citus connect to each other as it.
        rolcanlogin: name === 'postgres' && CITUS !== '',
        rolcreaterole: false,
      },
    ]);
    const store = await open();
    const tenant = await aTenant(store);
    await store.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock));
    const refused: Record<string, unknown> = {};
    const statements = [
      'update event set at = 0',
      'truncate event',
      `update log_hash set hash = ''`,
      'truncate log_hash',
      'update audit set at = 0',
      'alter table event disable row level security',
      'drop policy tenant on event',
    ];
    for (const statement of statements) {
      refused[statement] = await store
        .tenant(tenant, ({ sql }) => raw.raw(statement).execute(sql))
        .catch((error: { code: string }) => error.code);
    }
    expect(refused).toEqual(
      Object.fromEntries(statements.map((statement) => [statement, '42501'])),
    );
    expect(await store.tenant(tenant, (tx) => tx.eventsAfter(0, 9))).toHaveLength(1);
  });

  test(`LOG-4, ARCH-1: no event and no hash can be deleted, except up to the number that the same transaction names (${name})`, async () => {
    const store = await open();
    const [tenant, other] = [await aTenant(store), await aTenant(store)];
    for (const one of [tenant, other])
      for (const n of [1, 2, 3])
        await store.tenant(one, (tx) => tx.append([runDraft({ n })], byClock));
    const remaining = async (one: string, table: 'event' | 'log_hash') =>
      (
        await store.tenant(one, ({ sql }) =>
          raw<{ seq: number }>`select seq from ${raw.table(table)} order by seq`.execute(sql),
        )
      ).rows.map(({ seq }) => seq);
    for (const table of ['event', 'log_hash'] as const) {
      await store.tenant(tenant, ({ sql }) => raw`delete from ${raw.table(table)}`.execute(sql));
      expect(await remaining(tenant, table), 'without a number').toEqual([1, 2, 3]);
      await store.tenant(tenant, async ({ sql }) => {
        await raw`set local app.cut_seq = '2'`.execute(sql);
        await raw`delete from ${raw.table(table)}`.execute(sql);
      });
      expect(await remaining(tenant, table)).toEqual([3]);
      await store.tenant(tenant, ({ sql }) => raw`delete from ${raw.table(table)}`.execute(sql));
      expect(await remaining(tenant, table), 'the number is forgotten').toEqual([3]);
      expect(await remaining(other, table)).toEqual([1, 2, 3]);
    }
    for (const statement of [
      'update log_cut set seq = 1',
      'delete from log_cut',
      'truncate log_cut',
    ])
      await expect(
        store.tenant(tenant, ({ sql }) => raw.raw(statement).execute(sql)),
      ).rejects.toThrow(/permission denied/);
  });

  test(`RES-56: no entry of the audit can be deleted, except those before the time that the same transaction names (${name})`, async () => {
    const store = await open();
    const [tenant, other] = [await aTenant(store), await aTenant(store)];
    for (const one of [tenant, other])
      for (const at of [1, 2, 3])
        await store.tenant(one, ({ sql }) =>
          sql
            .insertInto('audit')
            .values({
              tenant_id: one,
              at,
              id: crypto.randomUUID(),
              what: 'test',
              user_id: null,
              actor_id: null,
              impersonation_id: null,
              ip: '',
              agent: '',
              detail: '{}',
            })
            .execute(),
        );
    const remaining = async (one: string) =>
      (
        await store.tenant(one, ({ sql }) =>
          raw<{ at: number }>`select at from audit where what = 'test' order by at`.execute(sql),
        )
      ).rows.map(({ at }) => at);
    const deleteAll = (before: string | null) =>
      store.tenant(tenant, async ({ sql }) => {
        if (before !== null)
          await raw`set local app.audit_before = ${raw.lit(before)}`.execute(sql);
        await raw`delete from audit`.execute(sql);
      });
    await deleteAll(null);
    await deleteAll('');
    expect(await remaining(tenant), 'without a time').toEqual([1, 2, 3]);
    await deleteAll('2');
    expect(await remaining(tenant)).toEqual([2, 3]);
    await deleteAll(null);
    expect(await remaining(tenant), 'the time is forgotten').toEqual([2, 3]);
    expect(await remaining(other)).toEqual([1, 2, 3]);
  });

  test(`T3: the policies alone separate tenants: without a tenant no rows, and nothing of another's is read, changed or written (${name})`, async () => {
    const store = await open();
    const [a, b] = [await aTenant(store), await aTenant(store)];
    for (const tenant of [a, b])
      await store.tenant(tenant, (tx) => tx.append([jobDraft(1), runDraft({ n: 1 })], byClock));
    const owned = (await ask<{ name: string }>(TABLES))
      .map((one) => one.name)
      .filter((one) => !(one in UNOWNED));
    for (const table of owned) {
      const count = raw<{
        n: number;
        others: number;
      }>`select count(*) as n, count(*) filter (where tenant_id <> ${a}::uuid) as others from ${raw.table(table)}`;
      expect(
        (await store.system((sql) => count.execute(sql))).rows,
        `${table} without a tenant`,
      ).toEqual([{ n: 0, others: 0 }]);
      expect(
        (await store.tenant(a, ({ sql }) => count.execute(sql))).rows[0],
        `${table} of another`,
      ).toMatchObject({ others: 0 });
    }
    // These statements leave tenant_id out, or name the other: the policy is all there is.
    await store.tenant(a, async ({ sql }) => {
      expect((await raw`select n from job`.execute(sql)).rows).toHaveLength(1);
      expect((await raw`update job set uid = 'taken'`.execute(sql)).numAffectedRows).toBe(1n);
      expect(
        (await raw`delete from job where tenant_id = ${b}::uuid`.execute(sql)).numAffectedRows,
      ).toBe(0n);
    });
    expect(
      await store.tenant(b, ({ sql }) =>
        sql.selectFrom('job').select('uid').where('tenant_id', '=', b).execute(),
      ),
    ).toEqual([{ uid: 'job-1' }]);
    const values = { tenant_id: b, run_n: 1, body: 'x' };
    await expect(
      store.tenant(a, ({ sql }) => sql.insertInto('run_log').values(values).execute()),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(
      store.system((sql) => sql.insertInto('run_log').values(values).execute()),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(
      store.tenant(a, ({ sql }) =>
        sql.insertInto('run_task').values({ tenant_id: b, run_n: 1, tasks: '[]' }).execute(),
      ),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(
      store.tenant(a, ({ sql }) => sql.updateTable('job').set({ tenant_id: b }).execute()),
      // Citus refuses it before a policy does.
    ).rejects.toMatchObject({ code: name === 'postgres' && CITUS !== '' ? '0A000' : '42501' });
  });

  test(`T4: a tenant that is no UUID, a nested transaction and a write in a read-only one are refused (${name})`, async () => {
    const store = await open();
    const tenant = await aTenant(store);
    await expect(store.tenant(`x'; drop table event; --`, async () => 1)).rejects.toThrow(
      'named by a UUID',
    );
    await expect(store.tenant(tenant, () => store.system(async () => 1))).rejects.toThrow(
      'inside another',
    );
    await expect(
      store.tenant(tenant, (tx) => tx.append([jobDraft(1)], byClock), { readOnly: true }),
    ).rejects.toMatchObject({ code: '25006' });
    const nobody = crypto.randomUUID();
    await expect(store.tenant(nobody, (tx) => tx.append([jobDraft(1)], byClock))).rejects.toThrow(
      'no such provider',
    );
  });

  test(`T2: a host leads to its own provider, every other host to the default one (${name})`, async () => {
    const store = await open();
    const [own, fallback] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(await tenantOfHost(store, 'nobody.example')).toBeNull();
    await makeTenant(store, {
      tenant: own,
      host: 'Backup.Example',
      branding: aBranding,
      isDefault: false,
    });
    await makeTenant(store, { tenant: fallback, host: null, branding: aBranding, isDefault: true });
    expect(await tenantOfHost(store, 'backup.example')).toBe(own);
    expect(await tenantOfHost(store, 'sub.backup.example')).toBe(fallback);
    const third = { tenant: crypto.randomUUID(), host: null, branding: aBranding, isDefault: true };
    await expect(makeTenant(store, third)).rejects.toMatchObject({ code: '23505' });
    expect(await store.tenants()).toEqual(expect.arrayContaining([own, fallback]));
    expect(await store.tenants()).not.toContain(third.tenant);
  });
});
