import { sql } from 'kysely';
import type { EngineResult, RestoreInput, EngineTask, Workload } from '#contract/engine/engine.ts';
import type { SessionResult } from '#contract/engine/sessions.ts';
import type { Ms, OrganizationId, TaskId, TenantId, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText } from '#contract/stored-text.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { logTaskEnd } from '../../shared/log-task-end.ts';
import { failed } from '../../result.ts';
import { type OpenedServer, toFailed, type Vb365Servers } from '../servers.ts';
import { makeRestoreCommand } from './commands.ts';
import { releaseSession, stopSession } from './explorers.ts';
import { vb365RestoreMessages as t } from './messages.en.ts';
import { loadNodes } from './nodes.ts';
import { getTaskResult, type RestoreOutcome, readAnswer, readStatistics } from './results.ts';
import { loadGrantedCode } from './rights.ts';
import { RestoreAnswerShape, RestoreStateShape, StatisticsShape } from './shapes.ts';

const POLL_MS: Ms = 2_000;
/** The wait after the server didn't answer. */
const RETRY_MS: Ms = 30_000;
/** Version 7 answers a restore when it has ended. */
const LONGEST_RESTORE_MS: Ms = 11 * 60 * 60_000;

/** What is stored of a restore besides what a task has. */
interface Progress extends Partial<Pick<EngineTask, 'items' | 'counts' | 'waiting'>> {
  /** It was sent to the server, which has begun it or is about to. */
  readonly isSent?: boolean;
  /** Version 8: its session on the server. */
  readonly restore?: string;
}
interface RestoreRow {
  readonly id: TaskId;
  readonly organization: OrganizationId;
  readonly user: UserId | null;
  readonly state: EngineTask['state'];
  readonly input: RestoreInput;
  readonly workload: Workload;
  readonly progress: Progress;
}

/**
 * The background job of a restore on a server: starts it once and follows it to its end, also after a
 * restart of Daybook.
 */
export const vb365Restore =
  (context: AppContext, servers: Vb365Servers): JobHandler<'vb365-restore'> =>
  async ({ tenant, payload: { task } }) => {
    const row = await context.store.tenant(tenant, (tx) => loadRow(tx, task));
    if (row === null || row.state === 'done') return null;
    const run = new Run(context, tenant, row);
    const { isSent = false, restore } = row.progress;
    if (!isSent && row.state === 'stopping') return run.end('cancelled', t.cancelledBefore);
    if (isSent && restore === undefined) return run.end('failed', t.unknownEnd);
    const opened = await servers.open({ tenant, organization: row.organization });
    if (!opened.ok) return run.end('failed', opened.error.message);
    const next =
      restore === undefined
        ? await start(run, opened.value)
        : await follow(run, opened.value, restore);
    if (next === null)
      await releaseSession(context, tenant, opened.value.client, row.input.explorer);
    return next;
  };

/** A restore that runs, and what of it is stored. */
class Run {
  readonly context: AppContext;
  readonly tenant: TenantId;
  readonly row: RestoreRow;
  constructor(context: AppContext, tenant: TenantId, row: RestoreRow) {
    this.context = context;
    this.tenant = tenant;
    this.row = row;
  }
  inTx<T>(work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return this.context.store.tenant(this.tenant, work);
  }
  note(progress: Progress): Promise<void> {
    return this.inTx(async ({ sql: db, tenant }) => {
      await sql`update engine_task set progress = progress || ${JSON.stringify(progress)}::text::jsonb,
        state = case when state = 'queued' then 'running' else state end, started_at = coalesce(started_at, ${this.context.clock.now()})
        where tenant_id = ${tenant} and id = ${this.row.id}::uuid`.execute(db);
    });
  }
  async isStopping(): Promise<boolean> {
    const row = await this.inTx((tx) => loadRow(tx, this.row.id));
    return row?.state === 'stopping';
  }
  /** Ends the task with its results, once. */
  async end(result: SessionResult, message: string | null, outcome = EMPTY): Promise<null> {
    const { context, row } = this;
    await this.inTx(async (tx) => {
      const { counts, results } = outcome;
      const now = context.clock.now();
      const progress: Progress = { counts, items: getItems(outcome), waiting: null };
      const { numAffectedRows } = await sql`
        update engine_task set state = 'done', result = ${result}, message = ${message}, ended_at = ${now}, started_at = coalesce(started_at, ${now}),
          progress = progress || ${JSON.stringify(progress)}::text::jsonb
        where tenant_id = ${tx.tenant} and id = ${row.id}::uuid and state <> 'done'`.execute(
        tx.sql,
      );
      if (numAffectedRows === 0n) return;
      await storeResults(tx, row.id, results);
      await logTaskEnd(tx, context, {
        id: row.id,
        organization: row.organization,
        user: row.user,
        kind: 'restore',
        restore: null,
        result,
        counts,
        bytes: 0,
      });
    });
    return null;
  }
}
const NO_COUNTS: EngineTask['counts'] = { restored: 0, merged: 0, skipped: 0, failed: 0 };
const EMPTY: RestoreOutcome = { counts: NO_COUNTS, results: [], problem: null };

const getItems = ({ counts }: Pick<RestoreOutcome, 'counts'>, total: number | null = null) => {
  const done = counts.restored + counts.merged + counts.skipped + counts.failed;
  return { done, total: total ?? done };
};

/** Sends the restore. What it answers is version 8's session, or version 7's results. */
async function start(run: Run, server: OpenedServer): Promise<Ms | null> {
  const { context } = run;
  const command = await prepare(run, server).catch(toFailed);
  if (!command.ok) return run.end('failed', command.error.message);
  const isLong = (await server.client.findVersion()) === 'v7';
  // Before it is sent: a restore that was interrupted here isn't sent a second time.
  await run.note({ isSent: true });
  try {
    const answer = await server.client.command(
      { ...command.value, ...(isLong && { timeoutMs: LONGEST_RESTORE_MS }) },
      RestoreAnswerShape,
    );
    if (answer?.sessionId !== undefined) {
      await run.note({ restore: answer.sessionId });
      return context.clock.now() + POLL_MS;
    }
    const outcome = answer === null ? EMPTY : readAnswer(answer);
    return await finish(run, outcome, false);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    // Any answer means that the server has refused. Without an answer, it may have begun.
    return await run.end('failed', error.kind === 'unreachable' ? t.unknownEnd : error.message);
  }
}

async function prepare(
  run: Run,
  server: OpenedServer,
): Promise<EngineResult<Parameters<OpenedServer['client']['command']>[0]>> {
  const { context, row } = run;
  const { input, organization } = row;
  const found = await run.inTx(async (tx) => ({
    nodes: await loadNodes(tx, organization, input.nodes),
    code: await loadGrantedCode(tx, context, input.explorer),
    session: await tx.sql
      .selectFrom('vb365_explorer')
      .select('session_key as key')
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', input.explorer)
      .executeTakeFirst(),
    applicationId: (await tx.rows('organization', [organization])).get(organization)?.applicationId,
  }));
  const [first, ...others] = found.nodes;
  if (first === undefined || found.session === undefined) return failed('ended', t.endedThere);
  if (found.code === null) return failed('forbidden', t.rightsNeeded);
  const rights = {
    userCode: found.code,
    ...(found.applicationId != null && { applicationId: found.applicationId }),
  };
  return makeRestoreCommand(server, found.session, [first, ...others], input, rights);
}

/** Looks how far a restore of version 8 is. */
async function follow(run: Run, { client }: OpenedServer, restore: string): Promise<Ms | null> {
  const { clock } = run.context;
  try {
    const isStopping = await run.isStopping();
    if (isStopping) await stopSession(client, restore);
    const session = await client.read(`RestoreSessions/${restore}`, RestoreStateShape);
    const statistics = await client.read(`RestoreSessions/${restore}/Statistics`, StatisticsShape);
    const outcome = readStatistics(statistics);
    if (session.state !== 'Stopped') {
      const { counts } = outcome;
      const items = getItems(outcome, statistics.totalItemsCount);
      await run.note({ counts, items, waiting: null });
      return clock.now() + POLL_MS;
    }
    const isFailed = session.result?.toLowerCase() === 'failed';
    const problem = outcome.problem ?? (isFailed ? session.details || t.failedThere : null);
    return await finish(run, { ...outcome, problem }, isStopping);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.kind !== 'unreachable' && error.kind !== 'busy')
      return run.end('failed', error.message);
    const until = clock.now() + (error.waitMs ?? RETRY_MS);
    await run.note({ waiting: { until, reason: error.message } });
    return until;
  }
}

const finish = (run: Run, outcome: RestoreOutcome, wasStopped: boolean): Promise<null> =>
  run.end(
    getTaskResult(outcome, wasStopped),
    wasStopped
      ? t.stoppedThere
      : outcome.problem === null
        ? null
        : cutText(outcome.problem, LIMITS.messageChars),
    outcome,
  );

async function loadRow({ sql: db, tenant }: TenantTx, task: TaskId): Promise<RestoreRow | null> {
  const { rows } = await sql<RestoreRow>`
    select id, organization_id as organization, user_id as "user", state, request -> 'input' as input, request ->> 'workload' as workload, progress
    from engine_task
    where tenant_id = ${tenant} and id = ${task}::uuid and request ->> 'kind' = 'server-restore'`.execute(
    db,
  );
  return rows[0] ?? null;
}

const BATCH_ROWS = 500;
async function storeResults(
  { sql: db, tenant }: TenantTx,
  task: TaskId,
  results: RestoreOutcome['results'],
): Promise<void> {
  const rows = results.map(({ name, path, outcome, message }, n) => ({
    tenant_id: tenant,
    task_id: task,
    n: n + 1,
    // The server's items are not in the index.
    object_n: 0,
    item_n: 0,
    name: cutText(name, LIMITS.messageChars),
    path: JSON.stringify(path === '' ? [] : [{ name: path, wellKnown: null }]),
    state: 'done' as const,
    outcome,
    message: message === null ? null : cutText(message, LIMITS.messageChars),
    written: null,
    replaced: null,
  }));
  for (let from = 0; from < rows.length; from += BATCH_ROWS)
    await db
      .insertInto('restore_item')
      .values(rows.slice(from, from + BATCH_ROWS))
      .execute();
}
