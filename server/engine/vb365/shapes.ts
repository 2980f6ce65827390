import * as v from 'valibot';

// What is read of the rows of the REST API, in versions 7 and 8.

const text = v.optional(v.nullable(v.string()));
const count = v.optional(v.nullable(v.number()));
const flag = v.optional(v.nullable(v.boolean()));
const id = v.pipe(v.string(), v.minLength(1), v.maxLength(100));

const connectionSettings = v.optional(
  v.nullable(v.object({ applicationId: text, applicationCertificateThumbprint: text })),
);
export const OrganizationShape = v.object({
  id,
  /** Its domain at Microsoft. */
  name: text,
  officeName: text,
  region: text,
  /** The tenant's id at Microsoft. */
  msid: text,
  type: text,
  isExchangeOnline: flag,
  isSharePointOnline: flag,
  isTeamsOnline: flag,
  isTeamsChatsOnline: flag,
  exchangeOnlineSettings: connectionSettings,
  sharePointOnlineSettings: connectionSettings,
});
export type Vb365Organization = v.InferOutput<typeof OrganizationShape>;

const named = v.optional(v.nullable(v.object({ id: text, name: text, displayName: text })));
/** What a job backs up or leaves out. */
export const JobItemShape = v.object({
  id: text,
  type: text,
  user: named,
  group: named,
  team: named,
  site: v.optional(v.nullable(v.object({ id: text }))),
  mailbox: flag,
  archiveMailbox: flag,
  oneDrive: flag,
  personalSite: flag,
  sites: flag,
  teams: flag,
  teamsChats: flag,
  members: flag,
  memberMailbox: flag,
  memberArchiveMailbox: flag,
  memberOnedrive: flag,
  memberSite: flag,
  groupSite: flag,
});
export type Vb365JobItem = v.InferOutput<typeof JobItemShape>;

const window = v.optional(
  v.nullable(
    v.object({ backupWindow: v.optional(v.nullable(v.array(v.boolean()))), minuteOffset: count }),
  ),
);
export const JobShape = v.object({
  id,
  name: text,
  /** Version 7 has the jobs below their organization. */
  organizationId: text,
  repositoryId: text,
  schedulePolicy: v.optional(
    v.nullable(
      v.object({
        scheduleEnabled: flag,
        type: text,
        periodicallyEvery: text,
        dailyType: text,
        dailyTime: text,
        backupWindowEnabled: flag,
        backupWindowSettings: window,
        periodicallyWindowEnabled: flag,
        periodicallyWindowSettings: window,
        retryEnabled: flag,
        retryNumber: count,
        retryWaitInterval: count,
      }),
    ),
  ),
  description: text,
  backupType: text,
  nextRun: text,
  /** Version 8: changes with the job. */
  eTag: count,
  /** Version 7 has them in the job. */
  selectedItems: v.optional(v.nullable(v.array(JobItemShape))),
  excludedItems: v.optional(v.nullable(v.array(JobItemShape))),
  lastRun: text,
  isEnabled: flag,
  lastStatus: text,
});
export type Vb365Job = v.InferOutput<typeof JobShape>;

/** Where the server has what belongs to a row. */
export const LinksShape = v.optional(
  v.nullable(v.record(v.string(), v.nullable(v.object({ href: text })))),
);
export type Vb365Links = v.InferOutput<typeof LinksShape>;

export const SessionShape = v.object({
  id,
  /** Version 7 only finds the sessions of a job. */
  jobId: text,
  details: text,
  creationTime: text,
  endTime: text,
  status: text,
  jobSessionConfigType: text,
  retryCount: count,
  statistics: v.optional(
    v.nullable(
      v.object({ transferredDataBytes: count, processedObjects: count, bottleneck: text }),
    ),
  ),
});
export type Vb365Session = v.InferOutput<typeof SessionShape>;

/** Version 7 has a `title` only. */
export const LogItemShape = v.object({
  id,
  type: text,
  message: text,
  title: text,
  creationTime: text,
});
export type Vb365LogItem = v.InferOutput<typeof LogItemShape>;

export const RepositoryShape = v.object({
  id,
  name: text,
  path: text,
  capacityBytes: count,
  freeSpaceBytes: count,
  proxyId: text,
  proxyPoolId: text,
  /** Version 8: the organization that it belongs to. */
  organizationId: text,
  description: text,
  retentionType: text,
  retentionPeriodType: text,
  dailyRetentionPeriod: count,
  monthlyRetentionPeriod: count,
  yearlyRetentionPeriod: text,
  retentionFrequencyType: text,
  dailyTime: text,
  dailyType: text,
  monthlyTime: text,
  monthlyDaynumber: text,
  monthlyDayofweek: text,
  /** An archive, in which no backup job can store anything. */
  isLongTerm: flag,
  /** Version 7. */
  objectStorageId: text,
  objectStorageCachePath: text,
  /** Version 8. */
  objectStorage: v.optional(
    v.nullable(
      v.object({
        type: text,
        s3Folder: text,
        azureFolder: text,
        amazonBucketS3Compatible: v.optional(v.nullable(v.object({ name: text }))),
        amazonBucketS3Aws: v.optional(v.nullable(v.object({ name: text }))),
        azureContainer: v.optional(v.nullable(v.object({ name: text }))),
      }),
    ),
  ),
});
export type Vb365Repository = v.InferOutput<typeof RepositoryShape>;

/** What an organization uses of a repository. Version 7 names the repository in a link only. */
export const UsageShape = v.object({
  repositoryId: text,
  usedSpaceBytes: count,
  objectStorageUsedSpaceBytes: count,
  _links: v.optional(v.nullable(v.record(v.string(), v.object({ href: text })))),
});

/** A user, group, team or site of the tenant, for pickers. */
export const DirectoryShape = v.object({
  id,
  displayName: text,
  name: text,
  mail: text,
  title: text,
  url: text,
});
export const DirectoryPageShape = v.object({
  results: v.array(DirectoryShape),
  limit: count,
  setId: text,
  _links: v.optional(v.nullable(v.object({ next: v.optional(v.unknown()) }))),
});

export const InstanceShape = v.object({ version: v.string() });

export const ProxyShape = v.object({
  id,
  hostName: text,
  type: text,
  status: text,
  /** Version 8. */
  proxyPoolId: text,
  operatingSystem: text,
});
/** Pools of proxies, and object storages (version 7). */
export const NamedShape = v.object({ id, name: text });

export const LicenseShape = v.object({
  status: text,
  type: text,
  package: text,
  licenseExpires: text,
  totalNumber: count,
  usedNumber: count,
  newNumber: count,
});

/** Ids of users name their organization and more, so they are long. */
export const LicensedUserShape = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
  name: text,
  isBackedUp: flag,
  lastBackupDate: text,
  licenseState: text,
  organizationId: text,
});

export const ProcessedObjectShape = v.object({ id: text, status: text });
