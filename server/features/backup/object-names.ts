import type { HoldKind } from '#contract/backup/legal-holds.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { UserId } from '#contract/ids.ts';
import { cutText, lineOfText } from '#contract/stored-text.ts';
import { TEXT_LIMITS } from '#contract/text-limits.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** Returns the names of users of the portal by their id. */
export async function loadUserNames(
  { sql, tenant }: TenantTx,
  by: readonly { readonly user: UserId }[],
): Promise<ReadonlyMap<string, string>> {
  if (by.length === 0) return new Map();
  const rows = await sql
    .selectFrom('person')
    .select(['id', 'name'])
    .where('tenant_id', '=', tenant)
    .where('id', 'in', [...new Set(by.map(({ user }) => user))])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

const OBJECT_KINDS = {
  user: ['mailbox', 'archive', 'drive'],
  site: ['site'],
  team: ['team'],
} as const;

/** Returns the name of a person, site or team, also of one that left; null: there is none. */
export async function findObjectName(
  { sql, tenant }: TenantTx,
  { id: organization }: OrganizationRow,
  kind: HoldKind,
  object: string,
): Promise<string | null> {
  const listed = await sql
    .selectFrom('directory_object')
    .select(['name', 'address'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', kind)
    .where('id', '=', object)
    .executeTakeFirst();
  const found =
    listed ??
    (await sql
      .selectFrom('backup_object')
      .select(['name', 'address'])
      .where('tenant_id', '=', tenant)
      .where('organization_id', '=', organization)
      .where('kind', 'in', [...OBJECT_KINDS[kind]])
      .where('directory_id', '=', object)
      .limit(1)
      .executeTakeFirst());
  if (found === undefined) return null;
  const text = lineOfText(found.name || found.address).trim() || object;
  return cutText(text, TEXT_LIMITS.nameChars);
}
