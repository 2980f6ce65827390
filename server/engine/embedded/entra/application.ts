import * as v from 'valibot';
import type { EngineResult, Service } from '#contract/engine/engine.ts';
import type { GraphClient } from '../graph/client.ts';
import { createCertificate, type ApplicationCertificate } from '../graph/certificate.ts';
import type { DeviceCodeClient } from '../graph/device-code.ts';
import { graphMessages as t } from '../graph/messages.en.ts';
import type { GraphResult } from '../graph/request.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { failed, ok } from '../../result.ts';
import { withoutGranted } from './permissions.ts';

/** The application of Microsoft Graph itself, in every tenant. */
const GRAPH_APP = '00000003-0000-0000-c000-000000000000';

/** Microsoft's own client for administrators, which every tenant knows. */
export const ADMINISTRATOR_CLIENT: DeviceCodeClient = {
  directory: 'organizations',
  applicationId: '14d82eec-204b-4c2f-b7e8-296a70dab67e',
  permissions: ['Application.ReadWrite.All', 'AppRoleAssignment.ReadWrite.All', 'User.Read'],
};

const CERTIFICATE_DAYS = 730;
export const newCertificate = (context: AppContext): Promise<ApplicationCertificate> =>
  createCertificate(context.chance, context.clock.now(), {
    name: 'Backup',
    days: CERTIFICATE_DAYS,
  });

const ALWAYS = ['User.Read.All', 'Group.Read.All', 'Organization.Read.All'];
/** Permissions to read what is backed up. */
const BY_SERVICE: Readonly<Record<Service, readonly string[]>> = {
  exchange: [
    'Mail.Read',
    'Calendars.Read',
    'Contacts.Read',
    'Tasks.Read.All',
    'MailboxItem.Export.All',
  ],
  sharepoint: ['Files.Read.All', 'Sites.Read.All'],
  teams: [
    'TeamSettings.Read.All',
    'TeamMember.Read.All',
    'Channel.ReadBasic.All',
    'ChannelMember.Read.All',
    'TeamsTab.Read.All',
    'Files.Read.All',
  ],
  teamsChats: ['ChannelMessage.Read.All'],
};
export const permissionsFor = (services: readonly Service[]): readonly string[] => [
  ...new Set([...ALWAYS, ...services.flatMap((service) => BY_SERVICE[service])]),
];

/**
 * What an application is granted beside what it can't do without: members of groups select and
 * exclude people, also where they are hidden.
 */
export const listApplicationPermissions = (services: readonly Service[]): readonly string[] => [
  ...permissionsFor(services),
  'Member.Read.Hidden',
];

/** An application's registration in its tenant. Keys are sent back as they were read. */
const Registration = v.object({
  id: v.string(),
  appId: v.string(),
  keyCredentials: v.optional(
    v.array(v.looseObject({ keyId: v.string(), displayName: v.nullish(v.string()) })),
    [],
  ),
});
export type Registration = v.InferOutput<typeof Registration>;
const Principal = v.object({
  id: v.string(),
  appRoles: v.optional(
    v.array(
      v.object({
        id: v.string(),
        value: v.nullish(v.string()),
        allowedMemberTypes: v.array(v.string()),
      }),
    ),
    [],
  ),
});
type Principal = v.InferOutput<typeof Principal>;
const Assignment = v.object({ appRoleId: v.string(), resourceId: v.string() });
const FIELDS = '$select=id,appId,keyCredentials';

/** What a key is called in the application: how it is found again. */
const nameOfKey = (thumbprint: string): string => `Backup ${thumbprint}`;

const filterBy = (field: string, value: string): string =>
  `$filter=${encodeURIComponent(`${field} eq '${value.replaceAll("'", "''")}'`)}`;

/** Whether it has the certificate: added here by its name, or by an administrator. */
export const hasKey = ({ keyCredentials }: Registration, thumbprint: string): boolean =>
  keyCredentials.some(
    ({ displayName, customKeyIdentifier }) =>
      displayName === nameOfKey(thumbprint) ||
      (typeof customKeyIdentifier === 'string' &&
        [customKeyIdentifier, fromBase64(customKeyIdentifier)].includes(thumbprint)),
  );
/** Entra answers with the thumbprint in hexadecimal or, as Graph's type says, in base64. */
const fromBase64 = (identifier: string): string =>
  Buffer.from(identifier, 'base64').toString('hex').toUpperCase();

const getKey = ({ der, thumbprint }: ApplicationCertificate) => ({
  type: 'AsymmetricX509Cert',
  usage: 'Verify',
  key: der,
  displayName: nameOfKey(thumbprint),
});

/** Creates an application with the certificate, unless an attempt before has created it. */
export async function createRegistration(
  client: GraphClient,
  name: string,
  certificate: ApplicationCertificate,
): Promise<EngineResult<Registration>> {
  const found = await client.page(
    `/applications?${filterBy('displayName', name)}&${FIELDS}`,
    Registration,
  );
  if (!found.ok) return refused(found);
  const own = found.value.rows.find((row) => hasKey(row, certificate.thumbprint));
  if (own) return ok(own);
  const created = await client.post(
    '/applications',
    { displayName: name, signInAudience: 'AzureADMyOrg', keyCredentials: [getKey(certificate)] },
    Registration,
  );
  return created.ok ? created : refused(created);
}

export async function findRegistration(
  client: GraphClient,
  applicationId: string,
): Promise<EngineResult<Registration>> {
  const found = await client.page(
    `/applications?${filterBy('appId', applicationId)}&${FIELDS}`,
    Registration,
  );
  if (!found.ok) return refused(found);
  const [registration] = found.value.rows;
  return registration
    ? ok(registration)
    : failed('missing', t.noApplication, { field: 'applicationId' });
}

/** Deletes an application with its principal and what it may do. One that is gone is deleted. */
export async function deleteRegistration(
  client: GraphClient,
  id: string,
): Promise<EngineResult<void>> {
  const deleted = await client.delete(`/applications/${encodeURIComponent(id)}`);
  return deleted.ok ? ok(undefined) : refused(deleted);
}

/** Adds the certificate to those that the application has. */
export async function addApplicationKey(
  client: GraphClient,
  registration: Registration,
  certificate: ApplicationCertificate,
): Promise<EngineResult<void>> {
  return hasKey(registration, certificate.thumbprint)
    ? ok(undefined)
    : saveKeys(client, registration, [...registration.keyCredentials, getKey(certificate)]);
}

export async function removeKey(
  client: GraphClient,
  registration: Registration,
  thumbprint: string,
): Promise<EngineResult<void>> {
  return hasKey(registration, thumbprint)
    ? saveKeys(
        client,
        registration,
        registration.keyCredentials.filter(
          ({ displayName }) => displayName !== nameOfKey(thumbprint),
        ),
      )
    : ok(undefined);
}

async function saveKeys(
  client: GraphClient,
  { id }: Registration,
  keyCredentials: readonly unknown[],
): Promise<EngineResult<void>> {
  const saved = await client.patch(
    `/applications/${encodeURIComponent(id)}`,
    { keyCredentials },
    v.unknown(),
  );
  return saved.ok ? ok(undefined) : refused(saved);
}

/** Returns the application's principal in the tenant, and creates it if there is none. */
export async function ensurePrincipal(
  client: GraphClient,
  applicationId: string,
): Promise<EngineResult<Principal>> {
  const found = await findPrincipal(client, applicationId);
  if (!found.ok) return found;
  if (found.value) return ok(found.value);
  const created = await client.post('/servicePrincipals', { appId: applicationId }, Principal);
  return created.ok ? created : refused(created);
}

async function findPrincipal(
  client: GraphClient,
  applicationId: string,
): Promise<EngineResult<Principal | null>> {
  const found = await client.page(
    `/servicePrincipals?${filterBy('appId', applicationId)}`,
    Principal,
  );
  return found.ok ? ok(found.value.rows[0] ?? null) : refused(found);
}

/** Grants the permissions as an administrator. Returns those that are missing after that. */
export async function grantPermissions(
  client: GraphClient,
  principal: Principal,
  permissions: readonly string[],
): Promise<EngineResult<readonly string[]>> {
  const roles = await readRoles(client, principal);
  if (!roles.ok) return roles;
  const { resourceId, path, getRole, granted } = roles.value;
  for (const permission of permissions) {
    const appRoleId = getRole(permission);
    if (appRoleId === undefined || granted.has(appRoleId)) continue;
    const answer = await client.post(
      path,
      { principalId: principal.id, resourceId, appRoleId },
      v.unknown(),
    );
    // What Graph refuses is missing, or granted already: the list after it says which.
    if (!answer.ok && !REFUSALS.has(answer.error.kind)) return refused(answer);
  }
  return readMissing(client, principal, permissions);
}

/** Returns those of the permissions that an application lacks. Changes nothing. */
export async function findLacking(
  client: GraphClient,
  applicationId: string,
  permissions: readonly string[],
): Promise<EngineResult<readonly string[]>> {
  const principal = await findPrincipal(client, applicationId);
  if (!principal.ok) return principal;
  // Without a principal, the tenant has never consented to anything.
  return principal.value ? readMissing(client, principal.value, permissions) : ok(permissions);
}

async function readMissing(
  client: GraphClient,
  principal: Principal,
  permissions: readonly string[],
): Promise<EngineResult<readonly string[]>> {
  const roles = await readRoles(client, principal);
  if (!roles.ok) return roles;
  const { granted, getRole } = roles.value;
  return ok(withoutGranted(permissions, (one) => granted.has(getRole(one) ?? '')));
}

/** Reads the roles that Graph offers to applications, and those that are granted to one. */
async function readRoles(client: GraphClient, principal: Principal) {
  const graph = await findPrincipal(client, GRAPH_APP);
  if (!graph.ok) return graph;
  if (graph.value === null) return failed('missing', t.noGraph);
  const { id: resourceId, appRoles } = graph.value;
  const path = `/servicePrincipals/${encodeURIComponent(principal.id)}/appRoleAssignments`;
  const page = await client.page(`${path}?$top=999`, Assignment);
  if (!page.ok) return refused(page);
  const getRole = (permission: string): string | undefined =>
    appRoles.find(
      ({ value, allowedMemberTypes }) =>
        value === permission && allowedMemberTypes.includes('Application'),
    )?.id;
  const granted: ReadonlySet<string> = new Set(
    page.value.rows
      .filter((row) => row.resourceId === resourceId)
      .map(({ appRoleId }) => appRoleId),
  );
  return ok({ resourceId, path, getRole, granted });
}
const REFUSALS: ReadonlySet<string> = new Set(['forbidden', 'invalid', 'conflict']);

/** Graph denies this to people who don't administer applications. */
const refused = ({ error }: Extract<GraphResult<unknown>, { ok: false }>): EngineResult<never> =>
  error.kind === 'forbidden' ? failed('forbidden', t.notAdministrator) : { ok: false, error };
