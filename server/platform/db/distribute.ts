import { Client } from 'pg';
import { APP_ROLE, UNOWNED } from './migrations/migration.ts';

/** What keeps a database from being distributed, for `commands.messages.en.ts`. */
export type DistributeObstacle =
  | { readonly kind: 'no-citus' }
  | { readonly kind: 'not-superuser'; readonly user: string }
  | { readonly kind: 'no-workers' }
  | { readonly kind: 'no-prepared-transactions'; readonly node: string }
  | { readonly kind: 'role-refused'; readonly reason: string };

export type DistributeOutcome =
  | { readonly kind: 'distributed'; readonly tables: readonly string[] }
  | DistributeObstacle;

/** An arbitrary number that no other lock uses. It must never change. */
const LOCK = 7_203_415;
/** Only the migrator uses them. */
const LOCAL: readonly string[] = ['migration', 'migration_lock'];
/** All tables of tenants are distributed like this one, so that the rows of a tenant are together. */
const FIRST_TABLE = 'head';

/**
 * Distributes the tables of a database with Citus: those of tenants by `tenant_id`, the others as
 * reference tables. Those that are distributed already stay as they are, so it is safe to repeat. A
 * start does the same with the tables of a migration (`distributeNewTables`).
 */
export async function distribute(url: string): Promise<DistributeOutcome> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const obstacle = await findObstacle(client);
    if (obstacle !== null) return obstacle;
    await client.query(`select pg_advisory_lock(${LOCK})`);
    await prepareRole(client);
    const tables = await distributeTables(client);
    return (await findRefusal(url)) ?? { kind: 'distributed', tables };
  } finally {
    await client.end();
  }
}

/**
 * Distributes the tables that a migration has made, if the others are. They hold no rows of tenants yet,
 * so any owner may do it. Returns their names.
 */
export async function distributeNewTables(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    if (!(await hasCitus(client)) || !(await listDistributed(client)).has(FIRST_TABLE)) return [];
    await client.query(`select pg_advisory_lock(${LOCK})`);
    return await distributeTables(client);
  } finally {
    await client.end();
  }
}

async function findObstacle(client: Client): Promise<DistributeObstacle | null> {
  if (!(await hasCitus(client))) return { kind: 'no-citus' };
  const [found] = await ask<{ readonly user: string; readonly isSuperuser: boolean }>(
    client,
    'select rolname as "user", rolsuper as "isSuperuser" from pg_roles where rolname = current_user',
  );
  // Row-level security would hide the rows that are to be copied from anybody else.
  if (found?.isSuperuser !== true) return { kind: 'not-superuser', user: found?.user ?? '' };
  const workers = await ask(
    client,
    'select from pg_dist_node where isactive and shouldhaveshards limit 1',
  );
  if (workers.length === 0) return { kind: 'no-workers' };
  const [unprepared] = await ask<{ readonly node: string }>(
    client,
    `select nodename || ':' || nodeport as node
      from run_command_on_all_nodes('show max_prepared_transactions') as one join pg_dist_node using (nodeid)
      where one.result = '0' limit 1`,
  );
  return unprepared ? { kind: 'no-prepared-transactions', node: unprepared.node } : null;
}

/**
 * The nodes connect to each other as the role of the transaction, which a plain PostgreSQL never does. It
 * has no password: `pg_hba.conf` of each node must let it in from the other nodes.
 */
async function prepareRole(client: Client): Promise<void> {
  await client.query(`alter role ${APP_ROLE} login`);
  // So that the nodes see whose transaction it is (`app.tenant_id`).
  const [{ name } = { name: '' }] = await ask<{ readonly name: string }>(
    client,
    'select quote_ident(current_database()) as name',
  );
  await client.query(`alter database ${name} set citus.propagate_set_commands = 'local'`);
}

async function distributeTables(client: Client): Promise<readonly string[]> {
  const there = await listDistributed(client);
  const tables = await ask<{ readonly name: string; readonly isOwned: boolean }>(
    client,
    `select c.relname as name, c.relforcerowsecurity as "isOwned"
      from pg_class as c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
        and not exists (select from pg_depend as d where d.objid = c.oid and d.deptype = 'e')
      order by c.relname <> '${FIRST_TABLE}', c.relname`,
  );
  const done: string[] = [];
  for (const { name, isOwned } of tables) {
    if (there.has(name) || LOCAL.includes(name)) continue;
    if (!isOwned && !(name in UNOWNED)) throw new Error(`The table ${name} has no owner.`);
    const rows = await countRows(client, name);
    const colocated = name === FIRST_TABLE ? 'none' : FIRST_TABLE;
    await client.query('begin');
    await client.query(
      isOwned
        ? `select create_distributed_table('${name}', 'tenant_id', colocate_with => '${colocated}')`
        : `select create_reference_table('${name}')`,
    );
    if ((await countRows(client, name)) !== rows)
      throw new Error(`The table ${name} would lose rows.`);
    await client.query('commit');
    done.push(name);
  }
  // What was copied is still on the coordinator, where no statement sees it, also after an interruption.
  for (const name of await listDistributed(client))
    await client.query(`select truncate_local_data_after_distributing_table('${name}')`);
  return done;
}

const countRows = async (client: Client, table: string): Promise<number> =>
  Number((await ask<{ readonly n: string }>(client, `select count(*) as n from ${table}`))[0]?.n);

/** Returns why the nodes can't read as the server does; null if they can. */
async function findRefusal(url: string): Promise<DistributeObstacle | null> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`set local role ${APP_ROLE}`);
    await client.query(`set local app.tenant_id = '00000000-0000-0000-0000-000000000000'`);
    await client.query(`select count(*) from ${FIRST_TABLE}`);
    await client.query('rollback');
    return null;
  } catch (error) {
    return { kind: 'role-refused', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    await client.end();
  }
}

const hasCitus = async (client: Client): Promise<boolean> =>
  (await ask(client, `select from pg_extension where extname = 'citus'`)).length > 0;

const listDistributed = async (client: Client): Promise<ReadonlySet<string>> =>
  new Set(
    (
      await ask<{ readonly name: string }>(
        client,
        'select logicalrelid::regclass::text as name from pg_dist_partition',
      )
    ).map(({ name }) => name),
  );

const ask = async <R extends object>(client: Client, text: string): Promise<readonly R[]> =>
  (await client.query<R>(text)).rows;
