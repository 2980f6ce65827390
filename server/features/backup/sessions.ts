import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { EngineScope } from '#contract/engine/engine.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { audit } from '#server/platform/auth/audit.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { runAlone, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { isSessionLogDeleted } from '#server/platform/queries/old-logs.ts';
import { getAnswer, getEngineFor, scopeFor, type SetupEngine } from './engine-calls.ts';
import { sessionOut } from './job-output.ts';
import { findJobWithOwner } from './lookup.ts';
import type { BackupJobId, BackupSessionId, OrganizationId } from '#contract/ids.ts';

type Names = 'startBackupJob' | 'stopBackupJob' | 'getLatestSession' | 'getSessionLog';
interface OfJob {
  readonly jobId: BackupJobId;
  readonly organizationId?: OrganizationId | undefined;
}
const PAGE_ROWS = 200;

/** Sessions of the jobs that the caller sees. The engine runs them and has their log. */
export function sessionHandlers(context: AppContext): Pick<Handlers, Names> {
  /** Calls the engine about a job that the caller sees. */
  async function withJob<T>(
    { jobId, organizationId }: OfJob,
    ctx: SessionContext,
    work: (engine: SetupEngine, scope: EngineScope, job: BackupJobRow) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const found = await context.store.tenant(
      ctx.tenant,
      (tx) => findJobWithOwner(tx, ctx.session, jobId, organizationId),
      { readOnly: true },
    );
    return found
      ? work(
          getEngineFor(context, found.organization),
          scopeFor(ctx, found.job.organization),
          found.job,
        )
      : failed(NOT_FOUND);
  }

  const loadIsLogDeleted = (ctx: SessionContext, session: BackupSessionId): Promise<boolean> =>
    context.store.tenant(ctx.tenant, (tx) => isSessionLogDeleted(tx, context, session), {
      readOnly: true,
    });

  /** Runs a command of the engine once, and stores its answer if it succeeded. */
  function once<T>(
    ctx: SessionContext,
    what: string,
    jobId: BackupJobId,
    work: () => Promise<Result<T>>,
  ): Promise<Result<T>> {
    return runAlone(context, ctx, async () => {
      const result = await work();
      if (!result.ok) return result;
      return runIdempotently<T>(context, ctx, async (tx) => {
        await audit(tx, context, ctx, { what, user: null, detail: { job: jobId } });
        return { drafts: [], answer: () => result };
      });
    });
  }

  return {
    startBackupJob: (input, ctx) =>
      once<OutputOf<'startBackupJob'>>(ctx, 'backupjob.started', input.jobId, () =>
        withJob(input, ctx, async ({ jobs }, scope, { id }) => {
          const started = getAnswer(await jobs.start(scope, { job: id, reason: 'manual' }));
          return started.ok ? ok({ success: true, sessionId: started.value }) : started;
        }),
      ),

    stopBackupJob: (input, ctx) =>
      once<OutputOf<'stopBackupJob'>>(ctx, 'backupjob.stopped', input.jobId, () =>
        withJob(input, ctx, async ({ jobs }, scope, { id }) => {
          const stopped = getAnswer(await jobs.stop(scope, { job: id }));
          return stopped.ok ? ok({ success: true }) : stopped;
        }),
      ),

    getLatestSession: (input, ctx) =>
      withJob<OutputOf<'getLatestSession'>>(input, ctx, async ({ jobs }, scope, { id }) => {
        const page = getAnswer(await jobs.listSessions(scope, { job: id, cursor: null, limit: 1 }));
        if (!page.ok) return page;
        const [session] = page.value.rows;
        if (!session) return ok({ session: null, logs: [], isLogDeleted: false });
        const log = getAnswer(
          await jobs.listLog(scope, {
            session: session.id,
            isNewest: true,
            cursor: null,
            limit: PAGE_ROWS,
          }),
        );
        return log.ok
          ? ok({
              session: sessionOut(session),
              logs: log.value.rows.map((line) => ({ ...line })),
              isLogDeleted: await loadIsLogDeleted(ctx, session.id),
            })
          : log;
      }),

    getSessionLog: ({ sessionId, cursor, offset = 0, limit = PAGE_ROWS, ...input }, ctx) =>
      withJob(input, ctx, async ({ jobs }, scope) => {
        const log = getAnswer(
          await jobs.listLog(scope, { session: sessionId, cursor: cursor ?? null, offset, limit }),
        );
        return log.ok
          ? ok({
              ...log.value,
              rows: log.value.rows.map((line) => ({ ...line })),
              isLogDeleted: await loadIsLogDeleted(ctx, sessionId),
            })
          : log;
      }),
  };
}
