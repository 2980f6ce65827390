import type { OutputOf } from '#contract/calls.ts';
import { pinId } from '#contract/companies/pins.ts';
import { MESSAGES } from '#contract/messages.ts';
import { ok } from '#contract/result.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { refusal, runIdempotently } from '../../platform/http/idempotent-command.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { toScope, isCompanyInScope } from '../../platform/sync/scope.ts';

/** DESK-8: users pin companies that they see, for themselves. */
export function pinHandlers(context: AppContext): Pick<Handlers, 'pinCompany'> {
  return {
    pinCompany: ({ id, company, pinned }, ctx) =>
      runIdempotently<OutputOf<'pinCompany'>>(context, ctx, async (tx) => {
        const { userId } = ctx.session;
        if (id.toLowerCase() !== userId)
          return refusal({ kind: 'forbidden', message: MESSAGES.preferenceNotOwned });
        const row = (await tx.rows('company', [company])).get(company);
        if (!row || row.deletedAt !== undefined || !isCompanyInScope(toScope(ctx.session), company))
          return refusal({ kind: 'not-found', message: MESSAGES.notFound });
        const event = { type: 'company.pinned@1', data: { id: userId, company, pinned } } as const;
        return {
          drafts: [{ event, company: null, entity: `pin:${pinId(userId, company)}` }],
          answer: (seq) => ok({ seq }),
        };
      }),
  };
}
