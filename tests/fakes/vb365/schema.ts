import * as v from 'valibot';
import { DAILY_TYPE, dayTime, directory, job, JOB_STATUS, jobItem } from './job-schema.ts';
import { objectStorage } from './storage-schema.ts';
import { objectStorageRow } from './repository-schema.ts';
import { restoreRequests } from './restore-schema.ts';
import type { Vb365Version } from './state.ts';

// What the OpenAPI documents of Veeam Backup for Microsoft 365 publish of the requests that the
// stand-in knows, written apart from what the client reads: field by field with the names, forms and
// words of the reference. A field that is not of the schema fails.

const uid = v.pipe(v.string(), v.uuid());
const text = v.string();
const int32 = v.pipe(v.number(), v.integer(), v.minValue(-(2 ** 31)), v.maxValue(2 ** 31 - 1));
const int64 = v.pipe(v.number(), v.integer());
const flag = v.boolean();
/** Date and time in UTC. */
const time = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?Z$/));
const maybe = <S extends v.GenericSchema>(schema: S) => v.nullable(schema);
const getOne = <const W extends readonly string[]>(...words: W) => v.picklist(words);
/** Entries that only one of the versions has. */
const when = (isSo: boolean, entries: v.ObjectEntries): v.ObjectEntries => (isSo ? entries : {});
const some = <E extends v.ObjectEntries>(entries: E) => v.partial(v.strictObject(entries));

const links = v.record(v.string(), v.strictObject({ href: text }));
const session = (version: Vb365Version) =>
  some({
    id: uid,
    repositoryId: uid,
    mainSessionId: uid,
    details: maybe(text),
    creationTime: time,
    endTime: maybe(time),
    retryCount: int32,
    jobWillBeRetried: maybe(flag),
    progress: int32,
    jobType: getOne('Backup', 'Copy'),
    status: JOB_STATUS,
    statistics: some({
      processingRateBytesPS: int64,
      processingRateItemsPS: int64,
      readRateBytesPS: int64,
      writeRateBytesPS: int64,
      transferredDataBytes: int64,
      processedObjects: int64,
      bottleneck: getOne('NA', 'Detecting', 'Source', 'Target'),
    }),
    _links: links,
    ...when(version === 'v8', {
      jobId: uid,
      jobSessionConfigType: getOne('Full', 'Incremental'),
      eTag: int64,
      proxyId: maybe(uid),
      proxyPoolId: maybe(uid),
    }),
  });

const logItem = (version: Vb365Version) =>
  some({
    id: uid,
    usn: int64,
    creationTime: time,
    endTime: time,
    _links: links,
    ...(version === 'v8'
      ? { type: getOne('Running', 'Warning', 'Error', 'Success', 'Stop'), message: text }
      : { title: text }),
  });

const connectionSettings = some({
  useApplicationOnlyAuth: maybe(flag),
  officeOrganizationName: text,
  sharePointSaveAllWebParts: maybe(flag),
  account: text,
  grantAdminAccess: maybe(flag),
  useMfa: maybe(flag),
  useCustomVeeamAADApplication: maybe(flag),
  applicationId: maybe(uid),
  applicationCertificate: text,
  applicationCertificateThumbprint: text,
});
const organization = (version: Vb365Version) =>
  some({
    isTeamsOnline: maybe(flag),
    isTeamsChatsOnline: maybe(flag),
    configureApplication: maybe(flag),
    exchangeOnlineSettings: connectionSettings,
    sharePointOnlineSettings: connectionSettings,
    isExchangeOnline: maybe(flag),
    isSharePointOnline: maybe(flag),
    type: getOne('Office365', 'OnPremises', 'Hybrid'),
    region: getOne('Worldwide', 'Germany', 'China', 'USDefence', 'USGovernment'),
    id: maybe(uid),
    name: text,
    officeName: text,
    description: maybe(text),
    isBackedup: maybe(flag),
    firstBackuptime: maybe(time),
    lastBackuptime: maybe(time),
    _links: links,
    ...when(version === 'v8', { msid: maybe(uid), backedUpOrganizationId: maybe(text) }),
  });

const repository = (version: Vb365Version) =>
  some({
    objectStorageEncryptionEnabled: maybe(flag),
    encryptionKeyId: maybe(uid),
    isOutOfSync: flag,
    capacityBytes: maybe(int64),
    freeSpaceBytes: maybe(int64),
    id: maybe(uid),
    name: text,
    description: text,
    path: text,
    retentionType: maybe(getOne('ItemLevel', 'SnapshotBased')),
    retentionPeriodType: maybe(getOne('Monthly', 'Daily', 'Yearly')),
    dailyRetentionPeriod: maybe(int32),
    monthlyRetentionPeriod: maybe(int32),
    yearlyRetentionPeriod: maybe(
      getOne('Year1', 'Years2', 'Years3', 'Years5', 'Years7', 'Years10', 'Years25', 'Keep'),
    ),
    retentionFrequencyType: maybe(getOne('Daily', 'Monthly')),
    dailyTime: dayTime,
    dailyType: maybe(DAILY_TYPE),
    monthlyTime: dayTime,
    monthlyDaynumber: maybe(getOne('First', 'Second', 'Third', 'Fourth', 'Last')),
    monthlyDayofweek: maybe(
      getOne('Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'),
    ),
    proxyId: maybe(uid),
    isLongTerm: maybe(flag),
    _links: links,
    ...(version === 'v8'
      ? {
          proxyPoolId: maybe(uid),
          organizationId: maybe(uid),
          isOutdated: flag,
          isIndexed: flag,
          isMigrationLocked: flag,
          isOutOfOrder: flag,
          outOfOrderReason: maybe(text),
          objectStorage,
        }
      : { objectStorageId: maybe(uid), objectStorageCachePath: text }),
  });

const proxy = (version: Vb365Version) =>
  some({
    type: getOne('Local', 'Domain', 'Workgroup'),
    id: maybe(uid),
    hostName: text,
    fqdn: text,
    description: text,
    port: maybe(int32),
    status: getOne('Online', 'Offline'),
    _links: links,
    ...(version === 'v8'
      ? {
          proxyPoolId: maybe(uid),
          operatingSystem: getOne('Windows', 'Linux'),
          maintenanceModeState: getOne('Disabled', 'Enabling', 'Enabled'),
        }
      : { threadsNumber: maybe(int32) }),
  });

const license = some({
  licenseID: maybe(uid),
  email: text,
  status: getOne('Valid', 'Expired'),
  licenseExpires: maybe(time),
  gracePeriodExpires: maybe(time),
  type: getOne('Subscription', 'Evaluation', 'NFR', 'Rental', 'Community', 'AwsPrivateOffer'),
  package: text,
  licensedTo: text,
  totalNumber: int32,
  usedNumber: int32,
  newNumber: int32,
  supportID: text,
});

const licensedUser = some({
  id: text,
  name: text,
  isBackedUp: flag,
  lastBackupDate: time,
  licenseState: getOne('Licensed', 'New', 'TemporarilyAssigned', 'Exceeded'),
  organizationId: maybe(uid),
  backedUpOrganizationId: text,
  organizationName: text,
  _links: links,
});

const page = (version: Vb365Version, row: v.GenericSchema) =>
  v.strictObject({
    offset: int32,
    limit: int32,
    setId: v.optional(uid),
    results: v.array(row),
    _links: v.optional(links),
    ...when(version === 'v7', { totalCount: v.optional(maybe(int32)) }),
  });
/** Version 7 lists most things whole. */
const list = (version: Vb365Version, row: v.GenericSchema) =>
  version === 'v8' ? page(version, row) : v.array(row);

/** A page of a change feed. Source: `Events_GetResponse` of v8, `JobSessionChanges_GetResponse` of v7. */
const changePage = (version: Vb365Version, row: v.GenericSchema) =>
  v.strictObject({
    nextChangeToken: text,
    limit: int32,
    setId: v.optional(uid),
    results: v.array(row),
    _links: v.optional(links),
    ...when(version === 'v7', { totalCount: v.optional(maybe(int32)) }),
  });
const JOB_TYPE = getOne('Backup', 'Copy');
/** Of the events, those of jobs, their sessions and their restore points. */
const event = v.variant('eventType', [
  v.strictObject({ eventType: v.literal('JobUpdate'), id: text, eTag: int64, jobType: JOB_TYPE }),
  v.strictObject({ eventType: v.literal('JobDelete'), id: text, jobType: JOB_TYPE }),
  v.strictObject({
    eventType: v.literal('JobSessionUpdate'),
    id: text,
    eTag: int64,
    jobId: text,
    status: getOne('Stopped', 'Running', 'Success', 'Failed', 'Warning', 'NotConfigured'),
    jobType: JOB_TYPE,
  }),
  v.strictObject({ eventType: v.literal('JobSessionDelete'), id: text, jobType: JOB_TYPE }),
  v.strictObject({ eventType: v.literal('JobSelectedItemsChange'), jobId: text }),
  v.strictObject({ eventType: v.literal('JobExcludedItemsChange'), jobId: text }),
  v.strictObject({ eventType: v.literal('RestorePointUpdate'), id: text, eTag: int64 }),
  v.strictObject({ eventType: v.literal('RestorePointDelete'), id: text }),
]);

const token = (version: Vb365Version) =>
  v.strictObject({
    'access_token': text,
    'refresh_token': text,
    'token_type': text,
    'expires_in': int64,
    'userName': version === 'v7' ? text : v.optional(text),
    '.issued': time,
    '.expires': time,
  });

const ERROR_CODES = {
  v7: ['ProxyOffline'],
  v8: [
    'ProxyOffline',
    'OutdatedChangeToken',
    'ResourceAccessDenied',
    'ResourceNotFound',
    'ParameterValidationFailure',
    'OrganizationTransfer',
    'RepositoryOwnerChangeTooManyLinks',
    'Timeout',
    'OperationConflict',
    'HttpError',
  ],
} as const;

export interface Published {
  readonly status: number;
  /** Null: no body. `file`: bytes of any content. */
  readonly body: v.GenericSchema | 'file' | null;
}

export const publishedError = (version: Vb365Version): v.GenericSchema =>
  some({
    message: text,
    errorCode: maybe(v.picklist(ERROR_CODES[version])),
    ...when(version === 'v8', { stackTrace: maybe(text) }),
  });

const is = (body: v.GenericSchema | null, status = 200): Published => ({ status, body });

const usage = (version: Vb365Version) =>
  some({
    usedSpaceBytes: maybe(int64),
    localCacheUsedSpaceBytes: maybe(int64),
    objectStorageUsedSpaceBytes: maybe(int64),
    isAvailable: flag,
    details: text,
    _links: links,
    ...when(version === 'v8', { repositoryId: uid, protectedObjectsCount: maybe(int64) }),
  });
function requests(version: Vb365Version): Readonly<Record<string, Published>> {
  return {
    'POST token': is(token(version)),
    'GET serviceinstance': is(some({ installationId: uid, version: text })),
    'GET license': is(license),
    'GET licensedusers': is(page(version, licensedUser)),
    'GET organizations': is(list(version, organization(version))),
    'GET organizations/{id}': is(organization(version)),
    'GET organizations/{id}/usedrepositories': is(page(version, usage(version))),
    'GET organizations/{id}/users': is(page(version, directory(version).user)),
    'GET organizations/{id}/users/{id}': is(directory(version).user),
    'GET organizations/{id}/users/{id}/onedrives': is(
      page(version, some({ id: text, name: text, url: text, _links: links })),
    ),
    'GET organizations/{id}/groups': is(page(version, directory(version).group)),
    'GET organizations/{id}/groups/{id}': is(directory(version).group),
    'GET organizations/{id}/teams/{id}': is(directory(version).team),
    'GET organizations/{id}/teams': is(page(version, directory(version).team)),
    'GET organizations/{id}/sites': is(page(version, directory(version).site)),
    'GET organizations/{id}/sites/{id}': is(directory(version).site),
    'GET jobs/{id}/selecteditems': is(list(version, jobItem(version))),
    'GET jobs/{id}/excludeditems': is(list(version, jobItem(version))),
    ...(version === 'v7' && { 'GET organizations/{id}/jobs': is(v.array(job(version))) }),
    'GET jobs': is(list(version, job(version))),
    'GET jobs/{id}': is(job(version)),
    'POST jobs/{id}/start': version === 'v8' ? is(session(version)) : is(null, 204),
    'POST jobs/{id}/stop': is(null, 204),
    'POST jobs/{id}/enable': is(null, 204),
    'POST jobs/{id}/disable': is(null, 204),
    ...(version === 'v8'
      ? { 'GET events': is(changePage(version, event)) }
      : { 'GET jobsessions/changes': is(changePage(version, session(version))) }),
    'GET jobsessions': is(page(version, session(version))),
    'GET jobsessions/{id}': is(session(version)),
    'GET jobsessions/{id}/logitems': is(page(version, logItem(version))),
    'GET jobsessions/{id}/processedobjects': is(
      page(
        version,
        some({
          id: text,
          type: getOne('Group', 'User', 'Site', 'Team'),
          status: getOne('Success', 'Warning', 'Failed'),
          _links: links,
        }),
      ),
    ),
    ...(version === 'v8'
      ? { 'POST jobs': is(job(version), 201) }
      : { 'POST organizations/{id}/jobs': is(job(version)) }),
    'PUT jobs/{id}': is(null, 204),
    'DELETE jobs/{id}': is(null, 204),
    ...restoreRequests(version, (row) => page(version, row)),
    'GET backuprepositories': is(list(version, repository(version))),
    'GET backuprepositories/{id}': is(repository(version)),
    'POST backuprepositories': is(repository(version), version === 'v8' ? 201 : 200),
    'PUT backuprepositories/{id}': is(null, version === 'v8' ? 204 : 200),
    'DELETE backuprepositories/{id}': is(null, 204),
    ...(version === 'v7' && { 'GET objectstoragerepositories': is(v.array(objectStorageRow)) }),
    'GET proxies': is(list(version, proxy(version))),
    ...(version === 'v8' && {
      'GET proxypools': is(
        page(version, some({ id: uid, name: text, description: text, _links: links })),
      ),
    }),
  };
}

/** Each request with the status and the body of its answer, by version. */
export const PUBLISHED: Readonly<Record<Vb365Version, Readonly<Record<string, Published>>>> = {
  v7: requests('v7'),
  v8: requests('v8'),
};
