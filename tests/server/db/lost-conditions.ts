/**
 * Finds statements that use an index under row-level security by fewer columns than without it. The
 * policy comes first, then only conditions whose functions are all leakproof may use an index: a value
 * that is calculated in SQL (a cast of a text, a division, `->>`) often makes one a filter of all rows
 * of the tenant. The database judges: it plans each statement as the owner of the tables and as the
 * server, for tables with many rows of one tenant.
 */
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { APP_ROLE } from '#server/platform/db/migrations/migration.ts';

export interface NotedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Plans'?: readonly Plan[];
}

/** Statements that read the rows of a tenant for a reason. */
const EXPECTED: readonly RegExp[] = [
  // The counts of an account's failures, when they end. They are few, and the patterns begin alike.
  /^delete from "throttle" where .* "bucket" like /,
  // Once a day, of the entries that are older than the provider stores them.
  /^\s*delete from audit as a where /,
];
const TENANT = '00000000-0000-0000-0000-000000000000';
const PAGE_BYTES = 8_192;
/** Of each table and index, which all have 200,000 rows of one tenant. */
const PAGES = 2_000;

/**
 * Makes the planner believe that the tables of a database without rows have many: their files get
 * empty pages, which take no space on the disk. Only for `explain`. `data`: the folder of PostgreSQL.
 */
export async function enlargeTables(url: string, data: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly path: string }>(
      `select pg_relation_filepath(oid) as path from pg_class where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`,
    );
    for (const { path } of rows) await truncate(join(data, path), PAGES * PAGE_BYTES);
    await client.query(
      `update pg_class set relpages = ${PAGES}, reltuples = 200000 where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`,
    );
    const slots = [1, 2, 3, 4, 5];
    const columns = ['stakind', 'staop', 'stacoll'].flatMap((name) =>
      slots.map((slot) => `${name}${slot}`),
    );
    await client.query(
      `insert into pg_statistic (starelid, staattnum, stainherit, stanullfrac, stawidth, stadistinct, ${columns.join(', ')})
        select attrelid, attnum, false, 0, 16, 1, ${columns.map(() => '0').join(', ')}
        from pg_attribute join pg_class on pg_class.oid = attrelid
        where attname = 'tenant_id' and relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
  } finally {
    await client.end();
  }
}

/** Returns a description of each statement whose plan loses conditions of an index. */
export async function findLostConditions(
  client: Client,
  statements: readonly NotedStatement[],
): Promise<string[]> {
  const found: string[] = [];
  for (const statement of statements) {
    if (EXPECTED.some((one) => one.test(statement.text))) continue;
    const owner = await explain(client, statement, []);
    if (owner === null) continue;
    const server = await explain(client, statement, [
      `set local role ${APP_ROLE}`,
      `set local app.tenant_id = '${TENANT}'`,
    ]);
    if (server === null) continue;
    const [had, has] = [listConditions(owner), listConditions(server)];
    // Only the order of joins differs if there are as many.
    if (has.length >= had.length) continue;
    for (const one of has) if (had.includes(one)) had.splice(had.indexOf(one), 1);
    found.push(`${[...new Set(had)].join(', ')}: ${statement.text}`);
  }
  return found;
}

/**
 * Plans a statement for indexes alone. Null if it can't be planned: it names a table that only its test
 * has, or one of its values is invalid.
 */
async function explain(
  client: Client,
  { text, values }: NotedStatement,
  before: readonly string[],
): Promise<Plan | null> {
  const settings = ['seqscan', 'hashjoin', 'mergejoin', 'material'].map(
    (name) => `set local enable_${name} = off`,
  );
  await client.query(['begin', ...settings, ...before].join('; '));
  try {
    const { rows } = await client.query<{
      readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[];
    }>(`explain (format json) ${text}`, [...values]);
    return rows[0]?.['QUERY PLAN'][0]?.Plan ?? null;
  } catch {
    return null;
  } finally {
    await client.query('rollback');
  }
}

/**
 * The columns by whose values tables are read with an index, without the tenant: `item.object_n`. Ranges
 * are left out: which index serves them depends on the order of joins.
 */
function listConditions(plan: Plan, outer = ''): string[] {
  const table = plan['Relation Name'] ?? outer;
  const columns = (plan['Index Cond'] ?? '')
    .split(/\) AND \(/)
    .filter((condition) => / = | IS NULL/.test(condition))
    .map((condition) => /^\(*(?:ROW\()?([^\s),]+)/.exec(condition)?.[1] ?? '')
    .filter((column) => column !== '' && column !== 'tenant_id');
  return [
    ...columns.map((column) => `${table}.${column}`),
    ...(plan.Plans ?? []).flatMap((one) => listConditions(one, table)),
  ];
}
