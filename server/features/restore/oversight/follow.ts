import type { OutputOf } from '#contract/calls.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { TaskId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { isFresh, NOT_FOUND_RESULT, REAUTH } from '#server/platform/auth/guards.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import type { Oversight } from '#server/engine/public/restore.ts';
import { findOrganization } from '../../backup/lookup.ts';
import type { EngineAt } from '../scope.ts';
import type { TaskOut } from '../task-access.ts';
import { loadNeedsApproval, recordRequest, toStarted } from './start.ts';

/**
 * G71: undoes a restore. If the restore needed a reason, its undo needs the same: a recent sign-in,
 * access to where it wrote to, and a second person where one is required. The customers learn about
 * it, with the reason of the restore.
 */
export const startUndo = (
  context: AppContext,
  ctx: SessionContext,
  at: EngineAt,
  task: TaskOut,
): Promise<Result<Started>> =>
  follow(context, ctx, at, task, { isUndo: true, items: null }, (oversight) =>
    at.engine.undo(at.scope, { task: task.id }, oversight),
  );

/** RES-89, G71: restores what of a restore failed. It needs what the restore needed. */
export const startRetry = (
  context: AppContext,
  ctx: SessionContext,
  at: EngineAt,
  task: TaskOut,
): Promise<Result<Started>> =>
  follow(context, ctx, at, task, { isUndo: false, items: task.counts.failed }, (oversight) =>
    at.engine.retry(
      at.scope,
      { task: task.id },
      oversight,
      oversight === undefined
        ? { since: ctx.now - LIMITS.restorePlainMs, maxItems: LIMITS.restorePlainItems }
        : undefined,
    ),
  );

/** `items`: how many it is about; null: as many as the restore. */
async function follow(
  context: AppContext,
  ctx: SessionContext,
  { scope }: EngineAt,
  { id, workload, kind, of }: TaskOut,
  { isUndo, items }: { readonly isUndo: boolean; readonly items: number | null },
  start: (oversight?: Oversight) => Promise<EngineResult<TaskId>>,
): Promise<Result<Started>> {
  const request = await context.store.tenant(
    ctx.tenant,
    async (tx) => {
      const row = (await tx.rows('restoreRequest', [id])).get(id);
      if (row === undefined) return null;
      const { organization, target, expiresAt } = row;
      const isSeen =
        target === null || (await findOrganization(tx, ctx.session, target.organization)) !== null;
      const needsApproval =
        (scope.operator !== undefined && expiresAt !== null) ||
        (await loadNeedsApproval(tx, [organization, ...(target ? [target.organization] : [])]));
      return { row, isSeen, needsApproval };
    },
    { readOnly: true },
  );
  if (request === null) return toStarted(await start());
  const { row, isSeen, needsApproval } = request;
  const { target, reason } = row;
  if (!isSeen) return NOT_FOUND_RESULT;
  // An operator's restore of few items needed a second person alone, any other a recent sign-in. A
  // retry counts what it retries, but what it belongs to may have been large.
  const isRetry = kind === 'restore' && of !== null;
  const isSensitive =
    scope.operator === undefined ||
    target !== null ||
    isRetry ||
    row.items > LIMITS.restorePlainItems;
  if (isSensitive && !isFresh(ctx)) return REAUTH;
  return toStarted(
    await start({
      needsApproval,
      record: recordRequest(context, ctx, {
        organization: scope.organization,
        workload,
        target,
        items: items ?? row.items,
        reason,
        needsApproval,
        isUndo,
      }),
    }),
  );
}

type Started = OutputOf<'undoRestoreTask'>;
