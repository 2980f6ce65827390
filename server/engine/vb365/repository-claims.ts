import { isSameName } from '#contract/backup/same-name.ts';
import type { EngineScope } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { NewVb365Repository } from '#server/platform/db/database-vb365.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { CLAIM_MS, getClaimKey, isCreating } from './job-links.ts';

// While a repository is being created, its row has a claim instead of a key: a request whose answer was
// lost finds what it made by the name and the place.

/** `isRepeated`: it repeats a request whose answer was lost. */
export interface RepositoryClaim {
  readonly id: BackupRepositoryId;
  readonly isRepeated: boolean;
}

/**
 * Returns the id for a new repository; that of an earlier request by the same user if its answer was
 * lost. Null: a request for one of this name is still running.
 */
export async function claimRepository(
  tx: TenantTx,
  { organization, user }: Pick<EngineScope, 'organization' | 'user'>,
  { id, name, now }: { readonly id: BackupRepositoryId; readonly name: string; readonly now: Ms },
): Promise<RepositoryClaim | null> {
  await tx.lock();
  const { sql: db, tenant } = tx;
  const links = await db
    .selectFrom('vb365_object')
    .select(['id', 'detail', 'commanded_at'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('kind', '=', 'repository')
    .execute();
  const open = links.filter(
    ({ detail: { requested } }) => requested !== undefined && isSameName(requested.name, name),
  );
  if (open.some(({ detail, commanded_at: at }) => isCreating(detail.requested, at, now)))
    return null;
  const earlier = open.find(
    (one) => one.detail.requested?.user === user && one.commanded_at > now - CLAIM_MS,
  );
  const values = { detail: JSON.stringify({ requested: { name, user } }), commanded_at: now };
  if (earlier !== undefined) {
    // Of two identical requests, one continues.
    await db
      .updateTable('vb365_object')
      .set(values)
      .where('tenant_id', '=', tenant)
      .where('id', '=', earlier.id)
      .execute();
    return { id: earlier.id as BackupRepositoryId, isRepeated: true };
  }
  await db
    .insertInto('vb365_object')
    .values({
      tenant_id: tenant,
      organization_id: organization,
      kind: 'repository',
      id,
      server_key: getClaimKey(id),
      ...values,
    })
    .execute();
  return { id, isRepeated: false };
}

/** The answer of the server was lost: the request can be repeated. */
export async function markRequestLost(
  { sql: db, tenant }: TenantTx,
  id: BackupRepositoryId,
  requested: NewVb365Repository,
): Promise<void> {
  await db
    .updateTable('vb365_object')
    .set({ detail: JSON.stringify({ requested: { ...requested, isLost: true } }) })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}
