import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { EngineResult, EngineScope } from '#contract/engine/engine.ts';
import type { StartReason } from '#contract/engine/sessions.ts';
import type { BackupJobId, BackupSessionId, Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { loadStoppedCompanies } from '#server/platform/queries/stopped-backups.ts';
import { done, failed, ok } from '../result.ts';
import { commandJob, type JobAction } from './job-commands.ts';
import { findJobKey, markCommand } from './job-links.ts';
import { vb365Messages as t } from './messages.en.ts';
import { readSessions } from './read-sessions.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from './servers.ts';
import { JobShape } from './shapes.ts';
import { loadKnownJobs } from './store-organization.ts';
import { storeSessions } from './store-sessions.ts';
import { scheduleServer, scheduleWhole, SOON_MS } from './sync-server.ts';

/** The server shows the session of a job that it has just started within this time. */
const PATIENCE_MS: Ms = 10_000;
const PAUSE_MS: Ms = 500;

interface FoundJob extends OpenedServer {
  readonly row: BackupJobRow;
  /** The id of the job on the server. */
  readonly jobKey: string;
}

/** Starts a job on its server and returns the id of its session. */
export const startJob = (
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { job, reason }: { readonly job: BackupJobId; readonly reason: StartReason },
): Promise<EngineResult<BackupSessionId>> =>
  withJob(context, servers, scope, job, async (found) => {
    const isStopped = await context.store.tenant(
      scope.tenant,
      async (tx) => (await loadStoppedCompanies(tx)).has(found.row.company),
      { readOnly: true },
    );
    if (isStopped) return failed('conflict', MESSAGES.backupsStopped);
    await commandJob(found.client, found.jobKey, 'start');
    for (let waited = 0; waited <= PATIENCE_MS; waited += PAUSE_MS) {
      const running = await refreshJob(context, scope, found, reason);
      if (running !== null) return ok(running);
      await new Promise<void>((resolve) => {
        context.clock.after(PAUSE_MS, resolve);
      });
    }
    return failed('busy', t.noSessionYet);
  });

export const commandRunning = (
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  { job, action }: { readonly job: BackupJobId; readonly action: Exclude<JobAction, 'start'> },
): Promise<EngineResult<void>> =>
  withJob(context, servers, scope, job, async (found) => {
    await commandJob(found.client, found.jobKey, action);
    if (action === 'stop') await refreshJob(context, scope, found, 'manual');
    else
      await context.store.tenant(scope.tenant, async (tx) => {
        const now = context.clock.now();
        await markCommand(tx, job, now);
        await scheduleWhole(tx, found.server.id, now, now + SOON_MS);
      });
    return done;
  });

/** Reads the sessions of a job now. Returns the id of the one that runs. */
async function refreshJob(
  context: AppContext,
  { tenant, organization }: EngineScope,
  { client, row, jobKey, server }: FoundJob,
  reason: StartReason,
): Promise<BackupSessionId | null> {
  const known = await context.store.tenant(tenant, (tx) => loadKnownJobs(tx, organization), {
    readOnly: true,
  });
  const before = known.get(jobKey);
  if (!before) return null;
  const job = await client.read(`Jobs/${encodeURIComponent(jobKey)}`, JobShape);
  const sessions = await readSessions(client, job, before.sessions, context.clock.now());
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const { company, repository } = row;
    await storeSessions(
      tx,
      { id: organization, company, job: row.id, repository },
      sessions,
      reason,
    );
    await scheduleServer(tx, server.id, context.clock.now() + SOON_MS);
  });
  return sessions.find(({ end }) => end === null)?.id ?? null;
}

async function withJob<T>(
  context: AppContext,
  servers: Vb365Servers,
  scope: EngineScope,
  job: BackupJobId,
  work: (found: FoundJob) => Promise<EngineResult<T>>,
): Promise<EngineResult<T>> {
  const { tenant, organization } = scope;
  const known = await context.store.tenant(tenant, (tx) => findJobKey(tx, organization, job), {
    readOnly: true,
  });
  if (known === null) return failed('missing', t.unknownJob);
  const opened = await servers.open(scope);
  if (!opened.ok) return opened;
  try {
    return await work({ ...opened.value, ...known });
  } catch (error) {
    return toFailed(error);
  }
}
