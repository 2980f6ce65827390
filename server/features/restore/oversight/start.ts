import type { OutputOf } from '#contract/calls.ts';
import type { EngineResult, RestoreInput, Workload } from '#contract/engine/engine.ts';
import { LIMITS } from '#contract/limits.ts';
import type { RestoreRequestRow } from '#contract/restore/requests.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { badField, by, isFresh, REAUTH } from '#server/platform/auth/guards.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { SessionContext } from '#server/platform/http/handler.ts';
import { scheduleJob } from '#server/platform/jobs/schedule.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { findOrganization } from '../../backup/lookup.ts';
import type { EngineAt } from '../scope.ts';
import { informOfRequest } from './inform.ts';
import { oversightMessages as t } from './messages.en.ts';
import type { TaskId } from '#contract/ids.ts';
import { loadProviderSettings } from '#server/platform/tenancy/provider-settings.ts';

type Started = OutputOf<'restoreMailbox'>;

/**
 * G71: starts a restore. One to another place, or of many items, needs a recent sign-in and a reason,
 * informs the customers, and waits for a second person if the provider or an organization requires it.
 * So does one of an operator whose roles require it (RES-54).
 */
export async function startRestore(
  context: AppContext,
  ctx: SessionContext,
  { engine, scope }: EngineAt,
  workload: Workload,
  input: RestoreInput,
): Promise<Result<Started>> {
  const { explorer, nodes, target, dryRun, reason } = input;
  const isOther = target.kind === 'other';
  const size = dryRun ? null : getAnswer(await engine.getSize(scope, { explorer, nodes }));
  if (size !== null && !size.ok) return size;
  const items = size?.value.items ?? 0;
  const since = ctx.now - LIMITS.restorePlainMs;
  const recent = dryRun ? ok(0) : getAnswer(await engine.countPlainItems(scope, { since }));
  if (!recent.ok) return recent;
  // Many small restores in a row are a large one.
  const isMany = items + recent.value > LIMITS.restorePlainItems;
  if ((isOther || isMany) && !isFresh(ctx)) return REAUTH;
  const second =
    dryRun || scope.operator === undefined
      ? ok(false)
      : getAnswer(await engine.needsSecondPerson(scope, { explorer, nodes }));
  if (!second.ok) return second;
  if (dryRun) return toStarted(await engine.restore(scope, { ...input, items }));
  if (!isOther && !isMany && !second.value)
    return toStarted(
      await engine.restore(scope, { ...input, items }, undefined, {
        since,
        maxItems: LIMITS.restorePlainItems,
      }),
    );
  if (reason === null) return badField('reason', getReasonText(items, second.value));
  const needsApproval = await context.store.tenant(
    ctx.tenant,
    async (tx) =>
      second.value ||
      (await loadNeedsApproval(tx, [
        scope.organization,
        ...(isOther ? [target.organization] : []),
      ])),
    { readOnly: true },
  );
  return toStarted(
    await engine.restore(
      scope,
      { ...input, items },
      {
        needsApproval,
        record: recordRequest(context, ctx, {
          organization: scope.organization,
          workload,
          target: isOther ? { organization: target.organization, object: target.object } : null,
          items,
          reason,
          needsApproval,
          isUndo: false,
        }),
      },
    ),
  );
}

function getReasonText(items: number, isForOperator: boolean): string {
  const max = LIMITS.restorePlainItems;
  if (isForOperator) return t.operatorReason;
  return items > max ? t.manyReason({ max }) : t.recentReason({ max });
}

/** Logs that a restore or an undo was asked for, and informs about it. */
export const recordRequest =
  (
    context: AppContext,
    ctx: SessionContext,
    {
      needsApproval,
      isUndo,
      ...request
    }: Pick<RestoreRequestRow, 'organization' | 'workload' | 'target' | 'items' | 'reason'> & {
      readonly needsApproval: boolean;
      readonly isUndo: boolean;
    },
  ) =>
  async (tx: TenantTx, id: TaskId): Promise<void> => {
    const organization = await findOrganization(tx, ctx.session, request.organization);
    const expiresAt = needsApproval ? ctx.now + LIMITS.restoreApprovalMs : null;
    const data = { ...request, id, user: ctx.session.userId, expiresAt };
    const event = { type: 'restoretask.requested@1', data } as const;
    const company = organization?.company ?? null;
    await tx.append([{ company, entity: `restoretask:${id}`, event }], by(ctx));
    await informOfRequest(tx, context, data, isUndo);
    if (expiresAt !== null) await scheduleJob(tx, 'restore-approval', id, { task: id }, expiresAt);
  };

/** The answer to a restore, or to an undo, that was started. */
export function toStarted(started: EngineResult<TaskId>): Result<Started> {
  const task = getAnswer(started);
  return task.ok ? ok({ taskId: task.value, _id: task.value, id: task.value }) : task;
}

/** Whether the provider, or one of the organizations, requires a second person. */
export async function loadNeedsApproval(
  tx: TenantTx,
  organizations: readonly string[],
): Promise<boolean> {
  const settings = await loadProviderSettings(tx);
  if (settings.restoreApproval === true) return true;
  const rows = await tx.rows('organization', [...new Set(organizations)]);
  return [...rows.values()].some(({ needsApproval }) => needsApproval === true);
}
