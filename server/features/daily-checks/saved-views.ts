import type { OutputOf } from '#contract/calls.ts';
import type { NewEvent } from '#contract/events.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { ViewRow } from '#contract/daily-checks/saved-views.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { runIdempotently, refusal } from '#server/platform/http/idempotent-command.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { toScope, isCompanyInScope, seesView } from '#server/platform/sync/scope.ts';
import type { SyncScope } from '#server/platform/sync/scope.ts';
import type { AppContext } from '#server/platform/app-context.ts';

type Done = OutputOf<'saveView'>;
const done = (seq: number) => ok<Done>({ seq });

/** DESK-1 to DESK-3: saved views and shift handovers. */
export function viewHandlers(
  context: AppContext,
): Pick<Handlers, 'saveView' | 'removeView' | 'endShift'> {
  return {
    saveView: (view, ctx) =>
      runIdempotently<Done>(context, ctx, async (tx) => {
        const before = (await tx.rows('view', [view.id])).get(view.id);
        if (before && before.owner !== ctx.session.userId)
          return refusal({ kind: 'forbidden', message: MESSAGES.viewNotOwned });
        if (view.shared && ctx.session.companies !== null)
          return refusal({ kind: 'forbidden', message: MESSAGES.viewNotShareable });
        const fresh = !before || before.removedAt !== null;
        if (fresh && (await loadViews(tx, ctx.session.userId)) >= LIMITS.viewsPerUser)
          return refusal({
            kind: 'conflict',
            message: MESSAGES.viewsFull({ max: LIMITS.viewsPerUser }),
          });
        const saved: NewEvent = {
          event: { type: 'view.saved@1', data: { ...view, owner: ctx.session.userId } },
          company: null,
          entity: `view:${view.id}`,
        };
        // Users who saw the shared view get its removal, but not its new content.
        const hidden = before && !fresh && before.shared && !view.shared ? [removed(before)] : [];
        return { drafts: [...hidden, saved], answer: done };
      }),

    removeView: ({ id }, ctx) =>
      runIdempotently<Done>(context, ctx, async (tx) => {
        const view = (await tx.rows('view', [id])).get(id);
        const failure = view ? notRemovable(toScope(ctx.session), view) : NOT_FOUND;
        if (!view || failure) return refusal(failure ?? NOT_FOUND);
        return { drafts: view.removedAt === null ? [removed(view)] : [], answer: done };
      }),

    endShift: (shift, ctx) =>
      runIdempotently<Done>(context, ctx, async (tx) => {
        const before = (await tx.rows('shift', [shift.id])).get(shift.id);
        if (before)
          return before.by === ctx.session.userId
            ? { drafts: [], answer: done }
            : refusal({ kind: 'key-reused', message: MESSAGES.handOverTaken });
        const data = { ...shift, ...(await within(tx, toScope(ctx.session), shift)) };
        return {
          drafts: [
            {
              event: { type: 'shift.handedOver@1', data },
              company: null,
              entity: `shift:${shift.id}`,
            },
          ],
          answer: done,
        };
      }),
  };
}

const NOT_FOUND: Failure = { kind: 'not-found', message: MESSAGES.notFound };

const removed = ({ id, owner, shared }: ViewRow): NewEvent => ({
  event: { type: 'view.deleted@1', data: { id, owner, shared } },
  company: null,
  entity: `view:${id}`,
});

/**
 * Returns why the user cannot remove the view; null if they can. A view that the user cannot see
 * returns not found.
 */
function notRemovable(scope: SyncScope, view: ViewRow): Failure | null {
  if (view.owner === scope.own) return null;
  return view.removedAt === null && seesView(scope, view)
    ? { kind: 'forbidden', message: MESSAGES.viewNotOwned }
    : NOT_FOUND;
}

const loadViews = async (tx: TenantTx, owner: string): Promise<number> =>
  (await tx.all('view')).filter((view) => view.owner === owner && view.removedAt === null).length;

type Shift = Pick<Parameters<Handlers['endShift']>[0], 'open' | 'ending'>;

/**
 * Returns the part of a handover's lists that its author can see, because the device may have
 * counted before it lost access to a company.
 */
async function within(tx: TenantTx, scope: SyncScope, { open, ending }: Shift): Promise<Shift> {
  const runs = await tx.rows('run', [...new Set(ending.map(({ run }) => run))]);
  return {
    open: open.filter(({ company }) => isCompanyInScope(scope, company)),
    ending: ending.filter(({ run }) => {
      const row = runs.get(run);
      return row !== undefined && isCompanyInScope(scope, row.company);
    }),
  };
}
