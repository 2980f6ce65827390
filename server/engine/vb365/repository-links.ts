import type { EngineScope } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Ms, OrganizationId } from '#contract/ids.ts';
import type { Vb365Detail } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { isClaim } from './job-links.ts';

/** A repository of an organization, as it is stored. `key`: its id on the server. */
export interface RepositoryLink {
  readonly id: BackupRepositoryId;
  readonly key: string;
  readonly detail: Vb365Detail;
}

export async function listRepositoryLinks(
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<RepositoryLink[]> {
  const rows = await db
    .selectFrom('vb365_object')
    .select(['id', 'server_key', 'detail'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', 'repository')
    .execute();
  return rows.flatMap(({ id, server_key: key, detail }) =>
    isClaim(key) ? [] : [{ id: id as BackupRepositoryId, key, detail }],
  );
}

/** The ids on the server of the repositories that an organization has even if it doesn't use them. */
export const listAddedRepositories = async (
  tx: TenantTx,
  organization: OrganizationId,
): Promise<string[]> =>
  (await listRepositoryLinks(tx, organization)).flatMap(({ key, detail }) =>
    detail.isAdded ? [key] : [],
  );

/** Null: the organization doesn't have it, or its server doesn't. */
export const findRepositoryLink = async (
  tx: TenantTx,
  organization: OrganizationId,
  id: BackupRepositoryId,
): Promise<RepositoryLink | null> =>
  (await listRepositoryLinks(tx, organization)).find((one) => one.id === id) ?? null;

/**
 * Stores which repository of the server a repository of an organization is. Returns its id: another one
 * if the organization has it already.
 */
export async function linkRepository(
  tx: TenantTx,
  { organization }: Pick<EngineScope, 'organization'>,
  { id, key, at }: { readonly id: BackupRepositoryId; readonly key: string; readonly at: Ms },
): Promise<BackupRepositoryId> {
  await tx.lock();
  const { sql: db, tenant } = tx;
  const links = await listRepositoryLinks(tx, organization);
  const known = links.find((one) => one.key === key);
  const values = {
    server_key: key,
    detail: JSON.stringify({ ...known?.detail, isAdded: true }),
    commanded_at: at,
  };
  const linked = known?.id ?? id;
  if (linked !== id)
    await db
      .deleteFrom('vb365_object')
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .execute();
  await db
    .insertInto('vb365_object')
    .values({
      tenant_id: tenant,
      organization_id: organization,
      kind: 'repository',
      id: linked,
      ...values,
    })
    .onConflict((on) => on.columns(['tenant_id', 'id']).doUpdateSet(values))
    .execute();
  return linked;
}

/** Changes what is stored of a repository. Nothing is if it is no longer linked. */
export async function changeDetail(
  tx: TenantTx,
  id: BackupRepositoryId,
  change: (detail: Vb365Detail) => Vb365Detail,
  more: { readonly commanded_at?: Ms } = {},
): Promise<void> {
  await tx.lock();
  const { sql: db, tenant } = tx;
  const row = await db
    .selectFrom('vb365_object')
    .select('detail')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return;
  await db
    .updateTable('vb365_object')
    .set({ detail: JSON.stringify(change(row.detail)), ...more })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** Stores or forgets a shorter retention that the server gets later. */
export const setShortened = (
  tx: TenantTx,
  id: BackupRepositoryId,
  shortened: Vb365Detail['shortened'] | null,
  at: Ms,
): Promise<void> =>
  changeDetail(
    tx,
    id,
    ({ shortened: _before, ...detail }) => ({ ...detail, ...(shortened && { shortened }) }),
    { commanded_at: at },
  );
