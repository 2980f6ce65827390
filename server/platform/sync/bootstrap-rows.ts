import { sql as raw } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { ReplicatedRows } from '#contract/sync/calls.ts';
import { REPLICATED_TABLES, TABLES } from '#contract/tables.ts';
import type { ReplicatedTable, Tables } from '#contract/tables.ts';
import type { CompanyRow } from '#contract/users/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { sqlName } from '#server/platform/db/projected-tables.ts';
import { readsTable, seesRow } from './scope.ts';
import type { SyncScope } from './scope.ts';
import { visibleRow } from './visible.ts';

/**
 * Returns what a scope may hold of each replicated table. `companies`: all of them, already read.
 */
export async function visibleRows(
  tx: TenantTx,
  scope: SyncScope,
  since: Ms,
  companies: readonly CompanyRow[],
): Promise<ReplicatedRows> {
  const read: Readers = {
    company: () => Promise.resolve(companies),
    problem: () => problemsSince(tx, scope, since),
    shift: () => newestShifts(tx),
  };
  const found = new Map<ReplicatedTable, readonly Tables[ReplicatedTable][]>();
  for (const table of REPLICATED_TABLES)
    found.set(table, await loadRows(tx, scope, table, read[table]));
  const rows = replicatedRows((table) => found.get(table) as readonly never[]);
  if (scope.companies === null) return rows;
  const causes = new Set(rows.problems.map(({ cause }) => cause));
  return { ...rows, causes: rows.causes.filter(({ n }) => causes.has(n)) };
}

/** Returns the rows of the bootstrap by its fields. */
export const replicatedRows = (
  rowsIn: <T extends ReplicatedTable>(table: T) => readonly Tables[T][],
): ReplicatedRows =>
  Object.fromEntries(
    REPLICATED_TABLES.map((table) => [TABLES[table].replicatedAs, rowsIn(table)]),
  ) as unknown as ReplicatedRows;

/** Tables of which a device doesn't need all rows, or that are already read. */
type Readers = { readonly [T in ReplicatedTable]?: () => Promise<readonly Tables[T][]> };

async function loadRows<T extends ReplicatedTable>(
  tx: TenantTx,
  scope: SyncScope,
  table: T,
  read: (() => Promise<readonly Tables[T][]>) | undefined,
): Promise<readonly Tables[T][]> {
  if (!readsTable(scope, table)) return [];
  const own = TABLES[table].scope.rows === 'self';
  const rows = await (read?.() ?? (own ? ownRows(tx, scope, table) : tx.all(table)));
  return rows
    .filter((row) => !isRemoved(row) && seesRow(scope, table, row))
    .map((row) => visibleRow(scope, table, row));
}

const isRemoved = (row: object): boolean => 'removedAt' in row && row.removedAt !== null;

/** A table of users' own rows has a lookup column `user_id`. */
async function ownRows<T extends ReplicatedTable>(
  { sql, tenant }: TenantTx,
  { own }: SyncScope,
  table: T,
): Promise<readonly Tables[T][]> {
  const { rows } = await raw<{ row: Tables[T] }>`select row from ${raw.table(sqlName(table))}
    where tenant_id = ${tenant}::uuid and user_id = ${own} order by id`.execute(sql);
  return rows.map(({ row }) => row);
}

const SHIFTS = 20;
const newestShifts = async ({ sql, tenant }: TenantTx): Promise<readonly Tables['shift'][]> =>
  (
    await sql
      .selectFrom('shift')
      .select('row')
      .where('tenant_id', '=', tenant)
      .orderBy('received_at', 'desc')
      .limit(SHIFTS)
      .execute()
  ).map(({ row }) => row);

/** Returns open problems, and those that a run of the window may refer to. */
async function problemsSince(
  { sql, tenant }: TenantTx,
  { companies, deleted }: SyncScope,
  since: Ms,
): Promise<readonly Tables['problem'][]> {
  let query = sql
    .selectFrom('problem')
    .select('row')
    .where('tenant_id', '=', tenant)
    .where((e) => e.or([e('closed_at', 'is', null), e('last_at', '>=', since)]));
  if (companies !== null)
    query = query.where('company_n', 'in', companies.size === 0 ? [0] : [...companies]);
  else if (deleted.size > 0) query = query.where('company_n', 'not in', [...deleted]);
  return (await query.orderBy('n').execute()).map(({ row }) => row);
}
