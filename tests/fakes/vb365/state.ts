import { createHash } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import type { Vb365Folder } from './folders.ts';
import type {
  Vb365Object,
  Vb365Point,
  Vb365Restored,
  Vb365RestoreSession,
} from './restore-state.ts';
import type { Vb365Team } from './team-state.ts';

// What a Veeam Backup for Microsoft 365 server has, with the names and words of its REST API v8. The
// API of an older version shows a part of it.

export type Vb365Version = 'v7' | 'v8';
export type JobStatus =
  | 'Stopped'
  | 'Running'
  | 'Success'
  | 'Failed'
  | 'Warning'
  | 'NotConfigured'
  | 'Disconnected'
  | 'Queued';

export interface Vb365Organization {
  readonly id: string;
  readonly name: string;
  readonly officeName: string;
  readonly region: 'Worldwide' | 'Germany' | 'China' | 'USDefence' | 'USGovernment';
  readonly isTeamsOnline: boolean;
  readonly isTeamsChatsOnline: boolean;
  /** The tenant's id at Microsoft. */
  readonly msid: string;
  readonly thumbprint: string;
}
export interface Vb365Job {
  readonly id: string;
  readonly organizationId: string;
  repositoryId: string;
  name: string;
  description: string;
  backupType: 'EntireOrganization' | 'SelectedItems';
  schedulePolicy: Readonly<Record<string, unknown>>;
  isEnabled: boolean;
  lastStatus: JobStatus | null;
  lastRun: Ms | null;
  lastBackup: Ms | null;
  /** Changes with the job. */
  eTag: number;
  nextRun: Ms | null;
  /** What a newer server has of a job besides. */
  readonly more?: Readonly<Record<string, unknown>>;
}
export interface Vb365Session {
  readonly id: string;
  readonly jobId: string;
  readonly creationTime: Ms;
  endTime: Ms | null;
  status: JobStatus;
  details: string | null;
  transferredBytes: number;
  objects: readonly Vb365SessionObject[];
  readonly log: Vb365LogItem[];
}
export interface Vb365SessionObject {
  readonly id: string;
  readonly type: 'Group' | 'User' | 'Site' | 'Team';
  readonly status: 'Success' | 'Warning' | 'Failed';
}
export interface Vb365LogItem {
  readonly at: Ms;
  readonly type: 'Running' | 'Warning' | 'Error' | 'Success' | 'Stop';
  readonly message: string;
}
export interface Vb365Repository {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly capacityBytes: number | null;
  readonly freeSpaceBytes: number | null;
  readonly proxyId: string;
  /** What else the API says of it, in its own words. */
  readonly settings?: Readonly<Record<string, unknown>>;
}
export interface Vb365Proxy {
  readonly id: string;
  readonly hostName: string;
  status: 'Online' | 'Offline';
  readonly proxyPoolId: string | null;
  /** Absent: the server itself is the proxy. */
  readonly type?: 'Domain';
}

/** A user, group, team or site of an organization's tenant. */
export interface Vb365DirectoryObject {
  readonly organizationId: string;
  readonly list: 'users' | 'groups' | 'teams' | 'sites';
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** Of a subsite. */
  readonly parentId: string | null;
}
/** What a job backs up, or leaves out. */
export interface Vb365JobItem {
  readonly jobId: string;
  readonly list: 'selectedItems' | 'excludedItems';
  readonly row: Readonly<Record<string, unknown>>;
}

/** A user to whom the server has given a license. */
export interface Vb365LicensedUser {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  lastBackupAt: Ms | null;
  readonly licenseState: 'Licensed' | 'New' | 'TemporarilyAssigned' | 'Exceeded';
}

/** The content of a server. A test changes it as time goes on. */
export interface Vb365Content {
  readonly organizations: Vb365Organization[];
  readonly jobs: Vb365Job[];
  readonly sessions: Vb365Session[];
  readonly repositories: Vb365Repository[];
  /** What folders of proxies have, also without a repository. */
  readonly folders: Vb365Folder[];
  /** It writes paths in its own way. */
  rewritesPaths: boolean;
  readonly proxies: Vb365Proxy[];
  readonly pools: { readonly id: string; readonly name: string }[];
  /** Of version 7. */
  readonly objectStorages: { readonly id: string; readonly name: string }[];
  readonly directory: Vb365DirectoryObject[];
  readonly licensedUsers: Vb365LicensedUser[];
  jobItems: readonly Vb365JobItem[];
  readonly points: Vb365Point[];
  readonly objects: Vb365Object[];
  readonly teams: Vb365Team[];
  readonly restoreSessions: Vb365RestoreSession[];
  /** What was restored to the tenant. */
  readonly restored: Vb365Restored[];
  /** How long a restore takes. */
  restoreMs: Ms;
  /** Titles of items that the tenant refuses. */
  readonly refusedItems: Set<string>;
  /** The codes that were given out, and whether somebody has signed in with them. */
  readonly codes: Map<string, boolean>;
  /** Files are sent with their size, or in pieces. */
  namesSizes: boolean;
  /** PST files need Outlook on the server. */
  hasOutlook: boolean;
  /** How the next files break off. */
  readonly cuts: { readonly cutAt: number; readonly cutsQuietly: boolean }[];
  /** How many restore sessions it has room for. */
  maxRestoreSessions: number;
  /** Ids of restore sessions that it can't stop. */
  readonly stuckSessions: Set<string>;
  license: {
    readonly status: 'Valid' | 'Expired';
    readonly totalNumber: number;
    readonly usedNumber: number;
    readonly newNumber: number;
    readonly licenseExpires: Ms;
  };
}

/** The same name, the same id. */
export const uid = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

const GB = 1_073_741_824;
const HOUR: Ms = 3_600_000;
const YEAR: Ms = 365 * 24 * HOUR;

/** A server with nothing on it but its proxy, repository and licence. */
export function emptyServer(now: Ms): Vb365Content {
  return {
    organizations: [],
    jobs: [],
    sessions: [],
    repositories: [
      {
        id: uid('repository Main'),
        name: 'Main',
        path: 'D:\\Backups',
        capacityBytes: 4_000 * GB,
        freeSpaceBytes: 1_000 * GB,
        proxyId: uid('proxy'),
      },
    ],
    folders: [],
    rewritesPaths: false,
    proxies: [
      {
        id: uid('proxy'),
        hostName: 'proxy-1.example.com',
        status: 'Online',
        proxyPoolId: uid('pool'),
      },
    ],
    pools: [{ id: uid('pool'), name: 'Pool 1' }],
    objectStorages: [],
    directory: [],
    licensedUsers: [],
    jobItems: [],
    points: [],
    objects: [],
    teams: [],
    restoreSessions: [],
    restored: [],
    restoreMs: 0,
    refusedItems: new Set(),
    codes: new Map(),
    namesSizes: true,
    hasOutlook: true,
    cuts: [],
    maxRestoreSessions: 100,
    stuckSessions: new Set(),
    license: {
      status: 'Valid',
      totalNumber: 500,
      usedNumber: 120,
      newNumber: 4,
      licenseExpires: now + YEAR,
    },
  };
}

export function addOrganization(
  { organizations }: Vb365Content,
  name: string,
  more: Partial<Vb365Organization> = {},
): Vb365Organization {
  const made: Vb365Organization = {
    id: uid(`organization ${name}`),
    name: `${name.toLowerCase().replaceAll(/\W+/g, '')}.onmicrosoft.com`,
    officeName: name,
    region: 'Worldwide',
    isTeamsOnline: true,
    isTeamsChatsOnline: false,
    msid: uid(`tenant ${name}`),
    thumbprint: createHash('sha1').update(name).digest('hex').toUpperCase(),
    ...more,
  };
  organizations.push(made);
  return made;
}

export function addJob(
  { jobs, repositories }: Vb365Content,
  organization: Pick<Vb365Organization, 'id'>,
  name: string,
  more: Partial<Vb365Job> = {},
): Vb365Job {
  const made: Vb365Job = {
    id: uid(`job ${organization.id} ${name}`),
    organizationId: organization.id,
    repositoryId: repositories[0]?.id ?? uid('no repository'),
    name,
    description: '',
    backupType: 'EntireOrganization',
    schedulePolicy: {
      scheduleEnabled: true,
      backupWindowEnabled: false,
      type: 'Daily',
      dailyType: 'Everyday',
      dailyTime: '22:00:00',
      retryEnabled: true,
      retryNumber: 3,
      retryWaitInterval: 10,
    },
    isEnabled: true,
    lastStatus: null,
    lastRun: null,
    lastBackup: null,
    eTag: 1,
    nextRun: null,
    ...more,
  };
  jobs.push(made);
  return made;
}

/** Adds a session that ended an hour after it began, unless `more` says otherwise. */
export function addSession(
  { sessions }: Vb365Content,
  job: Vb365Job,
  at: Ms,
  more: Partial<Omit<Vb365Session, 'id' | 'jobId' | 'creationTime'>> = {},
): Vb365Session {
  const status = more.status ?? 'Success';
  const made: Vb365Session = {
    id: uid(`session ${job.id} ${at}`),
    jobId: job.id,
    creationTime: at,
    endTime: status === 'Running' ? null : at + HOUR,
    status,
    details: null,
    transferredBytes: 12_345_678,
    objects: [{ id: uid('object'), type: 'User', status: 'Success' }],
    log: [
      { at, type: 'Success', message: 'Connected to organization' },
      {
        at: at + 60_000,
        type: status === 'Failed' ? 'Error' : status === 'Warning' ? 'Warning' : 'Success',
        message:
          status === 'Failed'
            ? 'Failed to process mailbox: The request was throttled.'
            : 'Processed mailbox',
      },
    ],
    ...more,
  };
  sessions.push(made);
  if (job.lastRun === null || job.lastRun <= at) {
    job.lastRun = at;
    job.lastStatus = status;
    if (status === 'Success' || status === 'Warning') job.lastBackup = at;
  }
  return made;
}

/** Adds what a job backs up or leaves out. */
export function addJobItem(
  content: Vb365Content,
  job: Vb365Job,
  list: Vb365JobItem['list'],
  row: Vb365JobItem['row'],
): void {
  content.jobItems = [...content.jobItems, { jobId: job.id, list, row }];
  job.eTag += 1;
}

export function addLicensedUser(
  { licensedUsers }: Vb365Content,
  { id, name: domain }: Pick<Vb365Organization, 'id' | 'name'>,
  name: string,
  lastBackupAt: Ms | null,
  licenseState: Vb365LicensedUser['licenseState'] = 'Licensed',
): Vb365LicensedUser {
  const made: Vb365LicensedUser = {
    organizationId: id,
    id: [domain, id, uid(`tenant ${id}`), uid(`user ${id} ${name}`), uid('mailbox')].join(':'),
    name,
    lastBackupAt,
    licenseState,
  };
  licensedUsers.push(made);
  return made;
}

export function addDirectoryObject(
  { directory }: Vb365Content,
  organization: Pick<Vb365Organization, 'id'>,
  list: Vb365DirectoryObject['list'],
  name: string,
  parentId: string | null = null,
): Vb365DirectoryObject {
  const made: Vb365DirectoryObject = {
    organizationId: organization.id,
    list,
    id: uid(`${list} ${organization.id} ${name}`),
    name,
    address: `${name.toLowerCase().replaceAll(/\W+/g, '.')}@example.com`,
    parentId,
  };
  directory.push(made);
  return made;
}
