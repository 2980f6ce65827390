import { sql } from 'kysely';
import type { RepositoryRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ofReach } from './query.ts';
import type { Reach } from './query.ts';

export async function repositoriesOf(
  tx: TenantTx,
  reach: Reach,
): Promise<readonly RepositoryRow[]> {
  const { rows } = await sql<{
    readonly row: RepositoryRow;
  }>`select row from repository where ${ofReach('repository', tx.tenant, reach)} order by id`.execute(
    tx.sql,
  );
  return rows.map(({ row }) => row);
}
