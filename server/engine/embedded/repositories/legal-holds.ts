import { sql } from 'kysely';
import { getActiveHolds, isCovered } from '#contract/backup/legal-holds.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** Returns the numbers of the objects of a repository that are on legal hold. */
export async function loadObjectsOnHold(
  tx: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<readonly number[]> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  const organization =
    row && (await tx.rows('organization', [row.organization])).get(row.organization);
  const holds = organization ? getActiveHolds(organization, now) : [];
  if (holds.length === 0) return [];
  const objects = await tx.sql
    .selectFrom('backup_object')
    .select(['n', 'kind', 'directory_id as id'])
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .where(
      'directory_id',
      'in',
      holds.map(({ object }) => object),
    )
    .execute();
  return objects.filter((object) => isCovered(holds, object)).map(({ n }) => n);
}

/** Numbers of objects for a condition `… in (…)`. */
export const getNumbers = (objects: readonly number[]) =>
  sql`select jsonb_array_elements_text(${JSON.stringify(objects)}::text::jsonb)::bigint`;
