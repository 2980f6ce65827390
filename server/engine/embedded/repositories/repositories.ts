import { join } from 'node:path';
import type { ObjectLockMode } from '#contract/backup/repositories.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type {
  AttachProgress,
  NewObjectLock,
  RepositoryInput,
  RepositoryUsage,
  S3Storage,
  StorageKeysInput,
} from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, Bytes, Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { RepositoryAttachment } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { isAttachmentRunning } from '../attach/attachment.ts';
import { accessMessages as t } from '../organizations/messages.en.ts';
import { makeFolderTarget } from '../restic/folder-target.ts';
import { checkObjectLock, readLockMode } from '../object-storage/check-lock.ts';
import { makeFileVersions } from '../object-storage/file-versions.ts';
import { openS3Folder, type S3Place } from '../object-storage/s3-folder.ts';
import { makeLockedTarget, makeS3Target } from '../object-storage/s3-target.ts';
import type { BlobRef } from '../restic/check.ts';
import { revealsPassword } from '../restic/keys.ts';
import { initRepository, openRepository, type Repository } from '../restic/repository.ts';
import type { RepositoryTarget } from '../restic/target.ts';
import { done, failed, ok } from '../../result.ts';
import { LOCK_AHEAD_MS, loadLockPolicy, type LockPolicy } from './lock-policy.ts';
import type { FileLocks } from './locked-files.ts';
import { noteRemovedFile } from './stored-files.ts';
import { getRepositoriesFolder } from './shared-folder.ts';
import { countRequests, getStorageRequests, openStorage, storeStorage } from './storage.ts';

const getSecretRef = (repository: BackupRepositoryId) => ({
  table: 'repository_access',
  column: 'sealed',
  row: repository,
});

/** Each repository has a folder of its own, named after its id: of the server, or of a bucket. */
export const makeRepositoryTarget = (
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  storage: S3Storage | null,
): RepositoryTarget => {
  const { config, chance } = context;
  if (storage === null)
    return makeFolderTarget(join(getRepositoriesFolder(config), repository), { chance });
  return makeS3Target(context, getS3Place(context, tenant, repository, storage));
};

const getS3Place = (
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  storage: S3Storage,
): S3Place => ({
  ...storage,
  folder: storage.prefix === '' ? repository : `${storage.prefix}/${repository}`,
  onRequest: countRequests(context, tenant, repository),
});

/** The files of a repository in a bucket that locks them. */
function makeLockedFiles(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  storage: S3Storage,
  policy: LockPolicy,
): Pick<StoredRepository, 'target'> & { readonly locks: FileLocks } {
  const folder = openS3Folder(context, getS3Place(context, tenant, repository, storage));
  const makeTarget = (getLockedUntil: (now: Ms) => Ms): RepositoryTarget =>
    makeLockedTarget(context, folder, {
      mode: policy.mode,
      getLockedUntil,
      async noteRemoval(type, name) {
        await context.store.tenant(tenant, (tx) =>
          noteRemovedFile(tx, repository, `${type}/${name}`),
        );
        return ok(undefined);
      },
    });
  return {
    target: makeTarget((now) => policy.getRetainedUntil(now) + LOCK_AHEAD_MS),
    locks: {
      policy,
      versions: makeFileVersions(folder, policy.mode),
      cleanUpTarget: makeTarget((now) => now + LOCK_AHEAD_MS),
    },
  };
}

/** Creates a repository and keeps its password, and the keys of its storage, sealed. */
export async function createRepository(
  context: AppContext,
  { tenant }: EngineScope,
  { repository, password, passwordHint, storage, objectLock = null }: RepositoryInput,
): Promise<EngineResult<void>> {
  const wanted =
    password ?? Buffer.from(context.chance.bytes(PASSWORD_BYTES)).toString('base64url');
  if (passwordHint !== null && revealsPassword(passwordHint, wanted))
    return failed('invalid', t.hintHasPassword, { field: 'passwordHint' });
  const target =
    objectLock === null || storage === null
      ? ok(makeRepositoryTarget(context, tenant, repository, storage))
      : await checkLockedTarget(context, tenant, repository, { storage, objectLock });
  if (!target.ok) return target;
  const created = await initRepository(target.value, {
    password: wanted,
    clock: context.clock,
    chance: context.chance,
  });
  if (!created.ok) return created;
  await context.store.tenant(tenant, async (tx) => {
    await storePassword(tx, context, repository, wanted);
    if (storage !== null) await storeStorage(tx, context, repository, storage);
  });
  return ok(undefined);
}
const PASSWORD_BYTES = 24;

/** Returns the target of a new repository in a bucket that can lock files, and may be used so. */
async function checkLockedTarget(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  { storage, objectLock: { mode, lockedUntil } }: NewLockedRepository,
): Promise<EngineResult<RepositoryTarget>> {
  const folder = openS3Folder(context, getS3Place(context, tenant, repository, storage));
  const checked = await checkObjectLock(context, folder, makeFileVersions(folder, mode), mode);
  const lock = { mode, getLockedUntil: () => lockedUntil + LOCK_AHEAD_MS, noteRemoval: () => DONE };
  return checked.ok ? ok(makeLockedTarget(context, folder, lock)) : checked;
}
/**
 * Returns how the files of an existing repository are locked, if its access key may renew their locks;
 * else null. Who only wants to restore needs no permission for locks.
 */
export async function findObjectLock(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
  storage: S3Storage,
): Promise<ObjectLockMode | null> {
  const folder = openS3Folder(context, getS3Place(context, tenant, repository, storage));
  const mode = await readLockMode(folder);
  if (mode === null) return null;
  const checked = await checkObjectLock(context, folder, makeFileVersions(folder, mode), mode);
  if (checked.ok) return mode;
  context.log.warn('the locks of an attached repository are not renewed', {
    tenant,
    repository,
    message: checked.error.message,
  });
  return null;
}

const DONE = Promise.resolve(done);
interface NewLockedRepository {
  readonly storage: S3Storage;
  readonly objectLock: NewObjectLock;
}

export async function storePassword(
  tx: TenantTx,
  context: AppContext,
  repository: BackupRepositoryId,
  password: string,
): Promise<void> {
  const sealed = await seal(tx, context, getSecretRef(repository), password);
  await tx.sql
    .insertInto('repository_access')
    .values({
      tenant_id: tx.tenant,
      repository_id: repository,
      sealed,
      at: context.clock.now(),
      verified_at: null,
    })
    .onConflict((on) =>
      on.columns(['tenant_id', 'repository_id']).doUpdateSet({ sealed, at: context.clock.now() }),
    )
    .execute();
}

/** Returns where a repository is, and its password. `busy` while it is attached. */
export async function findStoredRepository(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
): Promise<EngineResult<StoredRepository>> {
  const found = await findRepositoryAccess(context, tenant, repository);
  return found.ok && found.value.isAttaching ? failed('busy', t.attaching) : found;
}

/** The same also while it is attached. */
export async function findRepositoryAccess(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
): Promise<EngineResult<StoredRepository>> {
  const stored = await context.store.tenant(
    tenant,
    async (tx) => {
      const row = await tx.sql
        .selectFrom('repository_access')
        .select(['sealed', 'upkeep', 'attachment', 'storage', 'storage_sealed'])
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .executeTakeFirst();
      if (row === undefined) return null;
      const password = await unseal(tx, context, getSecretRef(repository), row.sealed);
      return {
        password,
        storage: await openStorage(tx, context, repository, row),
        policy: await loadLockPolicy(tx, repository, context.clock.now()),
        damaged: row.upkeep.damaged ?? [],
        isAttaching: isAttachmentRunning(row.attachment),
      };
    },
    { readOnly: true },
  );
  if (stored === null) return failed('missing', t.noRepository);
  const { storage, policy, ...rest } = stored;
  return ok({
    ...rest,
    storage,
    ...(storage === null || policy === null
      ? { target: makeRepositoryTarget(context, tenant, repository, storage), locks: null }
      : makeLockedFiles(context, tenant, repository, storage, policy)),
  });
}
export interface StoredRepository {
  readonly target: RepositoryTarget;
  readonly password: string;
  /** Null: a folder of the server. */
  readonly storage: S3Storage | null;
  /** Null: files can be deleted at any time. */
  readonly locks: FileLocks | null;
  /** What a verification found damaged. Sessions save it again. */
  readonly damaged: readonly BlobRef[];
  readonly isAttaching: boolean;
}

/** Opens a repository to read and write. */
export async function openStoredRepository(
  context: AppContext,
  tenant: TenantId,
  repository: BackupRepositoryId,
): Promise<EngineResult<Repository>> {
  const found = await findStoredRepository(context, tenant, repository);
  if (!found.ok) return found;
  const { target, password, damaged } = found.value;
  const { clock, chance, blobThreads: threads } = context;
  const opened = await openRepository(target, { password, lock: 'shared', clock, chance, threads });
  if (opened.ok) opened.value.markDamaged(damaged);
  return opened;
}

/**
 * Replaces the keys of object storage, if the new ones open the repository and may do what it needs.
 */
export async function changeStorageKeys(
  context: AppContext,
  { tenant }: EngineScope,
  { repository, keys }: StorageKeysInput,
): Promise<EngineResult<void>> {
  const found = await findRepositoryAccess(context, tenant, repository);
  if (!found.ok) return found;
  const { storage, password, locks } = found.value;
  if (storage === null) return failed('invalid', t.noStorage, { field: 'storageKeys' });
  const changed = { ...storage, ...keys };
  const { clock, chance } = context;
  const opened = await openRepository(makeRepositoryTarget(context, tenant, repository, changed), {
    password,
    lock: 'none',
    clock,
    chance,
  });
  if (!opened.ok) return opened;
  await opened.value.close();
  if (locks !== null) {
    const folder = openS3Folder(context, getS3Place(context, tenant, repository, changed));
    const { mode } = locks.policy;
    const checked = await checkObjectLock(context, folder, makeFileVersions(folder, mode), mode);
    if (!checked.ok) return checked;
  }
  await context.store.tenant(tenant, (tx) => storeStorage(tx, context, repository, changed));
  return ok(undefined);
}

/** Stores how much data a repository has. */
export const storeSize = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  storedBytes: Bytes,
): Promise<void> => {
  await db
    .updateTable('repository_access')
    .set({ stored_bytes: storedBytes })
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .execute();
};

export const readRepositoryUsage = (
  context: AppContext,
  { tenant }: EngineScope,
  repository: BackupRepositoryId,
): Promise<EngineResult<RepositoryUsage>> =>
  context.store.tenant(
    tenant,
    async ({ sql: db }) => {
      const row = await db
        .selectFrom('repository_access')
        .select([
          'verified_at',
          'stored_bytes',
          'upkeep',
          'attachment',
          'requests',
          'storage_requests',
          'locks',
        ])
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .executeTakeFirst();
      if (row === undefined) return failed('missing', t.noRepository);
      const points = await db
        .selectFrom('restore_point')
        .select((point) => point.fn.countAll<number>().as('count'))
        .where('tenant_id', '=', tenant)
        .where('repository_id', '=', repository)
        .where('complete', '=', true)
        .executeTakeFirstOrThrow();
      return ok({
        storedBytes: row.stored_bytes,
        points: points.count,
        verifiedAt: row.verified_at,
        damagedItems: row.upkeep.items ?? [],
        storageRequests: getStorageRequests(row.storage_requests),
        locks: row.locks,
        attachment: getAttachment(row.attachment),
        cleanUp: row.requests.cleanUp ?? null,
        verification: row.requests.verification ?? null,
      });
    },
    { readOnly: true },
  );

const getAttachment = (stored: RepositoryAttachment | null): AttachProgress | null =>
  stored && {
    isDone: !isAttachmentRunning(stored),
    points: stored.points,
    objects: stored.objects,
    problems: stored.problems,
    problemCount: stored.problemCount,
  };
