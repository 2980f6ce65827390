import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { AttachInput, AttachStarted } from '#contract/engine/repositories.ts';
import type { BackupRepositoryId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { RepositoryAttachment } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import { accessMessages as t } from '../organizations/messages.en.ts';
import { isInUse } from '../repositories/expired.ts';
import {
  findObjectLock,
  makeRepositoryTarget,
  storePassword,
} from '../repositories/repositories.ts';
import { storeStorage } from '../repositories/storage.ts';
import { openRepository, type Repository } from '../restic/repository.ts';
import { getSession, type PointFacts } from '../sessions/restore-point.ts';
import { failed, ok } from '../../result.ts';
import {
  beginAttachment,
  forgetAccess,
  isAttachmentRunning,
  storeAttachment,
} from './attachment.ts';
import { readPoint } from './lines.ts';
import { findRepositoryOfPoint, isOwn } from './points.ts';

/**
 * Begins to take over a repository, if its newest restore point is of the organization. A repository
 * that doesn't exist, a wrong password and somebody else's repository look the same (G72).
 */
export async function attachRepository(
  context: AppContext,
  { tenant, organization }: EngineScope,
  { repository, password, storage, directoryId: directory, isRetainedForever }: AttachInput,
): Promise<EngineResult<AttachStarted>> {
  if (!UUID.test(repository)) return REFUSED;
  const { store, clock, chance } = context;
  const opened = await openRepository(makeRepositoryTarget(context, tenant, repository, storage), {
    password,
    lock: 'none',
    clock,
    chance,
  });
  if (!opened.ok) return HIDDEN_KINDS.has(opened.error.kind) ? REFUSED : opened;
  const newest = await findNewest(opened.value);
  await opened.value.close();
  if (!newest.ok) return newest;
  if (newest.value === null || !isOwn({ organization, directory }, newest.value)) return REFUSED;
  if (await isUsedByOthers(context, tenant, repository)) return REFUSED;
  const objectLock =
    storage === null ? null : await findObjectLock(context, tenant, repository, storage);
  if (objectLock !== null && isRetainedForever)
    return failed('invalid', t.lockWithKeep, { field: 'retentionPolicy' });
  const { point } = newest.value;
  const storeAccess = async (tx: TenantTx): Promise<void> => {
    await storePassword(tx, context, repository, password);
    if (storage !== null) await storeStorage(tx, context, repository, storage);
  };
  const begun = await store.tenant(
    tenant,
    async (tx): Promise<EngineResult<{ isNew: boolean }>> => {
      const home = await findRepositoryOfPoint(tx, point);
      if (home !== null && home !== repository) return failed('conflict', t.copiedRepository);
      const known = await loadAccess(tx, repository);
      if (known !== null && isAttachmentRunning(known.attachment)) {
        await storeAccess(tx);
        return ok({ isNew: false });
      }
      const now = clock.now();
      if ((await hasSession(tx, repository)) || (await isInUse(tx, repository, now)))
        return failed('busy', t.repositoryInUse);
      await storeAccess(tx);
      await storeAttachment(tx, repository, beginAttachment(now));
      return ok({ isNew: known === null });
    },
  );
  if (!begun.ok) return begun;
  // Two providers at once: each sees the other's claim, and at most one stays.
  if (begun.value.isNew && (await isUsedByOthers(context, tenant, repository))) {
    await store.tenant(tenant, (tx) => forgetAccess(tx, repository));
    return REFUSED;
  }
  await store.tenant(tenant, (tx) =>
    scheduleUpkeep(tx, 'repository-attachment', repository, clock.now()),
  );
  return ok({ objectLock });
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const REFUSED = failed('missing', t.notAttachable);
/** Errors before the password has opened the repository. */
const HIDDEN_KINDS: ReadonlySet<string> = new Set(['missing', 'refused', 'invalid']);

/** Returns what the newest readable restore point of Daybook says; null: there is none. */
async function findNewest(opened: Repository): Promise<EngineResult<PointFacts | null>> {
  const listed = await opened.listSnapshots(() => undefined);
  if (!listed.ok) return listed;
  for (const snapshot of listed.value.toReversed()) {
    if (getSession(snapshot) === null) continue;
    const described = await readPoint(opened, snapshot.tree);
    if (described.ok) return ok(described.value.facts);
    if (described.error.kind !== 'damaged') return described;
  }
  return ok(null);
}

/** Whether another provider of this server has the repository. */
async function isUsedByOthers(
  { store }: AppContext,
  own: TenantId,
  repository: BackupRepositoryId,
): Promise<boolean> {
  for (const tenant of await store.tenants()) {
    if (tenant === own) continue;
    const access = await store.tenant(tenant, (tx) => loadAccess(tx, repository), {
      readOnly: true,
    });
    if (access !== null) return true;
  }
  return false;
}

const loadAccess = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<{ readonly attachment: RepositoryAttachment | null } | null> =>
  (await db
    .selectFrom('repository_access')
    .select('attachment')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst()) ?? null;

const hasSession = async (
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<boolean> =>
  (await db
    .selectFrom('backup_session')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .where('state', '<>', 'done')
    .executeTakeFirst()) !== undefined;
