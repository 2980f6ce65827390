import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { expect } from 'vitest';
import { APP_ROLE } from '#server/platform/db/migrations/migration.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Plans'?: readonly Plan[];
}

/** How many rows of the log a question reads. Fails where it does not go by the index. */
export async function rowsRead(
  tx: TenantTx,
  question: Pick<RawBuilder<unknown>, 'compile'>,
  indexes: readonly string[],
): Promise<number> {
  const query = question.compile(tx.sql);
  const { rows } = await tx.sql.executeQuery(
    CompiledQuery.raw(`explain (analyze, format json) ${query.sql}`, [...query.parameters]),
  );
  const plan = (rows as { readonly 'QUERY PLAN': readonly { readonly Plan: Plan }[] }[])[0]?.[
    'QUERY PLAN'
  ][0]?.Plan;
  const flat = (one: Plan): Plan[] => [one, ...(one.Plans ?? []).flatMap(flat)];
  const scans = (plan ? flat(plan) : []).filter((one) =>
    /^(?:Seq|Index|Index Only|Bitmap .*) Scan$/.test(one['Node Type']),
  );
  expect(
    scans.filter((one) => one['Node Type'] !== 'Bitmap Heap Scan').map((one) => one['Index Name']),
  ).toEqual(indexes);
  return scans
    .filter((one) => one['Node Type'] !== 'Bitmap Index Scan')
    .reduce(
      (sum, one) =>
        sum + (one['Actual Rows'] + (one['Rows Removed by Filter'] ?? 0)) * one['Actual Loops'],
      0,
    );
}

/**
 * Counts what the tables hold, as their owner: only an owner may. The planner otherwise goes by what
 * it last saw of them, which depends on the moment.
 */
export async function analyzeTables(tx: TenantTx, ...tables: readonly string[]): Promise<void> {
  await sql`reset role`.execute(tx.sql);
  await sql`analyze ${sql.join(tables.map((table) => sql.table(table)))}`.execute(tx.sql);
  await sql`set local role ${sql.raw(APP_ROLE)}`.execute(tx.sql);
}
