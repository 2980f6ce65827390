import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Log } from '../app-context.ts';
import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { APP_ROLE, type Migration } from './migrations/migration.ts';
import type { Db } from './store.ts';

/**
 * An arbitrary number that must never change: servers that start together wait for each other on
 * this lock.
 */
const LOCK = 7_203_411;

/**
 * Migrates the database to this version with Kysely's migrator, in one transaction. Returns the names
 * of the migrations that ran.
 */
export const migrate = (db: Db): Promise<readonly string[]> =>
  db.transaction().execute(async (tx) => {
    await run(tx, `select pg_advisory_xact_lock(${LOCK})`);
    await refuseOld(tx);
    await makeRole(tx);
    await bringTable(tx);
    const migrator = new Migrator({
      db: tx,
      provider: { getMigrations: () => Promise.resolve(named(MIGRATIONS)) },
      migrationTableName: 'migration',
      migrationLockTableName: 'migration_lock',
      // A migration of an older branch may come after newer ones.
      allowUnorderedMigrations: true,
    });
    refuseNewer(await loadMigrations(tx));
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return results.map(({ migrationName }) => migrationName);
  });

/**
 * Changes nothing. Returns no migrations.
 * @throws a sentence if the database is not of this version.
 */
export async function refuseOtherVersion(db: Db): Promise<readonly string[]> {
  const { rows } = await db.executeQuery<{ readonly found: boolean }>(
    CompiledQuery.raw("select to_regclass('public.migration') is not null as found"),
  );
  const recorded = rows[0]?.found === true ? await loadMigrations(db) : [];
  refuseNewer(recorded);
  const missing = MIGRATIONS.find(({ name }) => !recorded.includes(name));
  if (missing)
    throw new Error(
      `The database is older than this version of Daybook (migration ${missing.name} is missing). Start a server of this version first.`,
    );
  return [];
}

/**
 * Logs which migrations ran, by the names of their files, such as `0018_support_requests`. A new database
 * ran all of them.
 */
export function logMigrations(log: Log, names: readonly string[]): void {
  const files = readdirSync(join(import.meta.dirname, 'migrations'));
  const [version = '', ...others] = names
    .map((name) => files.find((file) => file.startsWith(`${name}_`))?.replace(/\.ts$/, '') ?? name)
    .toReversed();
  if (names.length === MIGRATIONS.length) log.info('database created', { version });
  else
    log.info('database migrated', {
      version,
      migrations: [version, ...others].toReversed(),
    });
}

const loadMigrations = async (db: Kysely<Database>): Promise<readonly string[]> =>
  (await db.selectFrom('migration').select('name').execute()).map(({ name }) => name);

function refuseNewer(recorded: readonly string[]): void {
  const newer = recorded.find((name) => !MIGRATIONS.some((migration) => migration.name === name));
  if (newer !== undefined)
    throw new Error(
      `The database was made by a newer version of Daybook (migration ${newer}). Start that version.`,
    );
}

/** Each migration runs its statements in order. */
const named = (
  migrations: readonly Migration[],
): Record<string, { up(db: Kysely<Database>): Promise<void> }> =>
  Object.fromEntries(
    migrations.map(({ name, statements }) => [
      name,
      {
        async up(db: Kysely<Database>) {
          for (const statement of statements) await run(db, statement);
        },
      },
    ]),
  );

/**
 * Creates the table of migrations, or gives one of an earlier version the migrator's column for their
 * time. Its names stay.
 */
async function bringTable(tx: Transaction<Database>): Promise<void> {
  await run(
    tx,
    'create table if not exists migration (name text primary key, timestamp text not null)',
  );
  await run(
    tx,
    `do $$ begin
    if exists (select from information_schema.columns where table_schema = 'public' and table_name = 'migration' and column_name = 'at') then
      alter table migration add column timestamp text;
      update migration set timestamp = to_char(to_timestamp(at / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
      alter table migration alter column timestamp set not null;
      alter table migration drop column at;
    end if;
  end $$`,
  );
  await run(tx, `grant select on migration to ${APP_ROLE}`);
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

const run = async (tx: Kysely<Database>, statement: string): Promise<void> => {
  await tx.executeQuery(CompiledQuery.raw(statement));
};
