import type { UserId } from '#contract/ids.ts';
import type { RestoreRequestRow } from '#contract/restore/requests.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** The names of users by their id. */
export async function loadNames(
  { sql, tenant }: TenantTx,
  ids: readonly UserId[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await sql
    .selectFrom('person')
    .select(['id', 'name'])
    .where('tenant_id', '=', tenant)
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The name of another place that is restored to: a user or a site, with its organization. */
export async function loadTargetName(
  tx: TenantTx,
  target: RestoreRequestRow['target'],
): Promise<string | null> {
  if (target === null) return null;
  const object = await tx.sql
    .selectFrom('directory_object')
    .select('name')
    .where('tenant_id', '=', tx.tenant)
    .where('organization_id', '=', target.organization)
    .where('id', '=', target.object)
    .executeTakeFirst();
  const organization = (await tx.rows('organization', [target.organization])).get(
    target.organization,
  );
  return `${object?.name ?? target.object} (${organization?.name ?? ''})`;
}
