import type { OutputOf } from '#contract/calls.ts';
import type { EngineTask } from '#contract/engine/engine.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Handlers, Principal, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer, scopeFor } from '../backup/engine-calls.ts';
import { findOrganization } from '../backup/lookup.ts';
import { withdrawRestore } from './oversight/approvals.ts';
import { startRetry, startUndo } from './oversight/follow.ts';
import { loadRestoreRequests } from './oversight/request-output.ts';
import { type EngineAt, mayRestore, runOnce, withOrganization } from './scope.ts';
import { loadTaskSubjects, NO_SUBJECT } from './task-subjects.ts';
import { type TaskOut, toTaskOut, withTask } from './task-access.ts';
import type { OrganizationId, TaskId } from '#contract/ids.ts';

type Names =
  | 'listRestoreTasks'
  | 'listRestoreApprovals'
  | 'getRestoreTask'
  | 'getRestoreEstimate'
  | 'listRestoreResults'
  | 'cancelRestoreTask'
  | 'undoRestoreTask'
  | 'retryRestoreTask';
interface OfTask {
  readonly organizationId: OrganizationId;
  readonly taskId: TaskId;
}
const PAGE_ROWS = 200;

/** RES-22: restores with their progress and results. */
export function restoreTaskHandlers(context: AppContext): Pick<Handlers, Names> {
  const onTask = <T>(
    of: OfTask,
    ctx: SessionContext,
    work: (at: EngineAt, task: TaskOut) => Promise<Result<T>>,
  ): Promise<Result<T>> => withTask(context, of, ctx, work);

  /** Adds what is known of the requests. */
  const withRequests = async (
    { tenant, session }: SessionContext,
    tasks: readonly TaskOut[],
  ): Promise<OutputOf<'getRestoreTask'>[]> => {
    const requests = await context.store.tenant(
      tenant,
      (tx) =>
        loadRestoreRequests(
          tx,
          session,
          tasks.map(({ id }) => id),
        ),
      { readOnly: true },
    );
    return tasks.map((task) => ({ ...task, request: requests.get(task.id) ?? null }));
  };

  return {
    listRestoreTasks: ({ cursor, limit = PAGE_ROWS, ...of }, ctx) =>
      withOrganization(context, ctx, of, async ({ engine, scope }) => {
        const page = getAnswer(await engine.listTasks(scope, { cursor: cursor ?? null, limit }));
        if (!page.ok) return page;
        const tasks = page.value.rows.flatMap((task) => seen(ctx.session, task));
        const subjects = await context.store.tenant(
          ctx.tenant,
          (tx) =>
            loadTaskSubjects(
              tx,
              tasks.map(({ id }) => id),
            ),
          { readOnly: true },
        );
        const rows = await withRequests(ctx, tasks);
        return ok({
          ...page.value,
          rows: rows.map((task) => ({ ...task, ...(subjects.get(task.id) ?? NO_SUBJECT) })),
        });
      }),

    async listRestoreApprovals(_, ctx) {
      const waiting = await context.store.tenant(
        ctx.tenant,
        async (tx) => {
          const rows = await tx.sql
            .selectFrom('restore_request')
            .select('row')
            .where('tenant_id', '=', tx.tenant)
            .where('waiting', '=', 1)
            .execute();
          return Promise.all(
            rows.map(async ({ row }) => ({
              row,
              organization: await findOrganization(tx, ctx.session, row.organization),
            })),
          );
        },
        { readOnly: true },
      );
      const out: OutputOf<'listRestoreApprovals'> = [];
      for (const { row, organization } of waiting) {
        if (organization === null) continue;
        const scope = scopeFor(ctx, organization.id);
        const task = getAnswer(await context.embeddedEngine.getTask(scope, { task: row.id }));
        const [shown] = task.ok ? await withRequests(ctx, seen(ctx.session, task.value)) : [];
        if (shown !== undefined)
          out.push({
            ...shown,
            organizationId: organization.id,
            organizationName: organization.name,
          });
      }
      return ok(out.sort((a, b) => a.createdAt - b.createdAt));
    },

    getRestoreTask: (of, ctx) =>
      onTask(of, ctx, async (_at, task) => {
        const [{ request } = { request: null }] = await withRequests(ctx, [task]);
        return ok({ ...task, request });
      }),

    getRestoreEstimate: (of, ctx) =>
      onTask(of, ctx, async ({ engine, scope }, { id }) =>
        getAnswer(await engine.estimate(scope, { task: id })),
      ),

    listRestoreResults: ({ outcome, cursor, limit = PAGE_ROWS, ...of }, ctx) =>
      onTask(of, ctx, async ({ engine, scope }, { id }) => {
        const page = getAnswer(
          await engine.listResults(scope, {
            task: id,
            outcome: outcome ?? null,
            cursor: cursor ?? null,
            limit,
          }),
        );
        return page.ok ? ok({ ...page.value, rows: [...page.value.rows] }) : page;
      }),

    cancelRestoreTask: (of, ctx) =>
      runOnce<OutputOf<'cancelRestoreTask'>>(context, ctx, () =>
        onTask(of, ctx, async (at, task) => {
          const cancelled =
            task.state === 'awaiting-approval'
              ? await withdrawRestore(context, ctx, at, task)
              : getAnswer(await at.engine.cancel(at.scope, { task: task.id }));
          return cancelled.ok ? ok({ success: true }) : cancelled;
        }),
      ),

    undoRestoreTask: (of, ctx) =>
      runOnce<OutputOf<'undoRestoreTask'>>(context, ctx, () =>
        onTask(of, ctx, (at, task) => startUndo(context, ctx, at, task)),
      ),

    retryRestoreTask: (of, ctx) =>
      runOnce<OutputOf<'retryRestoreTask'>>(context, ctx, () =>
        onTask(of, ctx, (at, task) => startRetry(context, ctx, at, task)),
      ),
  };
}

function seen(session: Principal, task: EngineTask): TaskOut[] {
  const out = toTaskOut(task);
  return out !== null && mayRestore(session, out.workload) ? [out] : [];
}
