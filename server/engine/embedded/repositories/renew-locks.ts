import { getObjectLock } from '#contract/backup/repositories.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Ms, PointId } from '#contract/ids.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import type { Repository } from '../restic/repository.ts';
import { CONFIG_NAME, FILE_TYPES, type FileType } from '../restic/target.ts';
import { done, ok } from '../../result.ts';
import { loadNeededByHolds, type NeededByHolds } from './legal-holds.ts';
import { HOLD_AHEAD_MS, LOCK_AHEAD_MS, type LockPolicy } from './lock-policy.ts';
import { isProtections } from './protections.ts';
import type { LockedPlace, Reconciled } from './reconcile-files.ts';
import { METADATA_NAME } from '../sessions/object-tree.ts';
import { storeFiles, type StoredFileRow } from './stored-files.ts';

/** The restore points of the next day need most files again: their lock must be long enough already. */
const MIN_AHEAD_MS: Ms = 72 * HOUR_MS;
/** After a longer pause it isn't. */
const MAX_PAUSE_MS: Ms = 36 * HOUR_MS;
const FILES_AT_ONCE = 8;

/**
 * Locks files longer that a newer restore point needs: ten days beyond its end, so that the
 * lock of a file is renewed every seven days at most. What is on legal hold is locked 30 days ahead, too,
 * and so is what describes items with a retention of their own.
 * The lock of a file that no restore point needs isn't
 * renewed.
 */
export async function renewLocks(
  { context: { store, clock }, tenant, repository, versions }: LockedPlace,
  { files }: Pick<Reconciled, 'files'>,
  policy: LockPolicy,
  opened: Repository,
): Promise<EngineResult<void>> {
  const now = clock.now();
  const holds = await store.tenant(tenant, (tx) => loadNeededByHolds(tx, repository, now), {
    readOnly: true,
  });
  const needed = await findNeeded(opened, policy, now, holds);
  if (!needed.ok) return needed;
  const due = [...files.values()].flatMap((row) => {
    const until = row.removed ? null : needed.value(row.file);
    return until === null || row.lockedUntil >= until + MIN_AHEAD_MS
      ? []
      : [{ row, until: until + LOCK_AHEAD_MS }];
  });
  for (let at = 0; at < due.length; at += FILES_AT_ONCE) {
    const renewed: StoredFileRow[] = [];
    const results = await Promise.all(
      due.slice(at, at + FILES_AT_ONCE).map(async ({ row, until }) => {
        const [type, name] = splitFile(row.file);
        // A copy of a recovered file is not known yet.
        if (row.version === '') return done;
        const locked = await versions.lockUntil(type, name, row.version, until);
        if (locked.ok) renewed.push({ ...row, lockedUntil: until });
        return locked;
      }),
    );
    for (const row of renewed) files.set(row.file, row);
    await store.tenant(tenant, (tx) => storeFiles(tx, repository, renewed));
    const wrong = results.find((result) => !result.ok && result.error.kind !== 'missing');
    if (wrong) return wrong;
  }
  return done;
}

/**
 * After a pause, a new restore point needs files whose locks end before it expires: they are renewed
 * at once, not only on the next day.
 */
export async function scheduleRenewal(
  tx: TenantTx,
  repository: BackupRepositoryId,
  { point, pointAt }: { readonly point: PointId; readonly pointAt: Ms },
  now: Ms,
): Promise<void> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  if (row === undefined || getObjectLock(row.target) === null) return;
  const before = await tx.sql
    .selectFrom('restore_point')
    .select(({ fn }) => fn.max('at').as('at'))
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .where('complete', '=', true)
    .where('id', '<>', point)
    .executeTakeFirst();
  if (pointAt - (before?.at ?? 0) > MAX_PAUSE_MS)
    await scheduleUpkeep(tx, 'repository-clean-up', repository, now);
}

/** Returns what tells until when a file is needed; null: by no restore point. */
async function findNeeded(
  opened: Repository,
  { retentionType, getRetainedUntil }: LockPolicy,
  now: Ms,
  holds: NeededByHolds | null,
): Promise<EngineResult<(file: string) => Ms | null>> {
  const snapshots = await opened.listSnapshots(() => undefined);
  if (!snapshots.ok) return snapshots;
  // Points stay when their items expire.
  const isByItem = retentionType === 'ItemLevel';
  const getHoldEnd = (id: string): Ms => {
    const end = holds?.snapshots.get(id);
    return end === undefined ? 0 : Math.min(end ?? Infinity, now + HOLD_AHEAD_MS);
  };
  const retained = snapshots.value.map((snapshot) => ({
    ...snapshot,
    until: getRetainedUntil(isByItem ? now : snapshot.at),
    holdEnd: getHoldEnd(snapshot.id),
  }));
  const lastEnd = Math.max(0, ...retained.map(({ until, holdEnd }) => Math.max(until, holdEnd)));
  // Who is on hold is known for as long as there is anything.
  const points = retained.map((point) =>
    isProtections(point) ? { ...point, until: lastEnd } : point,
  );
  const packs = await opened.findNeededPacks(points, ({ name, modifiedAt }, until) => {
    if (!isByItem) return until;
    // Descriptions have no date, and may share packs with items that expire: they are locked days ahead.
    const end = name === METADATA_NAME ? now + HOLD_AHEAD_MS : getRetainedUntil(modifiedAt);
    return Math.min(until, end);
  });
  if (!packs.ok) return packs;
  const byHolds = await opened.findNeededPacks(
    points.flatMap(({ tree, holdEnd }) => (holdEnd === 0 ? [] : [{ tree, until: holdEnd }])),
    undefined,
    holds?.others,
  );
  if (!byHolds.ok) return byHolds;
  for (const [pack, until] of byHolds.value)
    packs.value.set(pack, Math.max(until, packs.value.get(pack) ?? 0));
  const ends = new Map(points.map(({ id, until, holdEnd }) => [id, Math.max(until, holdEnd)]));
  const last = points.length === 0 ? null : Math.max(...ends.values());
  return ok((file) => {
    const [type, name] = splitFile(file);
    if (type === 'data') return packs.value.get(name) ?? null;
    return type === 'snapshots' ? (ends.get(name) ?? null) : last;
  });
}

function splitFile(file: string): readonly [FileType, string] {
  const type = FILE_TYPES.find((one) => file.startsWith(`${one}/`));
  return [type ?? 'config', type === undefined ? CONFIG_NAME : file.slice(type.length + 1)];
}
