import type { OutputOf } from '#contract/calls.ts';
import type { RestorePoint } from '#contract/engine/engine.ts';
import type { NewEvent } from '#contract/events.ts';
import { ok, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { FORBIDDEN_RESULT } from '#server/platform/auth/guards.ts';
import type { Handlers, SessionContext } from '#server/platform/http/handler.ts';
import { getAnswer } from '../backup/engine-calls.ts';
import { mayRestore, runOnce, withOrganization, withSession, SESSION_WORKLOADS } from './scope.ts';

type Names = 'listRestorePoints' | 'openRestoreSession' | 'stopRestoreSession';
const PAGE_ROWS = 200;

/** RES-20: restore points, and the sessions in which they are read. */
export function restoreSessionHandlers(context: AppContext): Pick<Handlers, Names> {
  return {
    listRestorePoints: ({ from, to, jobId, sessionType, cursor, limit = PAGE_ROWS, ...of }, ctx) =>
      withOrganization(context, ctx, of, async ({ engine, scope }) => {
        const page = getAnswer(
          await engine.listPoints(scope, {
            job: jobId ?? null,
            from: from ?? null,
            to: to ?? null,
            workload: sessionType === undefined ? null : SESSION_WORKLOADS[sessionType],
            cursor: cursor ?? null,
            limit,
          }),
        );
        return page.ok ? ok({ ...page.value, rows: page.value.rows.map(pointOut) }) : page;
      }),

    async openRestoreSession({ datetime, sessionType, jobId, showDeleted, ...of }, ctx) {
      const workload = SESSION_WORKLOADS[sessionType];
      if (!mayRestore(ctx.session, workload)) return FORBIDDEN_RESULT;
      return runOnce<OutputOf<'openRestoreSession'>>(
        context,
        ctx,
        () =>
          withOrganization(context, ctx, of, async ({ engine, scope }) => {
            const opened = getAnswer(
              await engine.openExplorer(scope, { workload, job: jobId, at: datetime, showDeleted }),
            );
            if (!opened.ok) return opened;
            const { id, point, endsAt } = opened.value;
            return ok({
              _id: id,
              id,
              organizationId: scope.organization,
              sessionType,
              showDeleted,
              point: pointOut(point),
              endsAt,
            });
          }),
        ({ id, point, organizationId }) => [
          own(ctx, {
            type: 'restoresession.opened@1',
            data: {
              id: ctx.session.userId,
              session: id,
              organization: organizationId,
              job: jobId,
              sessionType,
              pointAt: point.backupTime,
              showDeleted,
            },
          }),
        ],
      );
    },

    stopRestoreSession: (input, ctx) =>
      runOnce<OutputOf<'stopRestoreSession'>>(
        context,
        ctx,
        () =>
          withSession(context, ctx, input, null, async ({ engine, scope }) =>
            done(
              getAnswer(
                await engine.stopExplorer(scope, {
                  explorer: input.restoreSessionId,
                  keepsRights: input.keepRights,
                }),
              ),
            ),
          ),
        () => [
          own(ctx, {
            type: 'restoresession.stopped@1',
            data: { id: ctx.session.userId, session: input.restoreSessionId },
          }),
        ],
      ),
  };
}

/** Sessions are their user's own. */
const own = ({ session }: SessionContext, event: NewEvent['event']): NewEvent => ({
  event,
  company: null,
  entity: `user:${session.userId}`,
});

const done = (result: Result<unknown>): Result<{ success: true }> =>
  result.ok ? ok({ success: true }) : result;

const pointOut = ({ id, job, at, changes, result, lacks }: RestorePoint) => ({
  id,
  jobId: job,
  backupTime: at,
  changes,
  result,
  lacks: [...lacks],
});
