import * as v from 'valibot';
import { call } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { anyOrganizationId, words } from '../paging.ts';
import { shownCertificate } from '../shown-certificate.ts';
import { nameText } from '../text-schema.ts';
import { jobFilters, jobOut } from './job-calls.ts';
import { AUTH_TYPES, OrganizationRowSchema, REGIONS, SERVICES } from './organizations.ts';
import { repositoryFields } from './repository-calls.ts';
import {
  companyRef,
  CURSOR,
  DEVICE_CODE_STATES,
  deviceCodeOut,
  idOut,
  listedIds,
  listPageSchema,
} from './suite-schema.ts';
import { storedIdSchema, uuidSchema } from '../id-schema.ts';
import type { BackupRepositoryId, DeviceCodeId } from '../ids.ts';

const secret = v.pipe(v.string(), v.minLength(1), v.maxLength(LIMITS.secretChars));
const SERVICE_NAMES = ['exchange', 'sharepoint', 'teams', 'teamsChats'] as const;
const account = v.pipe(v.string(), v.trim(), v.email(), v.maxLength(LIMITS.addressChars));

/**
 * How the portal signs in to a service. Basic: `account` and `password`. Modern legacy:
 * `applicationId`, `applicationSecret` and `officeOrganizationName`, a domain of the tenant; such an
 * application needs no account. Modern: an application, created by `newApplicationName` or existing
 * by `applicationId`. Secrets left out keep those that are stored.
 */
const connection = v.strictObject({
  account: v.optional(account),
  password: v.optional(secret),
  grantAdminAccess: v.optional(v.boolean()),
  applicationId: v.optional(v.pipe(v.string(), v.uuid())),
  applicationSecret: v.optional(secret),
  officeOrganizationName: v.optional(nameText()),
  sharePointSaveAllWebParts: v.optional(v.boolean()),
});

/**
 * `userCode`: the ID of a granted device code. `configureApplication` false: an existing application
 * is left as it is, and what it lacks is returned.
 */
const fields = {
  name: nameText(),
  authType: v.picklist(AUTH_TYPES),
  region: v.picklist(REGIONS),
  ...SERVICES,
  userCode: v.optional(uuidSchema<DeviceCodeId>()),
  newApplicationName: v.optional(nameText()),
  configureApplication: v.optional(v.boolean()),
  exchangeOnlineSettings: v.optional(connection),
  sharePointOnlineSettings: v.optional(connection),
};
/**
 * An organization without its credentials. `useApplicationOnlyAuth`: by certificate. `protected` of
 * `objects`: people with a restore point, of all in the directory. `companyId` and `companyN`: the
 * same company. `server`: that it was imported from; `problem`: why it was not read the last time.
 */
const organizationOut = v.object({
  _id: v.string(),
  ...v.omit(OrganizationRowSchema, ['company', 'removedAt', 'dataUntil', 'holds', 'exclusions'])
    .entries,
  companyId: v.string(),
  companyN: v.number(),
  companyName: v.string(),
  jobs: v.number(),
  isBackedup: v.boolean(),
  lastBackuptime: v.nullable(v.number()),
  protected: v.number(),
  objects: v.number(),
  server: v.nullable(
    v.object({
      address: v.string(),
      version: v.nullable(v.string()),
      readAt: v.nullable(v.number()),
      problem: v.nullable(v.string()),
    }),
  ),
});

/** `address`: e-mail address, name for signing in, or URL. `children`: of a site. */
const directoryObjectOut = v.object({
  id: v.string(),
  name: v.string(),
  address: v.string(),
  children: v.nullable(v.number()),
});

/** `intervalMs`: how long to wait between two checks. */
const gate = 'o365.organizations';
const organizationId = anyOrganizationId;
const PICKER = { organizationId, search: words, ...CURSOR };
const picker = listPageSchema(directoryObjectOut);
const UNREACHABLE = ['conflict', 'busy', 'forbidden'] as const;

/** `certificate`: PEM of the pinned one, if it isn't signed by a public authority. */
const SERVER = {
  apiUrl: v.pipe(v.string(), v.trim(), v.url(), v.maxLength(LIMITS.addressChars)),
  username: nameText(),
  password: secret,
  certificate: v.optional(
    v.nullable(v.pipe(v.string(), v.trim(), v.maxLength(LIMITS.certificateChars))),
    null,
  ),
};

/**
 * What the application lacks. `isCertificateMissing`: an administrator of the tenant has to add the
 * certificate, which `health` returns.
 */
const lacking = {
  missingPermissions: v.array(v.string()),
  isCertificateMissing: v.boolean(),
};

export const organizationCalls = {
  listOrganizations: call({
    method: 'GET',
    path: 'o365/organizations',
    summary: 'Lists the organizations by name, without credentials.',
    input: v.strictObject({ companyId: v.optional(companyRef), search: words, ...CURSOR }),
    output: listPageSchema(organizationOut),
    gate,
    failures: [],
  }),
  createOrganization: call({
    method: 'POST',
    path: 'o365/organizations',
    summary:
      'Signs in to a Microsoft 365 tenant and creates its organization; with `repository`, its first repository, too.',
    input: v.strictObject({
      companyId: companyRef,
      type: v.literal('Office365'),
      ...fields,
      repository: v.optional(v.strictObject(repositoryFields)),
    }),
    output: v.object({
      ...idOut.entries,
      repositoryId: v.nullable(storedIdSchema<BackupRepositoryId>()),
      ...lacking,
    }),
    isSlow: true,
    gate,
    failures: ['bad-input', 'not-found', ...UNREACHABLE, 'key-reused', 'out-of-order'],
  }),
  listOrganizationNames: call({
    method: 'GET',
    path: 'o365/organizations/names',
    summary: 'Lists the IDs and names of the organizations.',
    input: v.strictObject({}),
    output: v.array(v.object({ _id: v.string(), name: v.string(), companyN: v.number() })),
    gate,
    failures: [],
  }),
  listAllJobs: call({
    method: 'POST',
    path: 'o365/organizations/all-jobs',
    summary: 'Lists the jobs of several organizations.',
    input: v.strictObject({ organizationsIds: listedIds }),
    output: listPageSchema(jobOut),
    gate: 'o365.jobs',
    failures: ['bad-input'],
  }),
  importServer: call({
    method: 'POST',
    path: 'o365/organizations/from-api',
    summary:
      'Connects a Veeam Backup for Microsoft 365 server and imports its organizations that are not imported yet; the others are read with this sign-in from now on. Each belongs to the company that is linked with it, or else to `companyId`. `left`: those that were not imported, and why.',
    input: v.strictObject({ ...SERVER, companyId: v.optional(companyRef) }),
    output: v.object({
      ...listPageSchema(idOut).entries,
      left: v.array(v.object({ name: v.string(), reason: v.string() })),
    }),
    isSlow: true,
    gate,
    failures: ['bad-input', 'not-found', ...UNREACHABLE, 'too-many', 'key-reused', 'out-of-order'],
  }),
  testServer: call({
    method: 'POST',
    path: 'o365/organizations/from-api/test',
    summary:
      'Signs in to a Veeam Backup for Microsoft 365 server and lists its organizations. Stores nothing. `companyN`: the company that is linked with it. `reason`: why it can’t be imported. `seen`: the certificate of the server, if it isn’t trusted.',
    input: v.strictObject(SERVER),
    output: v.object({
      ok: v.boolean(),
      message: v.string(),
      seen: v.nullable(shownCertificate),
      organizations: v.array(
        v.object({
          name: v.string(),
          domain: v.string(),
          companyN: v.nullable(v.number()),
          reason: v.nullable(v.string()),
          isImported: v.boolean(),
        }),
      ),
    }),
    isSlow: true,
    gate,
    failures: ['bad-input', 'too-many'],
  }),
  renewCertificate: call({
    method: 'POST',
    path: 'o365/organizations/renew-certificate',
    summary:
      'Replaces the certificate of the backup application. `code`: the ID of a granted device code.',
    input: v.strictObject({ organizationId, code: uuidSchema<DeviceCodeId>() }),
    output: v.object({ thumbprint: v.string(), expiresAt: v.number() }),
    isSlow: true,
    gate,
    failures: ['bad-input', 'not-found', ...UNREACHABLE],
  }),
  requestAppDeviceCode: call({
    method: 'POST',
    path: 'o365/organizations/app-device-code',
    summary: 'Returns a code to sign in to the tenant of an organization.',
    input: v.strictObject({ organizationId }),
    output: deviceCodeOut,
    gate,
    failures: ['not-found', ...UNREACHABLE],
  }),
  requestDeviceCode: call({
    method: 'POST',
    path: 'o365/organizations/device-code',
    summary:
      'Returns a code to sign in to the tenant of a new organization. `companyObjId`: its company.',
    input: v.strictObject({ targetRegion: v.picklist(REGIONS), companyObjId: companyRef }),
    output: deviceCodeOut,
    gate,
    failures: ['bad-input', 'not-found', ...UNREACHABLE],
  }),
  checkDeviceCode: call({
    method: 'POST',
    path: 'o365/organizations/device-code/check',
    summary: 'Checks once whether somebody signed in with a device code of this user.',
    input: v.strictObject({ code: uuidSchema<DeviceCodeId>() }),
    output: v.object({
      state: v.picklist(DEVICE_CODE_STATES),
    }),
    gate,
    failures: ['not-found', ...UNREACHABLE],
  }),
  getSuiteVersion: call({
    method: 'GET',
    path: 'o365/version',
    summary: 'Returns the version of the backup engine of a company, and what it supports.',
    input: v.strictObject({ companyObjId: v.optional(companyRef) }),
    output: v.object({
      version: v.string(),
      authTypes: v.array(v.picklist(['basic', 'modernLegacy', 'modern'])),
      services: v.array(v.picklist(SERVICE_NAMES)),
    }),
    gate,
    failures: ['not-found'],
  }),
  getOrganization: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}',
    summary: 'Returns an organization, without credentials.',
    input: v.strictObject({ organizationId }),
    output: organizationOut,
    gate,
    failures: ['not-found'],
  }),
  updateOrganization: call({
    method: 'PUT',
    path: 'o365/organizations/{organizationId}',
    summary:
      'Changes an organization. The portal signs in to the tenant again if anything about the connection changes.',
    input: v.strictObject({ organizationId, ...fields }),
    output: v.object(lacking),
    isSlow: true,
    gate,
    failures: ['bad-input', 'not-found', ...UNREACHABLE, 'key-reused', 'out-of-order'],
  }),
  checkOrganization: call({
    method: 'POST',
    path: 'o365/organizations/{organizationId}/health',
    summary:
      'Checks whether the application signs in and has the permissions that the services need, and stores what it lacks. `message`: why it doesn’t sign in. `certificate`: PEM of the one that it signs in with.',
    input: v.strictObject({ organizationId }),
    output: v.object({
      signsIn: v.boolean(),
      message: v.nullable(v.string()),
      services: v.array(
        v.object({ service: v.picklist(SERVICE_NAMES), missingPermissions: v.array(v.string()) }),
      ),
      ...lacking,
      certificate: v.nullable(v.string()),
    }),
    isSlow: true,
    gate,
    failures: ['not-found', ...UNREACHABLE, 'key-reused', 'out-of-order'],
  }),
  setRestoreApproval: call({
    method: 'PUT',
    path: 'o365/organizations/{organizationId}/restore-approval',
    summary:
      'Sets whether restores to other places and of more than 1,000 items wait for the approval of a second person.',
    input: v.strictObject({ organizationId, needsApproval: v.boolean() }),
    output: v.object({}),
    gate,
    failures: ['not-found', 'key-reused', 'out-of-order'],
  }),
  deleteOrganization: call({
    method: 'DELETE',
    path: 'o365/organizations/{organizationId}',
    summary:
      'Deletes an organization: its credentials immediately, its backups after 30 days. All administrators are notified.',
    input: v.strictObject({ organizationId }),
    output: v.object({ dataUntil: v.number() }),
    gate,
    failures: ['not-found', 'conflict', 'key-reused', 'out-of-order'],
  }),
  listOrganizationUsers: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/users',
    summary: 'Lists the users of the tenant by name.',
    input: v.strictObject(PICKER),
    output: picker,
    gate,
    failures: ['not-found', ...UNREACHABLE],
  }),
  listOrganizationGroups: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/groups',
    summary: 'Lists the groups of the tenant by name.',
    input: v.strictObject(PICKER),
    output: picker,
    gate,
    failures: ['not-found', ...UNREACHABLE],
  }),
  listOrganizationTeams: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/teams',
    summary: 'Lists the teams of the tenant by name.',
    input: v.strictObject(PICKER),
    output: picker,
    gate,
    failures: ['not-found', ...UNREACHABLE],
  }),
  listOrganizationSites: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/sites',
    summary: 'Lists the top-level sites of the tenant by name.',
    input: v.strictObject(PICKER),
    output: picker,
    gate,
    failures: ['not-found', ...UNREACHABLE],
  }),
  listSiteChildren: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/sites/{siteId}/children',
    summary: 'Lists the sites below a site.',
    input: v.strictObject({ ...PICKER, siteId: v.pipe(v.string(), v.maxLength(500)) }),
    output: picker,
    gate,
    failures: ['not-found', ...UNREACHABLE],
  }),
  listOrganizationJobs: call({
    method: 'GET',
    path: 'o365/organizations/{organizationId}/jobs',
    summary: 'Lists the jobs of an organization by name.',
    input: v.strictObject({ organizationId, ...jobFilters }),
    output: listPageSchema(jobOut),
    gate: 'o365.jobs',
    failures: ['not-found'],
  }),
} as const;
