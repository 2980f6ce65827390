import type { OutputOf } from '#contract/calls.ts';
import type { EngineTask } from '#contract/engine/engine.ts';
import type { Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { FORBIDDEN_RESULT, NOT_FOUND_RESULT } from '#server/platform/auth/guards.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { type EngineAt, mayRestore, withOrganization } from './scope.ts';
import type { OrganizationId, TaskId } from '#contract/ids.ts';

/** A restore, a dry run or an undo, without what is known of its request. */
export type TaskOut = Omit<OutputOf<'getRestoreTask'>, 'request'>;

/** Works on a task of a service that the caller may restore. */
export const withTask = <T>(
  context: AppContext,
  { organizationId, taskId }: { readonly organizationId: OrganizationId; readonly taskId: TaskId },
  ctx: SessionContext,
  work: (at: EngineAt, task: TaskOut) => Promise<Result<T>>,
): Promise<Result<T>> =>
  withOrganization(context, ctx, { organizationId }, async (at) => {
    const found = getAnswer(await at.engine.getTask(at.scope, { task: taskId }));
    if (!found.ok) return found;
    const task = toTaskOut(found.value);
    if (task === null) return NOT_FOUND_RESULT;
    return mayRestore(ctx.session, task.workload) ? work(at, task) : FORBIDDEN_RESULT;
  });

/** Null: upkeep of a repository, which is no restore. */
export function toTaskOut({ kind, workload, ...task }: EngineTask): TaskOut | null {
  if (workload === null || kind === 'verify' || kind === 'clean-up') return null;
  return { ...task, kind, workload };
}
