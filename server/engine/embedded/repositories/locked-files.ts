import type { EngineResult } from '#contract/engine/engine.ts';
import type { FileLocksState, Tampering } from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { FileVersionStore } from '../object-storage/file-versions.ts';
import { openRepository } from '../restic/repository.ts';
import type { RepositoryTarget } from '../restic/target.ts';
import { ok } from '../../result.ts';
import type { LockPolicy } from './lock-policy.ts';
import { reconcileFiles, type Reconciled } from './reconcile-files.ts';
import { renewLocks } from './renew-locks.ts';
import { storeLocksState } from './stored-files.ts';

/** The files of a repository with a lock. */
export interface FileLocks {
  readonly policy: LockPolicy;
  readonly versions: FileVersionStore;
  /** What a clean-up writes is locked for ten days, and then as long as it is needed. */
  readonly cleanUpTarget: RepositoryTarget;
}

interface Place {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly repository: BackupRepositoryId;
  readonly target: RepositoryTarget;
  readonly password: string;
  readonly locks: FileLocks;
}

/** Deletes what may go, and brings back what somebody else hid. Returns what is in the bucket. */
export const lookAtFiles = ({ locks: { versions }, ...place }: Place) =>
  reconcileFiles({ ...place, versions });

/** Renews the locks of a repository, and stores what was found. `found`: by the last look. */
export async function renewFileLocks(
  place: Place,
  found: Reconciled,
  before: Pick<Reconciled, 'recovered'> = { recovered: 0 },
): Promise<EngineResult<void>> {
  const { context, tenant, repository, target, password, locks } = place;
  const { clock, chance } = context;
  const opened = await openRepository(target, { password, lock: 'shared', clock, chance });
  if (!opened.ok) return opened;
  const renewed = await renewLocks(
    { ...place, versions: locks.versions },
    found,
    locks.policy,
    opened.value,
  );
  const closed = await opened.value.close();
  const recovered = found.recovered + before.recovered;
  await storeState(place, { ...found, recovered });
  if (recovered > 0 || found.lost > 0)
    context.log.warn('files of a repository were deleted or overwritten by somebody else', {
      tenant,
      repository,
      recovered,
      lost: found.lost,
    });
  return renewed.ok ? closed : renewed;
}

const storeState = (
  { context: { store, clock }, tenant, repository }: Place,
  { files, removedBytes, recovered, lost }: Reconciled,
): Promise<void> =>
  store.tenant(tenant, async (tx) => {
    const now = clock.now();
    const row = await tx.sql
      .selectFrom('repository_access')
      .select('locks')
      .where('tenant_id', '=', tenant)
      .where('repository_id', '=', repository)
      .executeTakeFirst();
    const before = getRecent(row?.locks?.tampering ?? null, now);
    // Files that stay lost are no news.
    if (recovered > 0 || lost > (before?.lost ?? 0))
      await logTampering(tx, repository, { at: now, recovered, lost });
    await storeLocksState(tx, repository, {
      checkedAt: now,
      lockedUntil: findLastLock(files, now),
      removedBytes,
      tampering: recovered > 0 || lost > 0 ? { at: now, recovered, lost } : before,
    });
  });

async function logTampering(
  tx: TenantTx,
  repository: BackupRepositoryId,
  { at, recovered, lost }: Tampering,
): Promise<void> {
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  if (row?.removedAt !== null) return;
  await tx.append(
    [
      {
        company: row.company,
        entity: `backuprepository:${repository}`,
        event: {
          type: 'backuprepository.tampered@1',
          data: { id: repository, recovered, lost },
        },
      },
    ],
    { actor: { kind: 'clock' }, subject: null, commandId: null, at },
  );
}

/** For how long the page shows it. */
const RECENT_MS: Ms = 30 * 24 * 60 * 60_000;
const getRecent = (tampering: Tampering | null, now: Ms): Tampering | null =>
  tampering !== null && now - tampering.at < RECENT_MS ? tampering : null;

function findLastLock(files: Reconciled['files'], now: Ms): Ms | null {
  let last = now;
  for (const { lockedUntil } of files.values()) last = Math.max(last, lockedUntil);
  return last > now ? last : null;
}

/**
 * Deletes all files of a repository whose lock has ended, and hides the others. Returns when the next
 * of those can be deleted; null: nothing is left.
 */
export async function destroyLockedFiles(
  place: Omit<Place, 'password'>,
): Promise<EngineResult<Ms | null>> {
  const looked = await reconcileFiles(
    { ...place, versions: place.locks.versions },
    { isDeleting: true },
  );
  if (!looked.ok) return looked;
  const { files, removedBytes } = looked.value;
  if (files.size === 0) return ok(null);
  const { store, clock } = place.context;
  const state: FileLocksState = {
    checkedAt: clock.now(),
    lockedUntil: findLastLock(files, clock.now()),
    removedBytes,
    tampering: null,
  };
  await store.tenant(place.tenant, (tx) => storeLocksState(tx, place.repository, state));
  return ok(Math.min(...[...files.values()].map(({ lockedUntil }) => lockedUntil)));
}
