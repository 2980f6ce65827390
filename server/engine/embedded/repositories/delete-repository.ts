import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { hasNoJob, scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import { deleteImports } from '../imports/imports.ts';
import { ok } from '../../result.ts';
import { isInUse, listObjectNumbers } from './expired.ts';
import { loadObjectsOnHold } from './legal-holds.ts';
import { destroyLockedFiles } from './locked-files.ts';
import { findRepositoryAccess } from './repositories.ts';
import { forgetAllFiles } from './stored-files.ts';

const RETRY_MS: Ms = 10 * 60_000;

/** Schedules the deletion of repositories that no longer exist, once an hour. */
export async function scheduleDeletions(tx: TenantTx, now: Ms): Promise<void> {
  const rows = await tx.sql
    .selectFrom('repository_access')
    .select('repository_id')
    .where('tenant_id', '=', tx.tenant)
    // One that is there may wait until locks end.
    .where(hasNoJob(tx, 'repository-deletion', 'repository_id'))
    .execute();
  const known = await tx.rows(
    'backupRepository',
    rows.map(({ repository_id }) => repository_id),
  );
  for (const { id, removedAt } of known.values())
    if (removedAt !== null) await scheduleUpkeep(tx, 'repository-deletion', id, now);
}

/**
 * The background job: waits while a restore session or a restore uses the repository, and while it
 * has an object on legal hold.
 */
export const repositoryDeletion =
  (context: AppContext): JobHandler<'repository-deletion'> =>
  async ({ tenant, now, payload: { repository } }) => {
    const isUsed = await context.store.tenant(
      tenant,
      async (tx) =>
        (await isInUse(tx, repository, now)) ||
        (await loadObjectsOnHold(tx, repository, now)).length > 0,
      { readOnly: true },
    );
    if (isUsed) return now + RETRY_MS;
    const deleted = await deleteRepository(context, tenant, repository);
    if (!deleted.ok) throw new Error(deleted.error.message);
    return deleted.value;
  };

/**
 * Deletes what a repository has: restore points, index, files, and its password last. After a crash
 * it continues. Returns when it has to be called again for files that are locked until then; null:
 * all are deleted.
 */
export async function deleteRepository(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
): Promise<EngineResult<Ms | null>> {
  const found = await findRepositoryAccess(context, tenant, repository);
  if (!found.ok) return found.error.kind === 'missing' ? ok(null) : found;
  const inTx = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    context.store.tenant(tenant, work);
  await inTx(({ sql: db }) =>
    db
      .deleteFrom('restore_point')
      .where('tenant_id', '=', tenant)
      .where('repository_id', '=', repository)
      .execute(),
  );
  await deleteImports(context, tenant, repository);
  const objects = await inTx((tx) => listObjectNumbers(tx, repository));
  for (const object of objects) {
    for (const table of INDEX_TABLES)
      while (!(await inTx((tx) => deleteRows(tx, table, object)))) continue;
    await inTx(({ sql: db }) =>
      db
        .deleteFrom('backup_object')
        .where('tenant_id', '=', tenant)
        .where('n', '=', object)
        .execute(),
    );
  }
  const { target, locks } = found.value;
  const destroyed =
    locks === null
      ? await target.destroy()
      : await destroyLockedFiles({ context, tenant, repository, target, locks });
  if (!destroyed.ok) return destroyed;
  if (typeof destroyed.value === 'number') return ok(destroyed.value);
  await inTx((tx) => forgetAllFiles(tx, repository));
  await inTx(({ sql: db }) =>
    db
      .deleteFrom('repository_access')
      .where('tenant_id', '=', tenant)
      .where('repository_id', '=', repository)
      .execute(),
  );
  return ok(null);
}

/** What the index has of each object. */
export const INDEX_TABLES = [
  'item',
  'folder',
  'listed_item',
  'object_point',
  'object_cursor',
] as const;

/** Deletes at most one batch of an object. Returns whether that was all. */
export async function deleteRows(
  { sql: db, tenant }: TenantTx,
  table: (typeof INDEX_TABLES)[number],
  object: number,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where tenant_id = ${tenant} and ctid in (
      select ctid from ${sql.table(table)} where tenant_id = ${tenant} and object_n = ${object} limit ${BATCH_ROWS})`.execute(
    db,
  );
  return (numAffectedRows ?? 0n) < BigInt(BATCH_ROWS);
}
