import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type { AccessHealth } from '#contract/engine/connection.ts';
import type { TenantId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import type { NewEvent } from '#contract/events.ts';
import { getEngineFor, serverRefusal } from './engine-calls.ts';
import { getLacking, getServices } from './organization-connection.ts';

type Lacking = ReturnType<typeof getLacking>;

/**
 * Returns what the application of an organization lacks, by a check of the access that `checked` had
 * when it began. Without a sign-in its permissions are not known, and those of another application
 * aren't either: then what is stored stays.
 */
export function findLackingServices(
  checked: OrganizationRow,
  now: OrganizationRow,
  { services }: Pick<AccessHealth, 'services'>,
): Lacking {
  const hasSignedIn = services.every(({ message }) => message === null);
  if (!hasSignedIn || !isSameAccess(checked, now)) return getLacking(now);
  const missing = new Set(services.flatMap(({ missingPermissions }) => missingPermissions));
  return { missingPermissions: [...missing], isCertificateMissing: false };
}

/** Returns the event that stores what the application lacks, if that has changed. */
export const toLackingEvents = (row: OrganizationRow, lacking: Lacking): readonly NewEvent[] =>
  isSame(getLacking(row), lacking)
    ? []
    : [
        {
          event: {
            type: 'organization.updated@1',
            data: { id: row.id, ...getSettings(row), ...lacking },
          },
          company: row.company,
          entity: `organization:${row.id}`,
        },
      ];

/**
 * ENG-50: checks an organization again after a session: if it lacked something and the session made
 * a restore point, as an administrator may have granted it in the tenant, or if Microsoft 365 denied
 * the session an access (`isDenied`), as it may have been revoked. If Microsoft 365 can't answer,
 * the next such session checks it.
 */
export async function checkLackingAgain(
  context: AppContext,
  tenant: TenantId,
  row: OrganizationRow,
  { isDenied }: { readonly isDenied: boolean },
): Promise<void> {
  const { missingPermissions, isCertificateMissing } = getLacking(row);
  const isLacking = missingPermissions.length > 0 || isCertificateMissing;
  if (!(isLacking || isDenied) || row.removedAt !== null || serverRefusal(row) !== null) return;
  const checked = await getEngineFor(context, row).organizations.test(
    { tenant, organization: row.id, user: null },
    { services: getServices(row) },
  );
  if (!checked.ok) return;
  await context.store.tenant(tenant, async (tx) => {
    await tx.lock();
    const now = (await tx.rows('organization', [row.id])).get(row.id);
    if (!now || now.removedAt !== null) return;
    await tx.append(toLackingEvents(now, findLackingServices(row, now, checked.value)), {
      actor: { kind: 'clock' },
      subject: null,
      commandId: null,
      at: context.clock.now(),
    });
  });
}

/** ENG-50: the check after Microsoft 365 denied a comparison or a restore an access. */
export const organizationCheck =
  (context: AppContext): JobHandler<'organization-check'> =>
  async ({ tenant, payload: { organization } }) => {
    const row = await context.store.tenant(
      tenant,
      async (tx) => (await tx.rows('organization', [organization])).get(organization),
      { readOnly: true },
    );
    if (row) await checkLackingAgain(context, tenant, row, { isDenied: true });
    return null;
  };

/** Whether an organization is still read as when the check began. */
const isSameAccess = (row: OrganizationRow, now: OrganizationRow): boolean =>
  now.applicationId === row.applicationId &&
  now.certificate?.thumbprint === row.certificate?.thumbprint &&
  getServices(now).join() === getServices(row).join();

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
