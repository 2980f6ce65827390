import type { ParsedInputOf } from '#contract/calls.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type {
  ApplicationSetup,
  ConnectedTenant,
  ConnectInput,
} from '#contract/engine/connection.ts';
import type { Capabilities, Service } from '#contract/engine/engine.ts';
import type { Result } from '#contract/result.ts';
import { badField } from '#server/platform/auth/guards.ts';
import { backupMessages as t } from './messages.en.ts';

export type OrganizationFields = Omit<ParsedInputOf<'updateOrganization'>, 'organizationId'>;
type Settings = OrganizationFields['exchangeOnlineSettings'];

/** The first of both services' settings that has the field. */
const either = <K extends keyof NonNullable<Settings>>(
  { exchangeOnlineSettings: exchange, sharePointOnlineSettings: sharePoint }: OrganizationFields,
  field: K,
): NonNullable<Settings>[K] | undefined => exchange?.[field] ?? sharePoint?.[field];

/** Returns the services that are backed up, as engines name them. */
export const getServices = (
  fields: Pick<
    OrganizationFields,
    'isExchangeOnline' | 'isSharePointOnline' | 'isTeamsOnline' | 'isTeamsChatsOnline'
  >,
): Service[] => [
  ...(fields.isExchangeOnline ? (['exchange'] as const) : []),
  ...(fields.isSharePointOnline ? (['sharepoint'] as const) : []),
  ...(fields.isTeamsOnline ? (['teams'] as const) : []),
  ...(fields.isTeamsOnline && fields.isTeamsChatsOnline ? (['teamsChats'] as const) : []),
];

const FLAGS = {
  exchange: 'isExchangeOnline',
  sharepoint: 'isSharePointOnline',
  teams: 'isTeamsOnline',
  teamsChats: 'isTeamsChatsOnline',
} as const satisfies Record<Service, keyof OrganizationFields>;

/**
 * Returns why an organization can't be saved like this; null if it can. `row`: as it is, null for a
 * new one.
 */
export function connectionRefusal(
  fields: OrganizationFields,
  { auth, services }: Pick<Capabilities, 'auth' | 'services'>,
  row: OrganizationRow | null,
): Result<never> | null {
  const chosen = getServices(fields);
  if (chosen.length === 0) return badField('isExchangeOnline', t.noService);
  const missing = chosen.find((service) => !services.includes(service));
  if (missing !== undefined) return badField(FLAGS[missing], t.serviceNotSupported);
  if (!auth.includes(fields.authType)) return badField('authType', t.authNotSupported);
  const isStored = row?.authType === fields.authType;
  const applicationId = either(fields, 'applicationId');
  if (fields.authType === 'modern' && fields.userCode === undefined && !isStored)
    return badField('userCode', t.codeNeeded);
  const added = isStored && fields.userCode === undefined ? findAdded(chosen, row) : undefined;
  if (fields.authType === 'modern' && added !== undefined)
    return badField('userCode', t.codeForService);
  if (fields.authType === 'modernLegacy') {
    if (applicationId === undefined && !isStored)
      return badField('exchangeOnlineSettings.applicationId', t.applicationNeeded);
    const isOther = applicationId !== undefined && applicationId !== row?.applicationId;
    if (either(fields, 'applicationSecret') === undefined && (!isStored || isOther))
      return badField('exchangeOnlineSettings.applicationSecret', t.secretNeeded);
    if (either(fields, 'officeOrganizationName') === undefined && row === null)
      return badField('exchangeOnlineSettings.officeOrganizationName', t.domainNeeded);
  }
  return null;
}

/** Returns a service that is not backed up yet: its permissions need a sign-in. */
const findAdded = (chosen: readonly Service[], row: OrganizationRow): Service | undefined => {
  const before = getServices(row);
  return chosen.find((service) => !before.includes(service));
};

/**
 * Returns whether the portal has to sign in to the tenant again. Permissions for another service
 * are granted by a new sign-in, which the input then has; those of an application with a secret are
 * checked.
 */
export const changesConnection = (fields: OrganizationFields, row: OrganizationRow): boolean =>
  fields.userCode !== undefined ||
  fields.authType !== row.authType ||
  fields.region !== row.region ||
  either(fields, 'applicationSecret') !== undefined ||
  either(fields, 'password') !== undefined ||
  (either(fields, 'applicationId') ?? row.applicationId) !== row.applicationId ||
  (fields.authType === 'modernLegacy' && findAdded(getServices(fields), row) !== undefined);

export const connectInput = (
  fields: OrganizationFields,
  row: OrganizationRow | null,
): ConnectInput => ({
  region: fields.region,
  auth: fields.authType,
  services: getServices(fields),
  code: fields.userCode ?? null,
  officeOrganizationName: either(fields, 'officeOrganizationName') ?? row?.officeName ?? null,
  newApplicationName: fields.newApplicationName ?? null,
  applicationId: either(fields, 'applicationId') ?? row?.applicationId ?? null,
  applicationSecret: either(fields, 'applicationSecret') ?? null,
  setup: getSetup(fields, row),
  directoryId: row?.directoryId ?? null,
});

/** An application that is kept gets no new certificate. */
function getSetup(fields: OrganizationFields, row: OrganizationRow | null): ApplicationSetup {
  if (fields.configureApplication === false) return 'nothing';
  const isCurrent =
    row?.authType === 'modern' &&
    fields.newApplicationName === undefined &&
    either(fields, 'applicationId') === undefined;
  return isCurrent ? 'permissions' : 'all';
}

/** Returns what the application lacks. */
export const getLacking = ({
  missingPermissions = [],
  isCertificateMissing = false,
}: Pick<OrganizationRow, 'missingPermissions' | 'isCertificateMissing'>) => ({
  missingPermissions: [...missingPermissions],
  isCertificateMissing,
});

/**
 * Returns the settings for the log: what the tenant said when the portal signed in, or what is
 * stored.
 */
export function organizationData(
  fields: OrganizationFields,
  signedIn: ConnectedTenant | OrganizationRow,
) {
  const certificate = signedIn.certificate && {
    thumbprint: signedIn.certificate.thumbprint,
    expiresAt: signedIn.certificate.expiresAt,
  };
  return {
    name: fields.name,
    officeName: 'domain' in signedIn ? signedIn.domain : signedIn.officeName,
    directoryId: signedIn.directoryId,
    region: fields.region,
    authType: fields.authType,
    isExchangeOnline: fields.isExchangeOnline,
    isSharePointOnline: fields.isSharePointOnline,
    isTeamsOnline: fields.isTeamsOnline,
    isTeamsChatsOnline: fields.isTeamsOnline && fields.isTeamsChatsOnline,
    applicationId: signedIn.applicationId,
    certificate,
    ...getLacking(signedIn),
    sharePointSaveAllWebParts: either(fields, 'sharePointSaveAllWebParts') ?? true,
  };
}
