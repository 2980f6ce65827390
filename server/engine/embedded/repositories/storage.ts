import { sql } from 'kysely';
import * as v from 'valibot';
import type {
  RequestKind,
  S3Address,
  S3Storage,
  StorageRequests,
} from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

const getSecretRef = (repository: BackupRepositoryId) => ({
  table: 'repository_access',
  column: 'storage_sealed',
  row: repository,
});
const Keys = v.object({ accessKeyId: v.string(), secretAccessKey: v.string() });

/** Stores where a repository is, with the keys sealed. */
export async function storeStorage(
  tx: TenantTx,
  context: AppContext,
  repository: BackupRepositoryId,
  { accessKeyId, secretAccessKey, ...address }: S3Storage,
): Promise<void> {
  await tx.sql
    .updateTable('repository_access')
    .set({
      storage: JSON.stringify(address),
      storage_sealed: await seal(
        tx,
        context,
        getSecretRef(repository),
        JSON.stringify({ accessKeyId, secretAccessKey }),
      ),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .execute();
}

/** Returns where a repository is; null: in a folder of the server. */
export async function openStorage(
  tx: TenantTx,
  context: AppContext,
  repository: BackupRepositoryId,
  stored: { readonly storage: S3Address | null; readonly storage_sealed: string | null },
): Promise<S3Storage | null> {
  if (stored.storage === null || stored.storage_sealed === null) return null;
  const keys = await unseal(tx, context, getSecretRef(repository), stored.storage_sealed);
  return { ...stored.storage, ...v.parse(Keys, JSON.parse(keys)) };
}

/** How long counted requests wait until they are stored together. A crash loses as many. */
const STORE_AFTER_MS: Ms = 10_000;

/** Returns what counts a request to the storage of a repository. */
export function countRequests(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
): (kind: RequestKind) => void {
  let counts: Record<RequestKind, number> | null = null;
  return (kind) => {
    if (counts === null) {
      counts = { write: 0, read: 0, delete: 0 };
      context.clock.after(STORE_AFTER_MS, () => {
        const stored = counts;
        counts = null;
        if (stored !== null)
          storeRequests(context, tenant, repository, stored).catch((error: unknown) =>
            context.log.warn('requests to object storage could not be counted', { error }),
          );
      });
    }
    counts[kind] += 1;
  };
}

const storeRequests = (
  { store, clock }: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  counts: Readonly<Record<RequestKind, number>>,
): Promise<void> =>
  store.tenant(tenant, async (tx) => {
    const month = new Date(clock.now()).toISOString().slice(0, 7);
    const added = Object.entries(counts).map(
      ([kind, count]) =>
        sql`${kind}::text, ${count}::bigint + case when storage_requests->>'month' = ${month}
          then coalesce((storage_requests->>${kind})::bigint, 0) else 0 end`,
    );
    await sql`
      update repository_access
      set storage_requests = jsonb_build_object('month', ${month}::text, ${sql.join(added)})
      where tenant_id = ${tenant} and repository_id = ${repository}`.execute(tx.sql);
  });

export const getStorageRequests = ({
  month,
  write = 0,
  read = 0,
  delete: removed = 0,
}: Partial<StorageRequests>): StorageRequests | null =>
  month === undefined ? null : { month, write, read, delete: removed };
