import { sql, type Transaction } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { APP_ROLE, UNOWNED } from '#server/platform/db/migrations/migration.ts';
import { eachDatabase } from './databases.ts';
import { aTenant } from './drafts.ts';

/** A value for a column that must have one, by the beginning of its type. */
const VALUES: readonly (readonly [string, string])[] = [
  ['uuid', 'gen_random_uuid()'],
  ['json', `'{}'`],
  ['bytea', `'\\x00'`],
  ['boolean', 'false'],
  ['text', `'x'`],
  ['character', `'x'`],
  ['timestamp', 'now()'],
  ['date', 'now()'],
];

const APPEND_ONLY = ['audit', 'event', 'log_hash'];

class RolledBack extends Error {}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
}
interface Policy {
  readonly table: string;
  readonly name: string;
  readonly isUsing: boolean;
  readonly isChecking: boolean;
}
interface Seen {
  readonly read: number;
  readonly changed: number;
  readonly deleted: number;
  readonly isWritten: boolean;
}

eachDatabase((name, open) => {
  test(`G31: the policy of each table hides, and refuses, a row of another provider; without that policy the row is read and written (${name})`, async () => {
    const store = await open();
    const [me, other] = [await aTenant(store), await aTenant(store)];
    const seen: Record<string, { readonly with: Seen; readonly without: Seen }> = {};
    const work = store.system(async (db) => {
      await run(db, 'reset role');
      // Rows of any kind fit: only the policies are tested here.
      await run(db, 'set local session_replication_role = replica');
      const checks = await rows<{ table: string; name: string }>(
        db,
        `select conrelid::regclass::text as table, conname::text as name from pg_constraint
         where contype = 'c' and connamespace = 'public'::regnamespace and conislocal and coninhcount = 0`,
      );
      for (const check of checks)
        await run(db, `alter table ${check.table} drop constraint "${check.name}"`);
      const tables = await rows<{ name: string }>(
        db,
        `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
      );
      const columns = await rows<Column>(
        db,
        `select attrelid::regclass::text as table, attname::text as name, format_type(atttypid, null) as type
         from pg_attribute a join pg_class c on c.oid = a.attrelid and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         where attnum > 0 and not attisdropped and attnotnull and attgenerated = ''`,
      );
      const policies = await rows<Policy>(
        db,
        `select polrelid::regclass::text as table, polname::text as name, polqual is not null as "isUsing", polwithcheck is not null as "isChecking" from pg_policy`,
      );
      for (const { name: table } of tables.filter((one) => !(one.name in UNOWNED))) {
        const insert = getInsert(
          table,
          columns.filter((column) => column.table === table),
          other,
        );
        await run(db, `${insert} on conflict do nothing`);
        // A policy withholds nothing from who may do nothing anyway.
        await run(db, `grant select, insert, update, delete on ${table} to ${APP_ROLE}`);
        const before = await look(db, table, me, insert);
        for (const policy of policies.filter((one) => one.table === table))
          await run(
            db,
            `alter policy ${policy.name} on ${table}${policy.isUsing ? ' using (true)' : ''}${policy.isChecking ? ' with check (true)' : ''}`,
          );
        seen[table] = { with: before, without: await look(db, table, me, insert) };
      }
      throw new RolledBack();
    });
    await expect(work).rejects.toThrow(RolledBack);
    expect(Object.keys(seen).length).toBeGreaterThan(100);
    const failing = (find: (table: { readonly with: Seen; readonly without: Seen }) => boolean) =>
      Object.keys(seen).filter((table) => seen[table] !== undefined && find(seen[table]));
    expect(
      failing(({ with: hidden }) => hidden.read + hidden.changed + hidden.deleted > 0),
    ).toEqual([]);
    expect(failing(({ with: hidden }) => hidden.isWritten)).toEqual([]);
    // These show that each of the above can fail.
    expect(failing(({ without }) => without.read === 0)).toEqual([]);
    expect(failing(({ without }) => !without.isWritten)).toEqual([]);
    expect(failing(({ without }) => without.deleted === 0)).toEqual([]);
    // The log and the audit have no policy for updates.
    expect(failing(({ without }) => without.changed === 0)).toEqual(APPEND_ONLY);
  });
});

const run = (db: Transaction<Database>, statement: string) => sql.raw(statement).execute(db);
const rows = async <R>(db: Transaction<Database>, statement: string): Promise<R[]> =>
  (await sql.raw<R>(statement).execute(db)).rows;

/** A row of a provider, with a value in each column that needs one. */
function getInsert(table: string, columns: readonly Column[], tenant: string): string {
  const values = columns.map(({ name: column, type }) => {
    if (column === 'tenant_id') return `'${tenant}'`;
    if (type.endsWith('[]')) return `'{}'`;
    return VALUES.find(([start]) => type.startsWith(start))?.[1] ?? '1';
  });
  const names = columns.map((column) => `"${column.name}"`);
  return `insert into ${table} (${names.join(', ')}) overriding system value values (${values.join(', ')})`;
}

/** Returns what the application can do with rows of others while it acts for a provider. */
async function look(
  db: Transaction<Database>,
  table: string,
  tenant: string,
  insert: string,
): Promise<Seen> {
  /** Runs a statement as the application, and takes back what it did. */
  const asApplication = async <T>(work: () => Promise<T>): Promise<T> => {
    await run(db, 'savepoint looking');
    try {
      await run(db, `set local role ${APP_ROLE}`);
      await run(db, `set local app.tenant_id = '${tenant}'`);
      return await work();
    } finally {
      await run(db, 'rollback to savepoint looking');
    }
  };
  const others = `tenant_id <> '${tenant}'`;
  const change = (statement: string) =>
    asApplication(async () => Number((await run(db, statement)).numAffectedRows));
  return {
    read: await asApplication(async () =>
      Number(
        (await rows<{ n: number }>(db, `select count(*) as n from ${table} where ${others}`))[0]?.n,
      ),
    ),
    changed: await change(`update ${table} set tenant_id = tenant_id where ${others}`),
    deleted: await change(`delete from ${table} where ${others}`),
    isWritten: await asApplication(async () => {
      try {
        await run(db, insert);
        return true;
      } catch (error) {
        // Policies are checked before keys.
        if (error instanceof Error && /duplicate key/.test(error.message)) return true;
        if (error instanceof Error && /row-level security/.test(error.message)) return false;
        throw error;
      }
    }),
  };
}
