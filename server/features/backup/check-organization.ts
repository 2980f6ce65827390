import type { OutputOf } from '#contract/calls.ts';
import { failed, ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { refusal, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { getAnswer, getEngineFor, scopeFor, serverRefusal } from './engine-calls.ts';
import { findOrganization } from './lookup.ts';
import { findLackingServices, toLackingEvents } from './organization-access.ts';
import { getServices } from './organization-connection.ts';

/**
 * ENG-50: checks what the application of an organization lacks, and stores it if that has changed:
 * an administrator may have granted or revoked permissions in the tenant.
 */
export function checkOrganizationHandlers(
  context: AppContext,
): Pick<Handlers, 'checkOrganization'> {
  return {
    async checkOrganization({ organizationId }, ctx) {
      const row = await context.store.tenant(
        ctx.tenant,
        (tx) => findOrganization(tx, ctx.session, organizationId),
        { readOnly: true },
      );
      if (!row) return failed(NOT_FOUND);
      const wrong = serverRefusal(row);
      if (wrong) return wrong;
      const checked = getAnswer(
        await getEngineFor(context, row).organizations.test(scopeFor(ctx, row.id), {
          services: getServices(row),
        }),
      );
      if (!checked.ok) return checked;
      const { services, certificate } = checked.value;
      const message = services.find((one) => one.message !== null)?.message ?? null;
      return runIdempotently<OutputOf<'checkOrganization'>>(context, ctx, async (tx) => {
        const now = await findOrganization(tx, ctx.session, organizationId);
        if (!now) return refusal(NOT_FOUND);
        const lacking = findLackingServices(row, now, checked.value);
        return {
          drafts: toLackingEvents(now, lacking),
          answer: () =>
            ok({
              signsIn: message === null,
              message,
              services: services.map(({ service, missingPermissions }) => ({
                service,
                missingPermissions: [...missingPermissions],
              })),
              ...lacking,
              certificate,
            }),
        };
      });
    },
  };
}
