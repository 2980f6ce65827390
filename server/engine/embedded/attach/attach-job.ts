import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { BackupRepositoryId, Ms, OrganizationId, TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { RepositoryAttachment } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { scheduleUpkeep } from '#server/platform/jobs/schedule.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import { hideExcluded } from '../repositories/exclusions.ts';
import { type StoredRepository, storeSize } from '../repositories/repositories.ts';
import { openRepository } from '../restic/repository.ts';
import { done } from '../../result.ts';
import {
  type AttachRun,
  checkSignal,
  commit,
  forgetAccess,
  isAttachmentRunning,
} from './attachment.ts';
import { attachObjects } from './objects.ts';
import { attachPoints, clearIndex } from './points.ts';

/** The pause while somebody else uses the repository. */
const BUSY_MS: Ms = 60_000;
/** The pause while the repository itself isn't stored yet. */
const UNKNOWN_MS: Ms = 5_000;
/** A repository that nobody stores for so long is not attached. */
const ABANDONED_MS: Ms = 10 * 60_000;

/**
 * Rebuilds the index of a repository from its restore points (ENG-4). Its lock keeps writers and
 * clean-ups away, also those of other servers. After a crash, the next run continues.
 */
export const repositoryAttachment =
  (
    context: AppContext,
    find: (
      tenant: TenantId,
      repository: BackupRepositoryId,
    ) => Promise<EngineResult<Pick<StoredRepository, 'target' | 'password'>>>,
  ): JobHandler<'repository-attachment'> =>
  async ({ tenant, now, signal, payload: { repository } }) => {
    const { store, clock, chance } = context;
    const begun = await store.tenant(tenant, (tx) => load(tx, repository), { readOnly: true });
    if (begun === null || !isAttachmentRunning(begun.attachment)) return null;
    const { attachment: progress, place } = begun;
    if (place === null) {
      if (now - progress.since < ABANDONED_MS) return now + UNKNOWN_MS;
      await store.tenant(tenant, (tx) => forgetAccess(tx, repository));
      return null;
    }
    if (place.isRemoved) return null;
    const found = await find(tenant, repository);
    if (!found.ok) throw new Error(found.error.message);
    const { target, password } = found.value;
    const opened = await openRepository(target, { password, lock: 'exclusive', clock, chance });
    if (!opened.ok && opened.error.kind === 'busy') return now + BUSY_MS;
    if (!opened.ok) throw new Error(opened.error.message);
    try {
      const { organization, directory } = place;
      const attached = await attach(
        {
          store,
          tenant,
          repository,
          organization,
          directory,
          opened: opened.value,
          clock,
          chance,
          signal,
          progress,
        },
        clock.now(),
      );
      if (attached.ok) return null;
      if (attached.error.kind === 'ended') return clock.now();
      throw new Error(attached.error.message);
    } finally {
      await opened.value.close();
    }
  };

async function attach(run: AttachRun, now: Ms): Promise<EngineResult<void>> {
  for (const [state, work] of STEPS) {
    if (run.progress.state !== state) continue;
    const worked = await work(run, now);
    if (!worked.ok) return worked;
  }
  const size = await run.opened.measure();
  if (!size.ok) return size;
  await commit(run, { state: 'done' }, async (tx) => {
    await storeSize(tx, run.repository, size.value);
    for (const type of ['repository-verification', 'repository-clean-up'] as const)
      await scheduleUpkeep(tx, type, run.repository, now);
  });
  return done;
}

/** The steps in their order. Each one stores that the next has begun. */
const STEPS = [
  ['clearing', clearIndex],
  ['points', attachPoints],
  ['objects', attachObjects],
  ['completing', completePoints],
] as const;

/** Makes the restore points visible, without people who are excluded from backups (ENG-122). */
async function completePoints(run: AttachRun, now: Ms): Promise<EngineResult<void>> {
  const { repository: id, organization } = run;
  await run.store.tenant(run.tenant, (tx) => hideExcluded(tx, { id, organization }, now));
  for (let isLast = false; !isLast;) {
    const going = checkSignal(run);
    if (!going.ok) return going;
    isLast = await run.store.tenant(run.tenant, async ({ sql: db, tenant }) => {
      const { numAffectedRows } = await sql`
        update restore_point set complete = true where tenant_id = ${tenant} and id in (
          select id from restore_point where tenant_id = ${tenant} and repository_id = ${run.repository}
            and not complete and snapshot is not null limit ${BATCH_ROWS})`.execute(db);
      return (numAffectedRows ?? 0n) < BigInt(BATCH_ROWS);
    });
  }
  return done;
}

interface Begun {
  readonly attachment: RepositoryAttachment;
  /** Null: the repository isn't stored yet. */
  readonly place: {
    readonly organization: OrganizationId;
    readonly directory: string | null;
    readonly isRemoved: boolean;
  } | null;
}

async function load(tx: TenantTx, repository: BackupRepositoryId): Promise<Begun | null> {
  const access = await tx.sql
    .selectFrom('repository_access')
    .select('attachment')
    .where('tenant_id', '=', tx.tenant)
    .where('repository_id', '=', repository)
    .executeTakeFirst();
  if (!access?.attachment) return null;
  const row = (await tx.rows('backupRepository', [repository])).get(repository);
  if (row === undefined) return { attachment: access.attachment, place: null };
  const owner = (await tx.rows('organization', [row.organization])).get(row.organization);
  return {
    attachment: access.attachment,
    place: {
      organization: row.organization,
      directory: owner?.directoryId ?? null,
      isRemoved: row.removedAt !== null,
    },
  };
}
