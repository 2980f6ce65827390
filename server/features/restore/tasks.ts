import type { OutputOf } from '#contract/calls.ts';
import type { Task } from '#contract/engine/engine.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { FORBIDDEN, NOT_FOUND } from '#server/platform/auth/guards.ts';
import type { Handlers, Principal, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { type EngineAt, mayRestore, runOnce, withOrganization } from './scope.ts';

type Names =
  | 'listRestoreTasks'
  | 'getRestoreTask'
  | 'listRestoreResults'
  | 'cancelRestoreTask'
  | 'undoRestoreTask';
type TaskOut = OutputOf<'getRestoreTask'>;
interface OfTask {
  readonly organizationId: string;
  readonly taskId: string;
}
const PAGE_ROWS = 200;

/** RES-22: restores with their progress and results. */
export function restoreTaskHandlers(world: AppContext): Pick<Handlers, Names> {
  /** Only tasks of a service that the caller may restore. */
  const withTask = <T>(
    { organizationId, taskId }: OfTask,
    ctx: SessionContext,
    work: (at: EngineAt, task: TaskOut) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    withOrganization(world, ctx, { organizationId }, async (at) => {
      const found = getAnswer(await at.engine.getTask(at.scope, { task: taskId }));
      if (!found.ok) return found;
      const task = taskOut(found.value);
      if (task === null) return NOT_FOUND;
      return mayRestore(ctx.session, task.workload) ? work(at, task) : FORBIDDEN;
    });

  return {
    listRestoreTasks: ({ cursor, limit = PAGE_ROWS, ...of }, ctx) =>
      withOrganization(world, ctx, of, async ({ engine, scope }) => {
        const page = getAnswer(await engine.listTasks(scope, { cursor: cursor ?? null, limit }));
        return page.ok
          ? ok({ ...page.value, rows: page.value.rows.flatMap((task) => seen(ctx.session, task)) })
          : page;
      }),

    getRestoreTask: (of, ctx) => withTask(of, ctx, (_at, task) => Promise.resolve(ok(task))),

    listRestoreResults: ({ outcome, cursor, limit = PAGE_ROWS, ...of }, ctx) =>
      withTask(of, ctx, async ({ engine, scope }, { id }) => {
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
      runOnce<OutputOf<'cancelRestoreTask'>>(world, ctx, () =>
        withTask(of, ctx, async ({ engine, scope }, { id }) => {
          const cancelled = getAnswer(await engine.cancel(scope, { task: id }));
          return cancelled.ok ? ok({ success: true }) : cancelled;
        }),
      ),

    undoRestoreTask: (of, ctx) =>
      runOnce<OutputOf<'undoRestoreTask'>>(world, ctx, () =>
        withTask(of, ctx, async ({ engine, scope }, { id }) => {
          const undo = getAnswer(await engine.undo(scope, { task: id }));
          return undo.ok ? ok({ taskId: undo.value, _id: undo.value, id: undo.value }) : undo;
        }),
      ),
  };
}

function seen(session: Principal, task: Task): TaskOut[] {
  const out = taskOut(task);
  return out !== null && mayRestore(session, out.workload) ? [out] : [];
}

/** Null: upkeep of a repository, which is no restore. */
function taskOut({ kind, workload, ...task }: Task): TaskOut | null {
  if (workload === null || kind === 'verify' || kind === 'clean-up') return null;
  return { ...task, kind, workload };
}
