import { sql } from 'kysely';
import { type BackupRepositoryRow, getObjectLock } from '#contract/backup/repositories.ts';
import { policyAt, retainedSince } from '#contract/backup/retention.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { isAttaching } from '../attach/attachment.ts';
import { checkUnused, openRepository, pruneRepository } from '../restic/repository.ts';
import type { RepositoryTarget } from '../restic/target.ts';
import { loadSupersededKeys, removeSupersededKeys } from './change-password.ts';
import { beginRun, endRun, isCurrentRun } from './clean-up-run.ts';
import { hasExpiredItems, removeExpiredItems } from './expired-items.ts';
import { ok } from '../../result.ts';
import { makeReservation, type Reservation } from './reservation.ts';
import { rewritePoints } from './rewrite-points.ts';
import { neededBlobs, neededTrees } from './needed.ts';
import {
  deletePoints,
  type ExpiredPoint,
  expirePoints,
  listPointsOnHold,
  isInUse,
  listObjectNumbers,
  removeObjectPoints,
  removeVersions,
  withoutPointsOnHold,
} from './expired.ts';
import {
  beginErasure,
  endErasure,
  eraseObject,
  hasErasedObjects,
  type IsErased,
  loadErased,
} from './exclusions.ts';
import { loadObjectsOnHold } from './legal-holds.ts';
import { lookAtFiles, renewFileLocks } from './locked-files.ts';
import {
  hasProtections,
  isOutdated,
  loadProtections,
  type Protections,
  storeProtections,
  writeProtections,
} from './protections.ts';
import {
  BUSY_MS,
  getBusyPause,
  loadUpkeepRequests,
  noteRequestWait,
  storeRequest,
} from './requests.ts';
import { accessMessages as t } from '../organizations/messages.en.ts';
import { storeSize, type StoredRepository } from './repositories.ts';

const EVERY_MS: Ms = 24 * 60 * 60_000;

/** Finds a repository and its password. */
type FindRepository = (
  tenant: TenantId,
  repository: BackupRepositoryId,
) => Promise<
  EngineResult<
    Pick<StoredRepository, 'target' | 'password'> & Partial<Pick<StoredRepository, 'locks'>>
  >
>;

/** Every repository is cleaned up once a day. */
export async function scheduleCleanUps(tx: TenantTx, now: Ms): Promise<void> {
  const known = await tx.sql
    .selectFrom('background_job')
    .select('key')
    .where('tenant_id', '=', tx.tenant)
    .where('type', '=', 'repository-clean-up')
    .execute();
  const keys = new Set(known.map(({ key }) => key));
  for (const row of await tx.all('backupRepository'))
    if (isCleaned(row) && !keys.has(row.id))
      await scheduleUpkeep(tx, 'repository-clean-up', row.id, now);
}

const NO_POINTS = { points: [], isShown: false } as const;

/** Other servers clean up their repositories themselves. */
const isCleaned = ({ removedAt, target }: BackupRepositoryRow): boolean =>
  removedAt === null && target.type !== 'Server';

/**
 * Removes what is older than the retention: restore points with what only they need, or items from
 * all points, except what is on legal hold; and all of excluded people. Points first become
 * invisible. After a crash, the next run continues: their rows are deleted last (ENG-7).
 */
export const cleanUp =
  (context: AppContext, find: FindRepository): JobHandler<'repository-clean-up'> =>
  async (input) => {
    const run = context.chance.uuid();
    const { tenant, payload } = input;
    const reservation = makeReservation(context, tenant, payload.repository, run);
    try {
      return await runCleanUp({ context, find, run, reservation }, input);
    } finally {
      await reservation.end();
    }
  };

interface CleanUpRun {
  readonly context: AppContext;
  readonly find: FindRepository;
  readonly run: string;
  readonly reservation: Reservation;
}

async function runCleanUp(
  { context, find, run, reservation }: CleanUpRun,
  {
    tenant,
    now,
    signal,
    payload: { repository },
  }: Parameters<JobHandler<'repository-clean-up'>>[0],
): ReturnType<JobHandler<'repository-clean-up'>> {
  const isCurrent = (tx: TenantTx): Promise<boolean> => isCurrentRun(tx, repository, run);
  const due = await context.store.tenant(tenant, async (tx) => {
    const row = (await tx.rows('backupRepository', [repository])).get(repository);
    if (row === undefined || !isCleaned(row)) return null;
    if (await isAttaching(tx, repository)) return 'attaching';
    const { timeZone } = await loadCompanyLimit(tx);
    const since = retainedSince(policyAt(row, now), now, timeZone);
    const upkeep = await beginRun(tx, repository, run);
    const onHold = await loadObjectsOnHold(tx, repository, now);
    const { cleanUp: request } = (await loadUpkeepRequests(tx, repository)) ?? {};
    const erased = await beginErasure(tx, row, now);
    const isErasing = erased.length > 0;
    const protections = await loadProtections(tx, row, now);
    const place = {
      erased,
      protections,
      isByItem: row.retentionType === 'ItemLevel',
      isOutdated: await isOutdated(tx, repository, protections),
      hasDamagedCopies: upkeep.repack === true,
      isRequested: request?.endedAt === null,
      hasWaited: upkeep.reserved !== undefined,
      company: row.company,
      // All restores can be undone where everything is retained.
      since: since ?? 0,
      // What is removed must not stay beside what others need.
      repacks: upkeep.repack === true || isErasing,
      isLocked: getObjectLock(row.target) !== null,
      hasOldKeys: (await loadSupersededKeys(tx, repository, now)).length > 0,
    };
    if (row.retentionType === 'SnapshotBased') {
      const expiring = since === null ? null : { repository, since, now, onHold };
      const { points, isShown } = expiring === null ? NO_POINTS : await expirePoints(tx, expiring);
      const shared = expiring === null ? [] : await listPointsOnHold(tx, expiring);
      const isShared = isShown || shared.length > 0;
      if (isShared) await noteRewrite(tx, repository);
      return {
        ...place,
        points,
        shared,
        removesItems: false,
        rewrites: isShared || upkeep.rewrite === true || isErasing,
        isInUse: false,
        isPostponed: false,
      };
    }
    const hasExpired = since !== null && (await hasExpiredItems(tx, repository, since, onHold));
    if (hasExpired) await noteRewrite(tx, repository);
    const isBusy = hasExpired && (await isInUse(tx, repository, now));
    const rewrites = hasExpired || upkeep.rewrite === true;
    return {
      ...place,
      points: [],
      shared: [],
      // A retention that keeps everything may have come meanwhile.
      removesItems: rewrites && since !== null && !isBusy,
      rewrites: rewrites || isErasing,
      isInUse: isBusy && !isErasing,
      isPostponed: isBusy,
    };
  });
  if (due === null) return null;
  if (due === 'attaching') return now + BUSY_MS;
  const { company, since, shared, repacks, rewrites, removesItems, erased } = due;
  if (due.hasWaited) reservation.goOn();
  const waitLong = async (message: string): Promise<Ms> => {
    await noteRequestWait(context, tenant, repository, 'cleanUp', message);
    return context.clock.now() + getBusyPause(due.isRequested);
  };
  const wait = async (message: string): Promise<Ms> => {
    const later = await waitLong(message);
    return (await reservation.wait()) ?? later;
  };
  // Who is on hold is written all the same.
  if (due.isInUse && !due.isOutdated) return waitLong(t.repositoryInUse);
  const isDue = due.points.length > 0 || repacks || rewrites || due.isRequested || due.isOutdated;
  if (!isDue && !due.isLocked && !due.hasOldKeys) return now + EVERY_MS;
  const fail = async (message: string): Promise<never> => {
    await noteRequestWait(context, tenant, repository, 'cleanUp', message);
    throw new Error(message);
  };
  const found = await find(tenant, repository);
  if (!found.ok) return fail(found.error.message);
  // What follows isn't repeated each time.
  const unused =
    due.hasWaited && isDue
      ? await checkUnused(found.value.target, {
          password: found.value.password,
          clock: context.clock,
          chance: context.chance,
        })
      : ok(undefined);
  if (!unused.ok && unused.error.kind === 'busy') return wait(unused.error.message);
  if (!unused.ok) return fail(unused.error.message);
  const superseded = await removeSupersededKeys(context, tenant, repository, found.value);
  if (!superseded.ok && superseded.error.kind === 'busy') return wait(superseded.error.message);
  if (!superseded.ok) return waitLong(superseded.error.message);
  const { locks = null } = found.value;
  const place = locks && { ...found.value, locks, context, tenant, repository };
  // Before anything is removed: hidden files are missing in the index, or the index itself is.
  const looked = place && (await lookAtFiles(place));
  if (looked?.ok === false) return fail(looked.error.message);
  if (!isDue) {
    const renewed = place && looked && (await renewFileLocks(place, looked.value));
    if (renewed?.ok === false && renewed.error.kind === 'busy') return wait(renewed.error.message);
    return renewed?.ok === false ? fail(renewed.error.message) : now + EVERY_MS;
  }

  // With item-level retention, what describes the items is locked for as long as they are, at once.
  const writing = due.isByItem
    ? found.value
    : { ...found.value, target: locks?.cleanUpTarget ?? found.value.target };
  // First of all, so that a Daybook that attaches the repository from now on has it.
  const replaced = due.isOutdated
    ? await replaceProtections(context, tenant, writing, due.protections, {
        isCurrent,
        isRepeated: due.isInUse,
      })
    : ok([]);
  if (!replaced.ok && replaced.error.kind === 'busy') return wait(replaced.error.message);
  if (!replaced.ok) return fail(replaced.error.message);
  if (due.isInUse) return waitLong(t.repositoryInUse);
  const objects = await context.store.tenant(tenant, (tx) => listObjectNumbers(tx, repository), {
    readOnly: true,
  });
  const isSpared = async (tx: TenantTx, object: number): Promise<boolean> =>
    !(await isCurrent(tx)) ||
    (await loadObjectsOnHold(tx, repository, context.clock.now())).includes(object);
  for (const object of rewrites && removesItems ? objects : [])
    for (let isLast = false; !isLast;) {
      if (signal.aborted) return now;
      isLast = await context.store.tenant(
        tenant,
        async (tx) => (await isSpared(tx, object)) || removeExpiredItems(tx, object, since),
      );
    }
  for (const object of erased)
    if (!(await eraseObject(context.store, tenant, object, { signal, isCurrent }))) return now;
  const removed = { since, points: [...due.points, ...shared] };
  for (const object of removed.points.length === 0 ? [] : objects) {
    await context.store.tenant(tenant, async (tx) => {
      if (!(await isSpared(tx, object))) await removeObjectPoints(tx, object, removed);
    });
    for (let isLast = false; !isLast;) {
      if (signal.aborted) return now;
      isLast = await context.store.tenant(
        tenant,
        async (tx) => (await isSpared(tx, object)) || removeVersions(tx, object, since),
      );
    }
  }
  // Holds may have come meanwhile.
  const remaining = await context.store.tenant(tenant, async (tx) => {
    if (!(await isCurrent(tx))) return null;
    const present = await loadObjectsOnHold(tx, repository, context.clock.now());
    const left = await withoutPointsOnHold(tx, due.points, present);
    if (left.length < due.points.length) await noteRewrite(tx, repository);
    return { onHold: present, points: left };
  });
  if (remaining === null) return context.clock.now() + BUSY_MS;
  const { points, onHold } = remaining;
  const isRewritten = rewrites || points.length < due.points.length;
  const isErased = await loadErased(context.store, tenant, erased);
  const replacedPoints = isRewritten
    ? await rewrite(context, tenant, repository, writing, {
        since: removesItems ? since : null,
        onHold,
        ...(erased.length > 0 && {
          forgotten: new Set(points.map(({ id }) => id)),
          isErased,
        }),
      })
    : ok([]);
  if (!replacedPoints.ok && replacedPoints.error.kind === 'busy')
    return wait(replacedPoints.error.message);
  if (!replacedPoints.ok) return fail(replacedPoints.error.message);
  const pruned = await pruneRepository(locks?.cleanUpTarget ?? found.value.target, {
    password: found.value.password,
    clock: context.clock,
    chance: context.chance,
    forget: [...points.map(({ snapshot }) => snapshot), ...replacedPoints.value, ...replaced.value],
    keepBlobs: neededBlobs(context.store, tenant, { repository, since, now }),
    keepTrees: neededTrees(context.store, tenant, repository),
    // A damaged copy that is left would be found again and again.
    ...((repacks || due.isRequested) && { maxUnusedShare: 0 }),
    isLocked: locks !== null && !repacks,
  });
  if (!pruned.ok && pruned.error.kind === 'busy') return wait(pruned.error.message);
  if (!pruned.ok) return fail(pruned.error.message);
  const again = place && (await lookAtFiles(place));
  if (again?.ok === false) return fail(again.error.message);
  const renewed =
    place && again && (await renewFileLocks(place, again.value, looked?.value ?? undefined));
  if (renewed?.ok === false && renewed.error.kind === 'busy') return wait(renewed.error.message);
  if (renewed?.ok === false) return fail(renewed.error.message);
  const left = erased.length === 0 ? ok(false) : await hasErased(context, found.value, isErased);
  if (!left.ok && left.error.kind === 'busy') return wait(left.error.message);
  if (!left.ok) return fail(left.error.message);
  const storedBytes = await measure(found.value.target);
  const isDone = await context.store.tenant(tenant, async (tx) => {
    if (!(await isCurrent(tx))) return false;
    await finish(tx, {
      company,
      repository,
      points,
      erased: left.value ? [] : erased,
      protections: due.protections,
      isPostponed: due.isPostponed,
      hasDamagedCopies: due.hasDamagedCopies,
      storedBytes,
      freedBytes:
        looked && again
          ? looked.value.freedBytes + again.value.freedBytes
          : Math.max(0, pruned.value.bytesRemoved - pruned.value.bytesWritten),
      startedAt: now,
      at: context.clock.now(),
    });
    return await isUpToDate(tx, repository, context.clock.now());
  });
  if (left.value || due.isPostponed) return context.clock.now() + BUSY_MS;
  return isDone ? now + EVERY_MS : context.clock.now();
}

/** Whether the repository lists who is on hold or excluded now: who was removed can be backed up again. */
async function isUpToDate(tx: TenantTx, repository: BackupRepositoryId, now: Ms): Promise<boolean> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  return (
    row === undefined || !(await isOutdated(tx, repository, await loadProtections(tx, row, now)))
  );
}

/** Whether the repository still has objects that were to be removed. */
async function hasErased(
  { clock, chance }: AppContext,
  { target, password }: Pick<StoredRepository, 'target' | 'password'>,
  isErased: IsErased,
): Promise<EngineResult<boolean>> {
  const opened = await openRepository(target, { password, lock: 'shared', clock, chance });
  if (!opened.ok) return opened;
  try {
    return await hasErasedObjects(opened.value, isErased);
  } finally {
    await opened.value.close();
  }
}

/**
 * Removes old items, or objects that points lost, from the snapshots. Returns those that nothing
 * refers to any more.
 */
async function rewrite(
  { store, clock, chance }: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  { target, password }: Pick<StoredRepository, 'target' | 'password'>,
  rewriting: Pick<
    Parameters<typeof rewritePoints>[0],
    'since' | 'onHold' | 'forgotten' | 'isErased'
  >,
): Promise<EngineResult<readonly string[]>> {
  const opened = await openRepository(target, { password, lock: 'shared', clock, chance });
  if (!opened.ok) return opened;
  try {
    return await rewritePoints({ store, tenant, repository, ...rewriting }, opened.value);
  } finally {
    await opened.value.close();
  }
}

/** Writes who is on hold or excluded into the repository. Returns the snapshots that this replaces. */
async function replaceProtections(
  { store, clock, chance }: AppContext,
  tenant: TenantId,
  { target, password }: Pick<StoredRepository, 'target' | 'password'>,
  protections: Protections | null,
  {
    isCurrent,
    isRepeated,
  }: {
    readonly isCurrent: (tx: TenantTx) => Promise<boolean>;
    /** It may be written already. */
    readonly isRepeated: boolean;
  },
): Promise<EngineResult<readonly string[]>> {
  const opened = await openRepository(target, { password, lock: 'shared', clock, chance });
  if (!opened.ok) return opened;
  try {
    // A later run has newer ones. It can't end before this lock does.
    if (!(await store.tenant(tenant, isCurrent))) return ok([]);
    const present = isRepeated ? await hasProtections(opened.value, protections) : ok(false);
    if (!present.ok || present.value) return present.ok ? ok([]) : present;
    return await writeProtections(opened.value, protections, clock.now());
  } finally {
    await opened.value.close();
  }
}

/** Stores that items are going to be removed, so that a clean-up that was interrupted continues. */
const noteRewrite = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<void> => {
  await sql`
    update repository_access set upkeep = upkeep || '{"rewrite": true}'
    where tenant_id = ${tenant} and repository_id = ${repository}`.execute(db);
};

/** Returns how much data a repository has; null if it can't be listed. */
async function measure(target: RepositoryTarget): Promise<Bytes | null> {
  const packs = await target.list('data');
  return packs.ok ? packs.value.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) : null;
}

interface CleanedUp {
  readonly company: number;
  readonly repository: BackupRepositoryId;
  readonly points: readonly ExpiredPoint[];
  /** Objects of excluded people of which nothing is left. */
  readonly erased: readonly number[];
  /** The holds and exclusions that the repository lists now. */
  readonly protections: Protections | null;
  /** Old items stay until nobody reads them. */
  readonly isPostponed: boolean;
  /** When it began. */
  readonly hasDamagedCopies: boolean;
  readonly storedBytes: Bytes | null;
  readonly freedBytes: Bytes;
  readonly startedAt: Ms;
  readonly at: Ms;
}

async function finish(tx: TenantTx, cleaned: CleanedUp): Promise<void> {
  const { company, repository, points, storedBytes, freedBytes, at } = cleaned;
  await deletePoints(tx, points);
  if (cleaned.erased.length > 0) await endErasure(tx, repository, cleaned.erased, at);
  await storeProtections(tx, repository, cleaned.protections);
  if (storedBytes !== null) await storeSize(tx, repository, storedBytes);
  await endRun(tx, repository, cleaned);
  const { cleanUp: request } = (await loadUpkeepRequests(tx, repository)) ?? {};
  // One that was requested since then begins after this one.
  if (request?.endedAt === null && request.requestedAt <= cleaned.startedAt)
    await storeRequest(tx, repository, {
      cleanUp: {
        ...request,
        endedAt: at,
        message: null,
        removedPoints: points.length,
        freedBytes,
      },
    });
  await tx.append(
    [
      {
        company,
        entity: `backuprepository:${repository}`,
        event: {
          type: 'backuprepository.cleaned@1',
          data: { id: repository, removedPoints: points.length, freedBytes },
        },
      },
    ],
    { actor: { kind: 'clock' }, subject: null, commandId: null, at },
  );
}
