import { randomUUID } from 'node:crypto';
import { sql as raw } from 'kysely';
import type { RowId } from '#contract/fold.ts';
import { TABLE_NAMES } from '#contract/tables.ts';
import { sqlName } from '../db/projected-tables.ts';
import type { RebuiltLog } from './rebuild.ts';
import type { TenantTx } from '../db/store.ts';
import { sumAllAgain } from './totals.ts';
import { getDaysStatement, writeChanges, writeSamples } from './write.ts';

/** Replaces a tenant's rows with those folded from the log. */
export async function replaceRows({ tenant, sql }: TenantTx, folded: RebuiltLog): Promise<void> {
  for (const name of TABLE_NAMES)
    await raw`delete from ${raw.table(sqlName(name))} where tenant_id = ${tenant}::uuid`.execute(
      sql,
    );
  for (const table of ['run_day', 'job_kind', 'repository_sample', 'quarantine'] as const)
    await sql.deleteFrom(table).where('tenant_id', '=', tenant).execute();
  const rows = Object.fromEntries(
    TABLE_NAMES.map((name) => [
      name,
      { after: folded.cached[name], made: new Set<RowId>(folded.cached[name].keys()) },
    ]),
  );
  const place = { tenant, sql };
  await Promise.all(
    writeChanges(
      place,
      {
        rows,
        runSeq: new Map(folded.runSeq as ReadonlyMap<number, number>),
        kindSeq: new Map(folded.kindSeq),
        placed: [],
        days: new Map(),
        quarantined: [...folded.quarantined],
      },
      new Set(),
      0,
    ),
  );
  const days = getDaysStatement(tenant, [
    {
      first: 0,
      days: new Map(
        [...folded.days].map(([day, one]) => [day, { gained: one.rows, seq: one.seq }]),
      ),
    },
  ]);
  if (days !== null) await sql.executeQuery(days);
  await writeSamples(place, folded.samples);
  await sumAllAgain(sql, tenant);
  await sql
    .updateTable('head')
    .set({ epoch: randomUUID() })
    .where('tenant_id', '=', tenant)
    .execute();
}
