import { createHash } from 'node:crypto';
import { CompiledQuery, type Transaction } from 'kysely';
import * as v from 'valibot';
import type { Ms, TenantId } from '#contract/ids.ts';
import { canonical } from './canonical.ts';
import { getDamagedFile, getDamagedTable } from './damaged-file.ts';
import type { Database } from './database.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { UNOWNED } from './migrations/migration.ts';
import type { OpenStore } from './open.ts';
import { TIMELINE_SETTING } from './timeline.ts';

/**
 * Tables that a backup leaves out. A restore must not revive ended sessions, replaced device
 * tokens, sign-ins in progress or used links, nor send mail and deliveries twice. Without the known
 * devices, stored failure counts would lock their users out. Daily totals are recalculated from the
 * results, background jobs are scheduled from the rows that they work on, proxies join
 * again, and counts of a minute are over.
 */
export const NOT_DUMPED: ReadonlySet<string> = new Set([
  'session',
  'trusted_device',
  'throttle',
  'attempt',
  'one_time',
  'outgoing',
  'push_device',
  'push_waiting',
  'webhook_delivery',
  'migration',
  'migration_lock',
  'run_total',
  'run_total_day',
  'background_job',
  'proxy_process',
  'shared_count',
]);

/**
 * The lines of a backup, in this order: `begin`, the tables without an owner, the rows of each
 * tenant followed by its `sum`, then `end`.
 */
export type DumpLine =
  | { readonly kind: 'begin'; readonly format: number; readonly at: Ms; readonly step: string }
  | { readonly kind: 'row'; readonly table: string; readonly row: DumpedRow }
  | { readonly kind: 'tenant'; readonly tenant: TenantId }
  | { readonly kind: 'sum'; readonly tenant: TenantId; readonly sum: Sum }
  | { readonly kind: 'end'; readonly tenants: number };

export type DumpedRow = Readonly<Record<string, unknown>>;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const tenant = v.pipe(
  v.string(),
  v.uuid(),
  v.transform((id) => id as TenantId),
);
/** Values of columns, whose types the database checks. */
const dumpedRow = v.custom<DumpedRow>(
  (row) => typeof row === 'object' && row !== null && !Array.isArray(row),
);
/** A line of a backup that somebody restores. */
export const dumpLine: v.GenericSchema<unknown, DumpLine> = v.variant('kind', [
  v.object({ kind: v.literal('begin'), format: v.number(), at: v.number(), step: v.string() }),
  v.object({ kind: v.literal('row'), table: v.string(), row: dumpedRow }),
  v.object({ kind: v.literal('tenant'), tenant }),
  v.object({
    kind: v.literal('sum'),
    tenant,
    sum: v.object({ seq: count, log: v.string(), rows: v.record(v.string(), count) }),
  }),
  v.object({ kind: v.literal('end'), tenants: count }),
]);

/** `log`: SHA-256 over the tenant's events in order. */
export interface Sum {
  readonly seq: number;
  readonly log: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** Passes every line to `write`, from one snapshot of the database. */
export const dump = (
  store: OpenStore,
  at: Ms,
  write: (line: DumpLine) => Promise<void>,
): Promise<void> =>
  store.across(
    async (sql, enter) => {
      await write({ kind: 'begin', format: 1, at, step: MIGRATIONS.at(-1)?.name ?? '' });
      const tables = (await loadTables(sql)).filter((table) => !NOT_DUMPED.has(table));
      for (const table of tables)
        if (table in UNOWNED)
          await eachRow(sql, table, null, async (row) => {
            if (!isOwnPlace(table, row)) await write({ kind: 'row', table, row });
          });
      const tenants = await sql
        .selectFrom('tenant_list')
        .select('tenant_id')
        .orderBy('tenant_id')
        .execute();
      for (const { tenant_id: tenant } of tenants) {
        await enter(tenant);
        await write({ kind: 'tenant', tenant });
        for (const table of tables)
          if (!(table in UNOWNED))
            await eachRow(sql, table, tenant, (row) => write({ kind: 'row', table, row }));
        await write({ kind: 'sum', tenant, sum: await getTableSum(sql, tables, tenant) });
      }
      await write({ kind: 'end', tenants: tenants.length });
    },
    { readOnly: true },
  );

/** Returns whether the row says where this database is. It is never in a backup. */
export const isOwnPlace = (table: string, row: DumpedRow): boolean =>
  table === 'server_setting' && row['name'] === TIMELINE_SETTING;

/** Returns the sums of the tenant whose rows are visible. */
export async function getTableSum(
  sql: Transaction<Database>,
  tables: readonly string[],
  tenant: TenantId,
): Promise<Sum> {
  const hash = createHash('sha256');
  const rows: Record<string, number> = {};
  for (const table of tables) {
    if (table in UNOWNED) continue;
    rows[table] = 0;
    await eachRow(sql, table, tenant, async (row) => {
      rows[table] = (rows[table] ?? 0) + 1;
      if (table === 'event') hash.update(`${canonical(row)}\n`);
    });
  }
  const head = await sql.selectFrom('head').select('seq').executeTakeFirst();
  return { seq: head?.seq ?? 0, log: hash.digest('hex'), rows };
}

/** Returns the names of all tables, sorted. */
export async function loadTables(sql: Transaction<Database>): Promise<string[]> {
  const { rows } = await sql.executeQuery(
    CompiledQuery.raw(
      `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`,
    ),
  );
  return (rows as { name: string }[]).map((one) => one.name);
}

const PAGE = 1000;

/**
 * Passes on the visible rows in the order of the table's key, one page at a time.
 * @throws DamagedTable if a part of it can't be read. `tenant`: whose rows are visible.
 */
async function eachRow(
  sql: Transaction<Database>,
  table: string,
  tenant: TenantId | null,
  take: (row: DumpedRow) => Promise<void>,
): Promise<void> {
  try {
    await readRows(sql, table, take);
  } catch (error) {
    const reason = getDamagedFile(error);
    throw reason === null ? error : getDamagedTable(tenant, table, reason);
  }
}

async function readRows(
  sql: Transaction<Database>,
  table: string,
  take: (row: DumpedRow) => Promise<void>,
): Promise<void> {
  const { rows: key } = await sql.executeQuery(
    CompiledQuery.raw(
      `select a.attname::text as name from pg_index i, unnest(i.indkey) with ordinality as k(attnum, place), pg_attribute a
     where i.indrelid = $1::text::regclass and i.indisprimary and a.attrelid = i.indrelid and a.attnum = k.attnum order by k.place`,
      [table],
    ),
  );
  const order = (key as { name: string }[]).map((one) => one.name).join(', ');
  await sql.executeQuery(
    CompiledQuery.raw(
      `declare rows_of no scroll cursor for select * from ${table} order by ${order}`,
    ),
  );
  for (;;) {
    const { rows } = await sql.executeQuery(CompiledQuery.raw(`fetch ${PAGE} from rows_of`));
    for (const row of rows) await take(row as DumpedRow);
    if (rows.length < PAGE) break;
  }
  await sql.executeQuery(CompiledQuery.raw('close rows_of'));
}
