import type { EngineResult } from '#contract/engine/engine.ts';
import type { SessionResult } from '#contract/engine/sessions.ts';
import type { BackupJobId, BackupSessionId, Bytes, PointId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { countObject, storeObjectPoint } from '../index/objects.ts';
import { storeSize } from '../repositories/repositories.ts';
import { saveObjectTree } from '../sessions/object-tree.ts';
import { loadPointObjects, saveRestorePoint } from '../sessions/restore-point.ts';
import { ok } from '../../result.ts';
import type { RunningImport } from './run-import.ts';

/**
 * Stores the new state of the mailbox and its snapshot, in the order of a backup (ENG-2). Returns the
 * id of the snapshot; null if the import changed nothing. `isStored`: the state is stored already.
 */
export async function storeImportPoint(
  running: RunningImport,
  isStored: boolean,
): Promise<EngineResult<string | null>> {
  const { context, tenant, task, object, repository, directory } = running;
  const { store } = context;
  const at = task.started_at ?? task.created_at;
  if (!isStored) {
    const totals = await store.tenant(tenant, (tx) => countObject(tx, object), { readOnly: true });
    if (totals.changes + totals.folderChanges === 0) return ok(null);
    const tree = await saveObjectTree({ store, tenant, repository }, object);
    if (!tree.ok) return tree;
    const flushed = await repository.flush();
    if (!flushed.ok) return flushed;
    await store.tenant(tenant, async (tx) => {
      await insertPoint(tx, running, totals.changes);
      await storeObjectPoint(tx, object, totals, { point: task.point_id, at, tree: tree.value });
    });
  }
  const { objects, changes } = await store.tenant(
    tenant,
    async (tx) => ({
      objects: await loadPointObjects(tx, task.point_id),
      changes: await loadChanges(tx, task.point_id),
    }),
    { readOnly: true },
  );
  return saveRestorePoint(
    repository,
    {
      point: task.point_id,
      session: task.id as BackupSessionId,
      job: task.id as BackupJobId,
      organization: task.organization_id,
      directory,
      at,
      result: 'success',
      changes,
      lacks: [],
    },
    objects,
    isStored,
  );
}

/** Its job and session are the import. */
async function insertPoint(
  { sql: db, tenant }: TenantTx,
  { task }: RunningImport,
  changes: number,
): Promise<void> {
  await db
    .insertInto('restore_point')
    .values({
      tenant_id: tenant,
      id: task.point_id,
      organization_id: task.organization_id,
      repository_id: task.repository_id,
      job_id: task.id as BackupJobId,
      session_id: task.id as BackupSessionId,
      at: task.started_at ?? task.created_at,
      changes,
    })
    .execute();
}

const loadChanges = async ({ sql: db, tenant }: TenantTx, point: PointId): Promise<number> =>
  (
    await db
      .selectFrom('restore_point')
      .select('changes')
      .where('tenant_id', '=', tenant)
      .where('id', '=', point)
      .executeTakeFirstOrThrow()
  ).changes;

/** Makes the restore point visible. */
export async function completeImportPoint(
  tx: TenantTx,
  { task }: RunningImport,
  end: { readonly snapshot: string; readonly result: SessionResult; readonly size: Bytes | null },
): Promise<void> {
  await tx.sql
    .updateTable('restore_point')
    .set({
      snapshot: end.snapshot,
      complete: true,
      result: end.result === 'success' ? 'success' : 'warning',
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', task.point_id)
    .execute();
  if (end.size !== null) await storeSize(tx, task.repository_id, end.size);
}
