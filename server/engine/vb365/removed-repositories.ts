import { DELAY_MS, KEEP } from '#contract/backup/retention.ts';
import { isShorterRetention, type ServerRetention } from '#contract/backup/server-repositories.ts';
import type { NewServerRepository } from '#contract/engine/server-repositories.ts';
import { formatMoment } from '#contract/i18n/moment.ts';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toRepository } from './map-repository.ts';
import { vb365Messages as t } from './messages.en.ts';
import { canOverlap } from './server-folder.ts';
import type { Vb365Repository } from './shapes.ts';

// A server keeps the backups of a repository that is removed, and a new one at the same place takes
// them over. So that a retention can't be shortened that way without its wait (G73), what was removed
// is stored as long as that.

/** Stores where a repository that is being removed is, and its retention. */
export async function storeRemoved(
  { sql: db, tenant }: TenantTx,
  id: BackupRepositoryId,
  row: Vb365Repository,
  at: Ms,
): Promise<void> {
  const { name, retentionType, retention } = toRepository(row);
  const values = {
    name,
    proxy_key: row.proxyId ?? null,
    path: row.path ?? row.objectStorageCachePath ?? '',
    object_storage_key: row.objectStorageId ?? null,
    retention_type: retentionType,
    retention: JSON.stringify(retention),
    removed_at: at,
  };
  await db
    .insertInto('vb365_removed_repository')
    .values({ tenant_id: tenant, id, ...values })
    .onConflict((on) => on.columns(['tenant_id', 'id']).doUpdateSet(values))
    .execute();
}

/** The server has the repository nevertheless. */
export async function forgetRemoved(
  { sql: db, tenant }: TenantTx,
  id: BackupRepositoryId,
): Promise<void> {
  await db
    .deleteFrom('vb365_removed_repository')
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** Deletes what a new repository no longer has to wait for. */
export async function forgetLongRemoved({ sql: db, tenant }: TenantTx, now: Ms): Promise<void> {
  await db
    .deleteFrom('vb365_removed_repository')
    .where('tenant_id', '=', tenant)
    .where('removed_at', '<=', now - DELAY_MS)
    .execute();
}

/**
 * Returns why a new repository can't have its retention: it would take over backups of one that was
 * removed in the last seven days, and delete some of them. Null: it can.
 */
export async function findRemovedRefusal(
  { sql: db, tenant }: TenantTx,
  settings: Pick<
    NewServerRepository,
    'proxy' | 'path' | 'objectStorage' | 'retention' | 'retentionType'
  >,
  now: Ms,
): Promise<{ readonly field: 'retention' | 'retentionType'; readonly message: string } | null> {
  const removed = await db
    .selectFrom('vb365_removed_repository')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('removed_at', '>', now - DELAY_MS)
    .orderBy('removed_at', 'desc')
    .execute();
  const here = removed.filter(
    (one) =>
      (one.object_storage_key !== null &&
        isSameKey(one.object_storage_key, settings.objectStorage)) ||
      // In version 8, one in an object storage has no folder.
      (one.path !== '' &&
        (one.proxy_key === null || isSameKey(one.proxy_key, settings.proxy)) &&
        canOverlap(one.path, settings.path)),
  );
  for (const { name, retention, retention_type: type, removed_at: at } of here) {
    const when = formatMoment(at + DELAY_MS);
    if (isShorterRetention(settings.retention, retention))
      return {
        field: 'retention',
        message: t.removedWithRetention({ name, when, retention: describe(retention) }),
      };
    // By item, what was last changed before the period is deleted from newer restore points, too.
    if (type !== settings.retentionType && !isKeep(settings.retention))
      return { field: 'retentionType', message: t.removedWithType({ name, when }) };
  }
  return null;
}

/** Ids of a server, which can write them in either case. */
export const isSameKey = (one: string | null, other: string | null): boolean =>
  one !== null && one.toLowerCase() === other?.toLowerCase();

const isKeep = (retention: ServerRetention): boolean =>
  retention.unit === 'years' && retention.policy === KEEP;

function describe(retention: ServerRetention): string {
  if (retention.unit === 'days') return t.days({ count: retention.count });
  if (retention.unit === 'months') return t.months({ count: retention.count });
  return retention.policy === KEEP
    ? t.forever
    : t.years({ count: Number(retention.policy.replaceAll(/\D/g, '')) });
}
