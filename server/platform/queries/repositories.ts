import { sql } from 'kysely';
import type { RepositoryRow } from '#contract/runs/rows.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ofReach } from './query.ts';
import type { QueryScope } from './query.ts';

export async function loadRepositories(
  tx: TenantTx,
  reach: QueryScope,
): Promise<readonly RepositoryRow[]> {
  const { rows } = await sql<{
    readonly row: RepositoryRow;
  }>`select row from repository where ${ofReach('repository', tx.tenant, reach)} order by id`.execute(
    tx.sql,
  );
  return rows.map(({ row }) => row);
}
