import type { Ms } from '#contract/ids.ts';
import type {
  Vb365Content,
  Vb365DirectoryObject,
  Vb365Job,
  Vb365JobItem,
  Vb365LicensedUser,
  Vb365LogItem,
  Vb365Organization,
  Vb365Proxy,
  Vb365Repository,
  Vb365Session,
  Vb365SessionObject,
  Vb365Version,
} from './state.ts';
import { uid } from './state.ts';

// What each version of the API says of a row.

export type Row = Readonly<Record<string, unknown>>;

const iso = (at: Ms): string => new Date(at).toISOString();
const time = (at: Ms | null): string | null => (at === null ? null : iso(at));
const link = (href: string): Row => ({ href });

export function organizationRow(
  version: Vb365Version,
  { id, msid, thumbprint, name, officeName, ...rest }: Vb365Organization,
): Row {
  const settings = {
    useApplicationOnlyAuth: true,
    officeOrganizationName: officeName,
    sharePointSaveAllWebParts: true,
    applicationId: uid(`application ${id}`),
    applicationCertificateThumbprint: thumbprint,
  };
  return {
    type: 'Office365',
    id,
    name,
    officeName,
    ...rest,
    isExchangeOnline: true,
    isSharePointOnline: true,
    exchangeOnlineSettings: settings,
    sharePointOnlineSettings: settings,
    ...(version === 'v8' && { msid, backedUpOrganizationId: `${uid(id)}-${msid}` }),
    _links: {
      self: link(`/${version}/organizations/${id}`),
      jobs: link(`/${version}/organizations/${id}/jobs`),
    },
  };
}

export const getItems = (
  all: readonly Vb365JobItem[],
  job: string,
  wanted: Vb365JobItem['list'],
): Row[] => all.filter(({ jobId, list }) => jobId === job && list === wanted).map(({ row }) => row);

export function jobRow(
  version: Vb365Version,
  { jobItems }: Pick<Vb365Content, 'jobItems'>,
  { organizationId, lastRun, lastBackup, nextRun, eTag, more, ...job }: Vb365Job,
): Row {
  const items = (wanted: Vb365JobItem['list']): Row[] => getItems(jobItems, job.id, wanted);
  return {
    ...more,
    ...job,
    lastRun: time(lastRun),
    lastBackup: time(lastBackup),
    nextRun: time(nextRun),
    ...(version === 'v8'
      ? { organizationId, eTag }
      : {
          runNow: null,
          selectedItems: items('selectedItems'),
          excludedItems: items('excludedItems'),
        }),
    _links: {
      self: link(`/${version}/jobs/${job.id}`),
      organization: link(`/${version}/organizations/${organizationId}`),
      jobsessions: link(`/${version}/jobsessions?jobId=${job.id}`),
    },
  };
}

export function sessionRow(
  version: Vb365Version,
  { repositories }: Pick<Vb365Content, 'repositories'>,
  { id, jobId, creationTime, endTime, status, details, transferredBytes, objects }: Vb365Session,
): Row {
  return {
    id,
    repositoryId: repositories[0]?.id ?? uid('no repository'),
    mainSessionId: id,
    details,
    creationTime: iso(creationTime),
    endTime: time(endTime),
    retryCount: 0,
    jobWillBeRetried: false,
    progress: endTime === null ? 40 : 100,
    jobType: 'Backup',
    status,
    statistics: {
      processingRateBytesPS: 1_000,
      processingRateItemsPS: 10,
      readRateBytesPS: 1_000,
      writeRateBytesPS: 1_000,
      transferredDataBytes: transferredBytes,
      processedObjects: objects.length,
      bottleneck: 'Source',
    },
    ...(version === 'v8' && { jobId, jobSessionConfigType: 'Incremental', eTag: 1 }),
    _links: {
      self: link(`/${version}/jobsessions/${id}`),
      log: link(`/${version}/jobsessions/${id}/logitems`),
      job: link(`/${version}/jobs/${jobId}`),
    },
  };
}

export function logRow(
  version: Vb365Version,
  session: string,
  { at, type, message }: Vb365LogItem,
  usn: number,
): Row {
  const id = uid(`log ${session} ${usn}`);
  return {
    id,
    usn,
    creationTime: iso(at),
    endTime: iso(at),
    ...(version === 'v8' ? { type, message } : { title: message }),
    _links: { self: link(`/${version}/jobsessions/${session}/logitems/${id}`) },
  };
}

export const sessionObjectRow = (object: Vb365SessionObject): Row => ({ ...object });

export function repositoryRow(version: Vb365Version, { settings, ...row }: Vb365Repository): Row {
  return {
    ...row,
    description: '',
    retentionType: 'SnapshotBased',
    retentionPeriodType: 'Yearly',
    yearlyRetentionPeriod: 'Years3',
    retentionFrequencyType: 'Daily',
    dailyTime: '00:00:00',
    dailyType: 'Everyday',
    isOutOfSync: false,
    isLongTerm: false,
    ...(version === 'v8' && {
      proxyPoolId: null,
      isOutdated: false,
      isIndexed: true,
      isMigrationLocked: false,
      isOutOfOrder: false,
      outOfOrderReason: null,
    }),
    ...settings,
    _links: { self: link(`/${version}/backuprepositories/${row.id}`) },
  };
}

export function proxyRow(
  version: Vb365Version,
  { id, hostName, status, proxyPoolId, type }: Vb365Proxy,
): Row {
  return {
    type: type ?? 'Local',
    id,
    hostName,
    fqdn: hostName,
    description: '',
    port: 9_193,
    status,
    ...(version === 'v8' && {
      proxyPoolId,
      operatingSystem: 'Windows',
      maintenanceModeState: 'Disabled',
    }),
    _links: { self: link(`/${version}/proxies/${id}`) },
  };
}

export const objectStorageRow = ({ id, name }: Vb365Content['objectStorages'][number]): Row => ({
  id,
  name,
  description: '',
  type: 'AmazonS3Compatible',
  s3Folder: 'backups',
  amazonBucketS3Compatible: {
    servicePoint: 's3.example.com',
    customRegionId: 'eu',
    name: 'bucket',
  },
  _links: { self: link(`/v7/objectstoragerepositories/${id}`) },
});

export const licenseRow = ({ license: { licenseExpires, ...rest } }: Vb365Content): Row => ({
  licenseID: uid('license'),
  email: 'backup@example.com',
  ...rest,
  licenseExpires: iso(licenseExpires),
  type: 'Rental',
  package: 'Suite',
  licensedTo: 'Example MSP',
  supportID: '1',
});

/** Who has no backup yet has the first date that there is. */
export const licensedUserRow = (
  { organizations }: Pick<Vb365Content, 'organizations'>,
  { organizationId, id, name, lastBackupAt, licenseState }: Vb365LicensedUser,
): Row => ({
  id,
  name,
  isBackedUp: lastBackupAt !== null,
  lastBackupDate: lastBackupAt === null ? '0001-01-01T00:00:00Z' : iso(lastBackupAt),
  licenseState,
  organizationId,
  backedUpOrganizationId: uid(organizationId),
  organizationName: organizations.find((one) => one.id === organizationId)?.name ?? '',
});

/** What an organization uses of a repository. Version 7 names it in a link only. */
export const usageRow = (
  version: Vb365Version,
  repository: Vb365Repository,
  usedSpaceBytes: number,
): Row => ({
  usedSpaceBytes,
  localCacheUsedSpaceBytes: null,
  objectStorageUsedSpaceBytes: null,
  isAvailable: true,
  details: '',
  ...(version === 'v8' && { repositoryId: repository.id, protectedObjectsCount: null }),
  _links: { backupRepository: link(`/${version}/backuprepositories/${repository.id}`) },
});

export function directoryRow({ list, id, name, address }: Vb365DirectoryObject): Row {
  switch (list) {
    case 'users':
      return {
        id,
        displayName: name,
        name: address,
        type: 'User',
        locationType: 'Cloud',
        office: '',
      };
    case 'groups':
      return { id, displayName: name, name: address, type: 'Security', locationType: 'Cloud' };
    case 'teams':
      return { id, displayName: name, description: '', mail: address };
    case 'sites':
      return {
        id,
        url: `https://example.sharepoint.com/sites/${id}`,
        parentUrl: '',
        name,
        isCloud: true,
        isPersonal: false,
        title: name,
        isAvailable: true,
        siteCollectionError: '',
      };
    default:
      return list satisfies never;
  }
}
