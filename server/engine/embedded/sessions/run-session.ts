import { sql } from 'kysely';
import { isExcluded } from '#contract/backup/exclusions.ts';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import { policyAt, retainedSince } from '#contract/backup/retention.ts';
import { nextOpen } from '#contract/backup/schedule.ts';
import type { EngineError, EngineResult, ObjectKind } from '#contract/engine/engine.ts';
import type { SessionLogLine, Waiting } from '#contract/engine/sessions.ts';
import type {
  BackupRepositoryId,
  BackupSessionId,
  Ms,
  OrganizationId,
  PointId,
  TenantId,
} from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { FailingTimes } from '#server/platform/db/database-engine.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { loadCompanyLimit } from '#server/platform/queries/query.ts';
import { ensureObject } from '../index/objects.ts';
import type { TextReader } from '../full-text/text-reader.ts';
import { addFailure } from '../patience.ts';
import type { Repository } from '../restic/repository.ts';
import type { ObjectSource, SourceCall } from '../types.ts';
import type { Waits } from '../waits.ts';
import { writeTo } from './content-writer.ts';
import { endBackupSession } from './end-session.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';
import { loadExclusions } from '../repositories/exclusions.ts';
import { isReserved, LOOK_AGAIN_MS } from '../repositories/reservation.ts';
import { loadVersionLimits, type VersionLimit } from './wanted-versions.ts';
import { runWork, storeImportedWords } from './run-work.ts';
import { type TenantDirectory, selectObjects } from './select-objects.ts';
import { addLog, beginPoint } from './session-rows.ts';
import { isAccessDenied } from '../organizations/access-denied.ts';
import {
  followSessionWaits,
  storeAccessDenied,
  storeFailing,
  storeProgress,
  storeWaiting,
} from './show-waiting.ts';
import {
  cancelWork,
  countWork,
  leaseWork,
  queueWork,
  releaseWork,
  takeWorkOver,
  type WorkCounts,
} from './work.ts';
import { done } from '../../result.ts';

/** What a session needs of the rest of the engine. */
export interface SessionPorts {
  openOrganization(
    tenant: TenantId,
    organization: OrganizationId,
    call: SourceCall,
  ): Promise<EngineResult<OpenOrganization>>;
  /** To write. `busy` while it is cleaned up. */
  openRepository(
    tenant: TenantId,
    repository: BackupRepositoryId,
  ): Promise<EngineResult<Repository>>;
  readonly texts: TextReader;
}
export interface OpenOrganization {
  readonly sources: readonly ObjectSource[];
  readonly directory: TenantDirectory;
}

/** Objects that one session works on at the same time. */
const CONCURRENCY = 2;
/** The pause after an error that may pass. */
const RETRY_MS: Ms = 60_000;
/** The pause where another transaction held the row of an object. */
const LOCKED_MS: Ms = 5_000;
/** A session whose organization or repository has not answered for this long has failed. */
const PATIENCE_MS: Ms = 60 * 60_000;
/** The same for a repository that is cleaned up, or in which there is something to save. */
const REPOSITORY_PATIENCE_MS: Ms = 24 * 60 * 60_000;
const PROGRESS_MS: Ms = 2_000;

/** A session with what its parts share while a process works on it. */
export interface RunningSession {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly id: BackupSessionId;
  readonly point: PointId;
  /** The date of its restore point: when it began to read, not when it was queued. */
  readonly pointAt: Ms;
  readonly isConfirmed: boolean;
  /** Older items are not backed up; null: all are. */
  readonly retainedSince: Ms | null;
  readonly includesPosts: boolean;
  readonly timeZone: string;
  /** The words of contents are stored for searches. */
  readonly keepsWords: boolean;
  /** Of this job and of others that want more versions of files. */
  readonly versionLimits: readonly VersionLimit[];
  /** This process, for leases. */
  readonly owner: string;
  readonly stop: AbortSignal;
  readonly waits: Waits;
  /** Ends the work of this process. The session continues later, unless a person stopped it. */
  interrupt(): void;
  log(tx: TenantTx, level: SessionLogLine['level'], message: string): Promise<void>;
}

/**
 * Runs a session to its end, or until it has to wait: then returns when it continues, and holds
 * nothing meanwhile (ENG-9). The next call continues where it was, even after a crash.
 */
export const backupSession =
  (context: AppContext, ports: SessionPorts): JobHandler<'backup-session'> =>
  async ({ tenant, payload: { session: id }, signal }) => {
    const state = await context.store.tenant(
      tenant,
      (tx) => loadSession(tx, id, context.clock.now()),
      {
        readOnly: true,
      },
    );
    if (state === null) return null;
    const abort = new AbortController();
    const log: RunningSession['log'] = (tx, level, message) =>
      addLog(tx, id, { at: context.clock.now(), level, message });
    const session: RunningSession = {
      context,
      tenant,
      id,
      point: state.point,
      pointAt: state.pointAt,
      isConfirmed: state.reason === 'manual',
      retainedSince: state.retainedSince,
      includesPosts: state.includesPosts,
      timeZone: state.timeZone,
      keepsWords: state.job.isFullTextEnabled === true,
      versionLimits: state.versionLimits,
      owner: context.chance.uuid(),
      stop: AbortSignal.any([signal, abort.signal]),
      interrupt: () => {
        abort.abort();
      },
      log,
      waits: followSessionWaits({ context, tenant, id, log }),
    };
    return state.state === 'stopping'
      ? finishStopped(session, ports, state)
      : runSession(session, ports, state);
  };

export interface SessionState {
  readonly job: BackupJobRow;
  /** The tenant's id at Microsoft. */
  readonly directory: string | null;
  readonly point: PointId;
  readonly state: string;
  readonly reason: string;
  readonly pointAt: Ms;
  readonly timeZone: string;
  readonly services: readonly ObjectKind[];
  readonly storedBytes: number;
  readonly retainedSince: Ms | null;
  /** Posts of teams are backed up only if the organization and the job ask for them. */
  readonly includesPosts: boolean;
  readonly versionLimits: readonly VersionLimit[];
  readonly counts: WorkCounts;
  /** A clean-up of the repository comes first. */
  readonly isReserved: boolean;
  /** Null: the last attempt could continue. */
  readonly failing: FailingTimes | null;
}

async function loadSession(
  tx: TenantTx,
  id: BackupSessionId,
  now: Ms,
): Promise<SessionState | null> {
  const row = await tx.sql
    .selectFrom('backup_session as s')
    .innerJoin('restore_point as p', (join) =>
      join.onRef('p.tenant_id', '=', 's.tenant_id').onRef('p.session_id', '=', 's.id'),
    )
    .select(['s.job_id', 's.state', 's.reason', 's.progress', 'p.id as point', 'p.at'])
    .where('s.tenant_id', '=', tx.tenant)
    .where('s.id', '=', id)
    .where('s.state', '<>', 'done')
    .executeTakeFirst();
  if (row === undefined) return null;
  const job = (await tx.rows('backupJob', [row.job_id])).get(row.job_id);
  if (job === undefined) return null;
  const organization = (await tx.rows('organization', [job.organization])).get(job.organization);
  const repository = (await tx.rows('backupRepository', [job.repository])).get(job.repository);
  const { timeZone } = await loadCompanyLimit(tx);
  return {
    job,
    directory: organization?.directoryId ?? null,
    point: row.point,
    state: job.removedAt === null ? row.state : 'stopping',
    reason: row.reason,
    pointAt: row.at,
    timeZone,
    retainedSince:
      repository?.retentionType === 'ItemLevel'
        ? retainedSince(policyAt(repository, now), now, timeZone)
        : null,
    services: [
      ...(organization?.isExchangeOnline === true ? (['mailbox', 'archive'] as const) : []),
      ...(organization?.isSharePointOnline === true ? (['drive', 'site'] as const) : []),
      ...(organization?.isTeamsOnline === true ? (['team'] as const) : []),
    ],
    includesPosts:
      organization?.isTeamsChatsOnline === true &&
      (job.isTeamsChatsEnabled ||
        job.selectedItems.some(({ parts }) => parts.includes('teamsChats'))),
    versionLimits: await loadVersionLimits(tx, job),
    isReserved: await isReserved(tx, job.repository, now),
    storedBytes: row.progress.storedBytes ?? 0,
    failing: row.progress.failing ?? null,
    counts: await countWork(tx, id, now),
  };
}

async function runSession(
  session: RunningSession,
  ports: SessionPorts,
  state: SessionState,
): Promise<Ms | null> {
  const { context, tenant } = session;
  const now = context.clock.now();
  const opens =
    nextOpen(state.job.schedulePolicy.backupWindow, now, state.timeZone) ?? now + PATIENCE_MS;
  if (opens > now) return pause(session, opens, t.paused);
  if (state.isReserved) return pause(session, now + LOOK_AGAIN_MS, t.cleanUpFirst);
  await context.store.tenant(tenant, (tx) =>
    takeWorkOver(tx, { session: session.id, owner: session.owner }),
  );
  const organization = await ports.openOrganization(tenant, state.job.organization, {
    signal: session.stop,
    onWaiting: session.waits.onWaiting,
  });
  if (!organization.ok)
    return failOrWait(session, ports, state, 'organization', organization.error);
  const queued = await queueObjects(session, state, organization.value);
  if (!queued.ok) return failOrWait(session, ports, state, 'organization', queued.error);
  const repository = await ports.openRepository(tenant, state.job.repository);
  if (!repository.ok) return failOrWait(session, ports, state, 'repository', repository.error);
  try {
    if (state.failing !== null)
      await context.store.tenant(tenant, (tx) => storeFailing(tx, session.id, null));
    const pointAt = await context.store.tenant(tenant, (tx) => beginPoint(tx, session, now));
    return await work({ ...session, pointAt }, state, {
      sources: organization.value.sources,
      repository: repository.value,
      texts: ports.texts,
    });
  } finally {
    await repository.value.close();
  }
}

/** Finds the objects of the session, once. */
async function queueObjects(
  session: RunningSession,
  { job, services, counts }: SessionState,
  { directory, sources }: OpenOrganization,
): Promise<EngineResult<void>> {
  if (counts.total > 0) return done;
  const selected = await selectObjects(
    job,
    directory,
    services.filter((kind) => sources.some(({ kinds }) => kinds.includes(kind))),
  );
  if (!selected.ok) return selected;
  await session.context.store.tenant(session.tenant, async (tx) => {
    const exclusions = await loadExclusions(tx, job.organization);
    const objects = selected.value.filter((object) => !isExcluded(exclusions, object));
    const excluded = selected.value.length - objects.length;
    const numbers: number[] = [];
    for (const object of objects) numbers.push((await ensureObject(tx, job, object)).n);
    await queueWork(tx, session.id, numbers);
    // A session without objects ends at once, and says so then.
    if (numbers.length > 0) await session.log(tx, 'info', t.objects({ count: numbers.length }));
    if (excluded > 0) await session.log(tx, 'info', t.excludedCount({ count: excluded }));
  });
  return done;
}

async function work(
  session: RunningSession,
  state: SessionState,
  tools: {
    readonly sources: readonly ObjectSource[];
    readonly repository: Repository;
    readonly texts: TextReader;
  },
): Promise<Ms | null> {
  const { context, tenant, id, owner } = session;
  const { repository } = tools;
  const content = writeTo(repository);
  const progress = followProgress(session, state, content.storedBytes);
  let ownWork = 0;
  const workOn = async (): Promise<void> => {
    while (!session.stop.aborted && content.failure() === null) {
      const leased = await context.store.tenant(tenant, (tx) =>
        leaseWork(tx, { session: id, owner }, context.clock.now()),
      );
      if (leased === undefined) return;
      ownWork += 1;
      try {
        await runWork(session, leased, { ...tools, content, progress });
      } catch (error) {
        // The others end too: the next run of the session opens the repository again.
        session.interrupt();
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: CONCURRENCY }, workOn));
  progress.end();
  const failure = ends.find(({ status }) => status === 'rejected');
  if (failure?.status === 'rejected') {
    // Otherwise nobody could continue until they expire.
    await context.store.tenant(tenant, (tx) => releaseWork(tx, { session: id, owner }));
    throw failure.reason;
  }
  await progress.write();
  const after = await context.store.tenant(
    tenant,
    (tx) => loadSession(tx, id, context.clock.now()),
    {
      readOnly: true,
    },
  );
  if (after === null) return null;
  if (after.state === 'stopping') return finish(session, after, repository, ownWork === 0);
  const { total, succeeded, warned, failed, waitingUntil, hasFree } = after.counts;
  if (total === succeeded + warned + failed) {
    if (session.keepsWords) await storeImportedWords(session, after.job, tools);
    return finish(session, after, repository, ownWork === 0);
  }
  const now = context.clock.now();
  if (session.stop.aborted) return now;
  return hasFree ? now + LOCKED_MS : Math.max(now + 1_000, waitingUntil ?? now + RETRY_MS);
}

async function finishStopped(
  session: RunningSession,
  ports: SessionPorts,
  state: SessionState,
): Promise<Ms | null> {
  const repository = await ports.openRepository(session.tenant, state.job.repository);
  if (!repository.ok) {
    await endBackupSession(session, state, { repository: null, error: null, mayExist: true });
    return null;
  }
  try {
    return await finish(session, state, repository.value, true);
  } finally {
    await repository.value.close();
  }
}

async function finish(
  session: RunningSession,
  state: SessionState,
  repository: Repository,
  mayExist: boolean,
  error: string | null = null,
): Promise<Ms | null> {
  if (state.state === 'stopping')
    await session.context.store.tenant(session.tenant, (tx) => cancelWork(tx, session.id));
  const ended = await endBackupSession(session, state, { repository, error, mayExist });
  if (ended.ok) return null;
  const message = t.repository({ reason: ended.error.message });
  await session.context.store.tenant(session.tenant, (tx) => session.log(tx, 'warning', message));
  return session.context.clock.now() + RETRY_MS;
}

/**
 * Waits for what may pass, for a while, and ends the session otherwise. What was backed up until
 * then becomes its restore point (ENG-85).
 */
async function failOrWait(
  session: RunningSession,
  ports: SessionPorts,
  state: SessionState,
  what: 'organization' | 'repository',
  { kind, message, waitMs }: EngineError,
): Promise<Ms | null> {
  const now = session.context.clock.now();
  const reason = t[what]({ reason: message });
  const hasContent = state.counts.succeeded + state.counts.warned > 0;
  // A cloud that asks to wait answers.
  const failing =
    what === 'organization' && kind === 'busy' ? null : addFailure(state.failing, now);
  const patience =
    what === 'repository' && (hasContent || kind === 'busy') ? REPOSITORY_PATIENCE_MS : PATIENCE_MS;
  const mayPass = kind === 'busy' || kind === 'unreachable';
  if (mayPass && (failing === null || now - failing.since < patience)) {
    const until = now + (waitMs ?? RETRY_MS);
    await wait(session, { until, reason }, failing);
    return until;
  }
  if (what === 'organization' && isAccessDenied(kind))
    await session.context.store.tenant(session.tenant, (tx) => storeAccessDenied(tx, session.id));
  if (what === 'organization' && hasContent) {
    const repository = await ports.openRepository(session.tenant, state.job.repository);
    if (!repository.ok) return failOrWait(session, ports, state, 'repository', repository.error);
    try {
      return await finish(session, state, repository.value, true, reason);
    } finally {
      await repository.value.close();
    }
  }
  await endBackupSession(session, state, { repository: null, error: reason, mayExist: false });
  return null;
}

async function pause(session: RunningSession, until: Ms, reason: string): Promise<Ms> {
  await wait(session, { until, reason });
  return until;
}

/** Shows why the session waits. The last line of its log isn't repeated. */
const wait = (
  session: RunningSession,
  waiting: Waiting,
  failing: FailingTimes | null = null,
): Promise<void> =>
  session.context.store.tenant(session.tenant, async (tx) => {
    const { tenant, id } = session;
    await storeWaiting(tx, id, waiting);
    await storeFailing(tx, id, failing);
    const { rows } = await sql<{ readonly message: string }>`
      select message from backup_log where tenant_id = ${tenant} and session_id = ${id} order by n desc limit 1`.execute(
      tx.sql,
    );
    if (rows[0]?.message !== waiting.reason) await session.log(tx, 'info', waiting.reason);
  });

/** Stores how far a session is, at most every two seconds, and stops it if a person asked to. */
export interface ProgressWriter {
  touch(): void;
  write(): Promise<void>;
  end(): void;
}

function followProgress(
  session: RunningSession,
  { storedBytes, job, timeZone }: SessionState,
  storedNow: () => number,
): ProgressWriter {
  const { context, tenant, id } = session;
  let timer: { cancel(): void } | null = null;
  let isEnded = false;
  async function write(): Promise<void> {
    const now = context.clock.now();
    const state = await context.store.tenant(tenant, async (tx) => {
      const counts = await countWork(tx, id, now);
      const finished = counts.succeeded + counts.warned + counts.failed;
      const progress = {
        objects: { done: finished, total: counts.total },
        items: { done: counts.items, total: null },
        bytes: { done: counts.bytes, total: null },
        storedBytes: storedBytes + storedNow(),
        waiting:
          session.waits.current() ??
          (counts.waitingUntil === null
            ? null
            : { until: counts.waitingUntil, reason: counts.waitingReason ?? '' }),
      };
      return storeProgress(tx, id, progress);
    });
    const opens = nextOpen(job.schedulePolicy.backupWindow, now, timeZone);
    if (state !== 'running' || opens === null || opens > now) session.interrupt();
  }
  return {
    write,
    touch() {
      if (isEnded) return;
      timer ??= context.clock.after(PROGRESS_MS, () => {
        timer = null;
        // The next write tells the same, and the end of the work is stored anyway.
        write().catch(() => undefined);
      });
    },
    end() {
      isEnded = true;
      timer?.cancel();
    },
  };
}
