import type { OutputOf } from '#contract/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { isFresh, NOT_FOUND, REAUTH } from '#server/platform/auth/guards.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import { findOrganization } from '../../backup/lookup.ts';
import type { EngineAt } from '../scope.ts';
import type { TaskOut } from '../task-access.ts';
import { loadNeedsApproval, recordRequest, toStarted } from './start.ts';

/**
 * G71: undoes a restore. If the restore needed a reason, its undo needs the same: a recent sign-in,
 * access to where it wrote to, and a second person where one is required. The customers learn about
 * it, with the reason of the restore.
 */
export async function startUndo(
  context: AppContext,
  ctx: SessionContext,
  { engine, scope }: EngineAt,
  { id, workload }: Pick<TaskOut, 'id' | 'workload'>,
): Promise<Result<OutputOf<'undoRestoreTask'>>> {
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
  if (request === null) return toStarted(await engine.undo(scope, { task: id }));
  const { row, isSeen, needsApproval } = request;
  const { target, items, reason } = row;
  if (!isSeen) return NOT_FOUND;
  // An operator's restore of few items needed a second person alone, any other a recent sign-in.
  const isSensitive =
    scope.operator === undefined || target !== null || items > LIMITS.restorePlainItems;
  if (isSensitive && !isFresh(ctx)) return REAUTH;
  return toStarted(
    await engine.undo(
      scope,
      { task: id },
      {
        needsApproval,
        record: recordRequest(context, ctx, {
          organization: scope.organization,
          workload,
          target,
          items,
          reason,
          needsApproval,
          isUndo: true,
        }),
      },
    ),
  );
}
