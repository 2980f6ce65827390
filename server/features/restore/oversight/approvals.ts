import type { TaskId, UserId } from '#contract/ids.ts';
import type { OutputOf, ParsedInputOf } from '#contract/calls.ts';
import type { RestoreDecision, RestoreRequestRow } from '#contract/restore/requests.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { loadTaskPlace } from '#server/engine/public/restore.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { by, FORBIDDEN_RESULT } from '#server/platform/auth/guards.ts';
import type { EventMeta, TenantTx } from '#server/platform/db/store.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { getAnswer } from '../../backup/engine-calls.ts';
import { runOnce, type EngineAt } from '../scope.ts';
import { withTask, type TaskOut } from '../task-access.ts';
import { informOfDecision } from './inform.ts';
import { oversightMessages as t } from './messages.en.ts';
import { loadNames } from './names.ts';
import { canDecide, isRequester } from './request-output.ts';

type Names = 'approveRestoreTask' | 'rejectRestoreTask';
type Decided = OutputOf<'approveRestoreTask'>;

/** G71: a second person approves or rejects a restore. Nobody decides on their own. */
export function restoreApprovalHandlers(context: AppContext): Pick<Handlers, Names> {
  const decide = (
    of: Pick<ParsedInputOf<'approveRestoreTask'>, 'organizationId' | 'taskId'>,
    ctx: SessionContext,
    work: (at: EngineAt, row: RestoreRequestRow, name: string) => Promise<Result<void>>,
  ): Promise<Result<Decided>> =>
    runOnce<Decided>(context, ctx, () =>
      withTask(context, of, ctx, async (at, { id }) => {
        const found = await context.store.tenant(
          ctx.tenant,
          async (tx) => {
            const row = (await tx.rows('restoreRequest', [id])).get(id);
            if (row === undefined || row.expiresAt === null || row.decision !== null) return null;
            const isAllowed = await canDecide(tx, ctx.session, row);
            const isOwn = !isAllowed && (await isRequester(tx, ctx.session, row));
            const names = await loadNames(tx, [ctx.session.userId]);
            return { row, isAllowed, isOwn, name: names.get(ctx.session.userId) ?? '' };
          },
          { readOnly: true },
        );
        if (found === null || (found.row.expiresAt ?? 0) <= ctx.now)
          return failed({ kind: 'conflict', message: t.notWaiting });
        if (found.isOwn) return failed({ kind: 'forbidden', message: t.ownRestore });
        if (!found.isAllowed) return FORBIDDEN_RESULT;
        const decided = await work(at, found.row, found.name);
        return decided.ok ? ok({ success: true }) : decided;
      }),
    );

  return {
    approveRestoreTask: (input, ctx) =>
      decide(input, ctx, async ({ engine, scope }, { id, user }) =>
        getAnswer(
          await engine.approve(scope, {
            task: id,
            requester: user,
            record: recordDecision(context, 'approved', { who: by(ctx), ...decider(ctx, input) }),
          }),
        ),
      ),
    rejectRestoreTask: (input, ctx) =>
      decide(input, ctx, async ({ engine, scope }, { id }, name) =>
        getAnswer(
          await engine.reject(scope, {
            task: id,
            message: t.rejected({ user: name, reason: input.reason }),
            record: recordDecision(context, 'rejected', { who: by(ctx), ...decider(ctx, input) }),
          }),
        ),
      ),
  };
}

const decider = ({ session }: SessionContext, { reason }: { readonly reason: string | null }) => ({
  user: session.userId,
  reason,
});

/** Stops a restore that waits for approval, permanently. */
export async function withdrawRestore(
  context: AppContext,
  ctx: SessionContext,
  { engine, scope }: EngineAt,
  { id }: Pick<TaskOut, 'id'>,
): Promise<Result<void>> {
  const { userId } = ctx.session;
  const names = await context.store.tenant(ctx.tenant, (tx) => loadNames(tx, [userId]), {
    readOnly: true,
  });
  return getAnswer(
    await engine.reject(scope, {
      task: id,
      message: t.withdrawn({ user: names.get(userId) ?? '' }),
      record: recordDecision(context, 'withdrawn', {
        who: by(ctx),
        ...decider(ctx, { reason: null }),
      }),
    }),
  );
}

/** The background job of a restore that waits for approval: ends it when nobody decided in time. */
export const restoreApproval =
  (context: AppContext): JobHandler<'restore-approval'> =>
  async ({ tenant, payload: { task }, now }) => {
    const row = await context.store.tenant(
      tenant,
      async (tx) => (await tx.rows('restoreRequest', [task])).get(task),
      { readOnly: true },
    );
    if (row === undefined || row.expiresAt === null || row.decision !== null) return null;
    if (row.expiresAt > now) return row.expiresAt;
    const who: EventMeta = { actor: { kind: 'clock' }, subject: null, commandId: null, at: now };
    await context.embeddedEngine.reject(
      { tenant, organization: row.organization, user: null },
      {
        task,
        message: t.expired,
        record: async (tx, id) => {
          await recordDecision(context, 'expired', { who, user: null, reason: null })(tx, id);
          await auditOrigin(tx, context, {
            what: 'restoretask.expired',
            user: row.user,
            detail: { task: id, organization: row.organization, ...(await loadTaskPlace(tx, id)) },
            at: now,
            origin: { ip: '', agent: '', actor: null, impersonation: null, key: null },
          });
        },
      },
    );
    return null;
  };

/** Logs a decision and informs about it, in the transaction that carries it out. */
const recordDecision =
  (
    context: AppContext,
    decision: RestoreDecision,
    {
      who,
      user,
      reason,
    }: { readonly who: EventMeta; readonly user: UserId | null; readonly reason: string | null },
  ) =>
  async (tx: TenantTx, id: TaskId): Promise<void> => {
    const row = (await tx.rows('restoreRequest', [id])).get(id);
    if (row === undefined) return;
    const organization = (await tx.rows('organization', [row.organization])).get(row.organization);
    const data = { id, decision, user, reason };
    await tx.append(
      [
        {
          company: organization?.company ?? null,
          entity: `restoretask:${id}`,
          event: { type: 'restoretask.decided@1', data },
        },
      ],
      who,
    );
    await informOfDecision(tx, context, row, { decision, user, reason, at: who.at });
  };
