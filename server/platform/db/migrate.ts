import { CompiledQuery, type Transaction } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { APP_ROLE } from './migrations/migration.ts';
import type { Db } from './store.ts';

/**
 * An arbitrary number that must never change: servers that start together wait for each other on
 * this lock.
 */
const LOCK = 7_203_411;

/**
 * Migrates the tables to this version, all steps in one transaction. Returns the names of the steps
 * that ran.
 */
export async function migrate(db: Db, now: Ms): Promise<string[]> {
  const done: string[] = [];
  await db.transaction().execute(async (tx) => {
    await run(tx, `select pg_advisory_xact_lock(${LOCK})`);
    await refuseOld(tx);
    await makeRole(tx);
    await run(
      tx,
      'create table if not exists migration (name text primary key, at bigint not null)',
    );
    await run(tx, `grant select on migration to ${APP_ROLE}`);
    const known = new Set(
      (await tx.selectFrom('migration').select('name').execute()).map((one) => one.name),
    );
    const newer = [...known].find((name) => !MIGRATIONS.some((one) => one.name === name));
    if (newer !== undefined)
      throw new Error(
        `The database was made by a newer version of Daybook (step ${newer}). Start that version.`,
      );
    for (const { name, statements } of MIGRATIONS) {
      if (known.has(name)) continue;
      for (const statement of statements) await run(tx, statement);
      await tx.insertInto('migration').values({ name, at: now }).execute();
      done.push(name);
    }
  });
  return done;
}

async function refuseOld(tx: Transaction<Database>): Promise<void> {
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(`select current_setting('server_version_num')::int as version`),
  );
  const [{ version }] = rows as [{ version: number }];
  if (version < 150_000) throw new Error(`PostgreSQL 15 or newer is needed; this is ${version}.`);
}

/**
 * Roles belong to the whole cluster, so the server of another database may be creating this one
 * now.
 */
async function makeRole(tx: Transaction<Database>): Promise<void> {
  await run(
    tx,
    `do $$ begin
    if not exists (select from pg_roles where rolname = '${APP_ROLE}') then
      begin create role ${APP_ROLE} nologin; exception when duplicate_object or unique_violation then null; end;
    end if;
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant ${APP_ROLE} to %I', current_user);
    end if;
  end $$`,
  );
  await run(tx, `grant usage on schema public to ${APP_ROLE}`);
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(
      `select rolsuper or rolbypassrls as unbound from pg_roles where rolname = '${APP_ROLE}'`,
    ),
  );
  const [{ unbound }] = rows as [{ unbound: boolean }];
  if (unbound)
    throw new Error(
      `The role ${APP_ROLE} passes by row-level security. Take SUPERUSER and BYPASSRLS from it.`,
    );
}

const run = async (tx: Transaction<Database>, statement: string): Promise<void> => {
  await tx.executeQuery(CompiledQuery.raw(statement));
};
