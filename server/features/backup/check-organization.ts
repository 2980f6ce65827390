import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { OutputOf } from '#contract/calls.ts';
import { failed, ok } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { NOT_FOUND } from '#server/platform/http/envelope.ts';
import type { Handlers } from '#server/platform/http/handler.ts';
import { refusal, runIdempotently } from '#server/platform/http/idempotent-command.ts';
import { getAnswer, getEngineFor, scopeFor, serverRefusal } from './engine-calls.ts';
import { findOrganization } from './lookup.ts';
import { getLacking, getServices } from './organization-connection.ts';

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
      const missing = new Set(services.flatMap(({ missingPermissions }) => missingPermissions));
      return runIdempotently<OutputOf<'checkOrganization'>>(context, ctx, async (tx) => {
        const now = await findOrganization(tx, ctx.session, organizationId);
        if (!now) return refusal(NOT_FOUND);
        const before = getLacking(now);
        // Without a sign-in, its permissions are not known. Those of another application aren't either.
        const lacking =
          message === null && isSameAccess(row, now)
            ? { missingPermissions: [...missing], isCertificateMissing: false }
            : before;
        return {
          drafts: isSame(before, lacking)
            ? []
            : [
                {
                  event: {
                    type: 'organization.updated@1',
                    data: { id: now.id, ...getSettings(now), ...lacking },
                  },
                  company: now.company,
                  entity: `organization:${now.id}`,
                },
              ],
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

/** Whether an organization is still read as when the check began. */
const isSameAccess = (row: OrganizationRow, now: OrganizationRow): boolean =>
  now.applicationId === row.applicationId &&
  now.certificate?.thumbprint === row.certificate?.thumbprint &&
  getServices(now).join() === getServices(row).join();

type Lacking = ReturnType<typeof getLacking>;
const isSame = (a: Lacking, b: Lacking): boolean =>
  a.isCertificateMissing === b.isCertificateMissing &&
  a.missingPermissions.toSorted().join() === b.missingPermissions.toSorted().join();

const getSettings = (row: OrganizationRow) => ({
  name: row.name,
  officeName: row.officeName,
  directoryId: row.directoryId,
  region: row.region,
  authType: row.authType,
  isExchangeOnline: row.isExchangeOnline,
  isSharePointOnline: row.isSharePointOnline,
  isTeamsOnline: row.isTeamsOnline,
  isTeamsChatsOnline: row.isTeamsChatsOnline,
  applicationId: row.applicationId,
  certificate: row.certificate,
  sharePointSaveAllWebParts: row.sharePointSaveAllWebParts,
});
