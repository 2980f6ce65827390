import { CompiledQuery, type RawBuilder } from 'kysely';
import { expect } from 'vitest';
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
