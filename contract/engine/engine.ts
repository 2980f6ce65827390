import type {
  ApiKeyId,
  BackupJobId,
  BackupRepositoryId,
  BackupSessionId,
  Bytes,
  DeviceCodeId,
  DirectoryObjectId,
  ExplorerId,
  ImpersonationId,
  Ms,
  NodeId,
  OrganizationId,
  PointId,
  TaskId,
  TenantId,
  UserId,
} from '../ids.ts';
import type { ComparedItem } from './compare.ts';
import type {
  AccessHealth,
  Certificate,
  ConnectedTenant,
  ConnectInput,
  HealthInput,
} from './connection.ts';
import type { DownloadInput, DownloadRange, PreparedDownload } from './downloads.ts';
import type { RestoreEstimate } from './estimate.ts';
import type {
  AttachInput,
  AttachStarted,
  PasswordInput,
  RepositoryInput,
  RepositoryUsage,
  StorageKeysInput,
} from './repositories.ts';
import type { RestoreFlags } from './restore-flags.ts';
import type {
  SessionLogLine,
  Progress,
  BackupSession,
  SessionResult,
  StartReason,
  ShownWaiting,
} from './sessions.ts';
import type { FoundItem, ItemPlace, ItemVersion, NamedNode, Nodes, SearchInput } from './search.ts';

/**
 * What every backup engine offers. The portal's features call engines through this interface only.
 * `capabilities` says what an engine supports; screens disable the rest and give the reason.
 */
export interface Engine {
  readonly kind: EngineKind;
  readonly capabilities: Capabilities;
  readonly organizations: {
    requestDeviceCode(scope: EngineScope, input: { region: Region }): Reply<DeviceCode>;
    /** Checks a code once. The caller waits `intervalMs` between two checks. */
    checkDeviceCode(scope: EngineScope, input: { code: DeviceCodeId }): Reply<DeviceCodeState>;
    /** Signs in to the tenant, stores the access, and reads who it belongs to. */
    connect(scope: EngineScope, input: ConnectInput): Reply<ConnectedTenant>;
    renewCertificate(scope: EngineScope, input: { code: DeviceCodeId }): Reply<Certificate>;
    /** Checks the access to each service. Changes nothing. */
    test(scope: EngineScope, input: HealthInput): Reply<AccessHealth>;
    /** Removes the access at once. Backups stay until the data of the organization is deleted. */
    disconnect(scope: EngineScope): Reply<void>;
    listObjects(scope: EngineScope, input: ListObjectsInput): Reply<EnginePage<DirectoryObject>>;
  };
  readonly repositories: {
    create(scope: EngineScope, input: RepositoryInput): Reply<void>;
    changePassword(scope: EngineScope, input: PasswordInput): Reply<void>;
    changeStorageKeys(scope: EngineScope, input: StorageKeysInput): Reply<void>;
    /** Rebuilds the index of an existing repository. `missing`: absent, somebody else's, wrong password. */
    attach(scope: EngineScope, input: AttachInput): Reply<AttachStarted>;
    usage(scope: EngineScope, input: { repository: BackupRepositoryId }): Reply<RepositoryUsage>;
    /** Deletes a repository with all it has. */
    delete(scope: EngineScope, input: { repository: BackupRepositoryId }): Reply<void>;
    /**
     * Asks for a clean-up now: it removes points, and then data, that the retention no longer keeps.
     * `usage` has its result.
     */
    cleanUp(scope: EngineScope, input: { repository: BackupRepositoryId }): Reply<void>;
    /** Asks for a verification of all data now. `usage` has its result. */
    verify(scope: EngineScope, input: { repository: BackupRepositoryId }): Reply<void>;
  };
  readonly jobs: {
    /** Starts a session and returns its id, or `conflict` if one is running. */
    start(
      scope: EngineScope,
      input: { job: BackupJobId; reason: StartReason },
    ): Reply<BackupSessionId>;
    stop(scope: EngineScope, input: { job: BackupJobId }): Reply<void>;
    /** Switches the schedule on or off. Called before the job's row changes. */
    setEnabled(scope: EngineScope, input: { job: BackupJobId; enabled: boolean }): Reply<void>;
    /** Newest first. `session`: only this one. */
    listSessions(
      scope: EngineScope,
      input: { job: BackupJobId; session?: BackupSessionId } & PageInput,
    ): Reply<EnginePage<BackupSession>>;
    /** `isNewest`: only the newest lines, without a page after them. */
    listLog(
      scope: EngineScope,
      input: { session: BackupSessionId; isNewest?: boolean; offset?: number } & PageInput,
    ): Reply<EnginePage<SessionLogLine>>;
  };
  listPoints(scope: EngineScope, input: ListPointsInput): Reply<EnginePage<RestorePoint>>;
  openExplorer(scope: EngineScope, input: ExplorerInput): Reply<Explorer>;
  stopExplorer(
    scope: EngineScope,
    input: { explorer: ExplorerId; keepsRights?: boolean },
  ): Reply<void>;
  /** Children of a node; of the explorer itself (mailboxes, drives) without one. */
  listChildren(scope: EngineScope, input: ListChildrenInput): Reply<EnginePage<Node>>;
  /** The versions of an item up to the explorer's point, newest first. */
  listVersions(
    scope: EngineScope,
    input: { explorer: ExplorerId; node: NodeId },
  ): Reply<readonly ItemVersion[]>;
  /** Compares a backed-up item with what the cloud has now. */
  compare(scope: EngineScope, input: { explorer: ExplorerId; node: NodeId }): Reply<ComparedItem>;
  /** Compares the items of a folder, mailbox or drive itself, the newest first. */
  compareFolder(
    scope: EngineScope,
    input: { explorer: ExplorerId; parent: NodeId } & PageInput,
  ): Reply<EnginePage<ComparedItem>>;
  /** Reads the content of a backed-up item as the cloud has it now. */
  readProduction(
    scope: EngineScope,
    input: Pick<ContentInput, 'explorer' | 'node' | 'as'>,
  ): Reply<Content>;
  /** Searches all objects at all points, the newest items first. */
  search(scope: EngineScope, input: SearchInput): Reply<EnginePage<FoundItem>>;
  locateItem(scope: EngineScope, input: { explorer: ExplorerId; node: NodeId }): Reply<ItemPlace>;
  /** What nodes are, in the order of their ids. Those that the explorer's point lacks are left out. */
  nameNodes(scope: EngineScope, input: Nodes): Reply<readonly NamedNode[]>;
  getSize(scope: EngineScope, input: Nodes): Reply<ContentSize>;
  readContent(scope: EngineScope, input: ContentInput): Reply<Content>;
  /** Prepares a download: a single item as it is, or an archive of all that the nodes hold. */
  prepareDownload(scope: EngineScope, input: DownloadInput): Reply<PreparedDownload>;
  /** Reads a prepared download: the same bytes at any time, on any server. */
  readDownload(scope: EngineScope, input: DownloadRange): Reply<Content>;
  /** Starts a restore, or a dry run of one. Returns the id of its task. */
  restore(scope: EngineScope, input: RestoreInput): Reply<TaskId>;
  /** About how long the restore of a finished dry run takes. */
  estimate(scope: EngineScope, input: { task: TaskId }): Reply<RestoreEstimate>;
  /** Removes what a restore created and puts back what it replaced. Returns the id of the undo. */
  undo(scope: EngineScope, input: { task: TaskId }): Reply<TaskId>;
  getTask(scope: EngineScope, input: { task: TaskId }): Reply<EngineTask>;
  listTasks(scope: EngineScope, input: PageInput): Reply<EnginePage<EngineTask>>;
  listResults(scope: EngineScope, input: ListResultsInput): Reply<EnginePage<ItemResult>>;
  cancel(scope: EngineScope, input: { task: TaskId }): Reply<void>;
}

export type EngineKind = 'embedded' | 'vb365';

/** UUID, or an opaque id of the engine. */
export type EngineId = string;

/** Expected failures are values, as everywhere. */
export type Reply<T> = Promise<EngineResult<T>>;
export type EngineResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: EngineError };

/**
 * Why an engine could not do something. `message` is a sentence for a person that names no secret.
 * `field`: the input that it is about. The features map a kind to one of `contract/errors.ts`.
 *
 * - `unreachable`: no answer. `refused`: the credentials are wrong or expired. `forbidden`: they are
 *   good, but a permission is missing. `missing`: it doesn't exist (any more).
 * - `conflict`: something else has it or changed it. `busy`: try again after `waitMs`.
 * - `ended`: a session, code or link is over. `full`: a mailbox or drive has no room.
 * - `damaged`: stored data failed its check.
 */
export interface EngineError {
  readonly kind: EngineErrorKind;
  readonly message: string;
  readonly waitMs?: Ms;
  readonly field?: string;
}
export type EngineErrorKind =
  | 'unreachable'
  | 'refused'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'busy'
  | 'invalid'
  | 'unsupported'
  | 'ended'
  | 'full'
  | 'damaged'
  | 'internal';

/** Whose data a call is about, and who makes it (`user` null: Daybook's own schedule). */
export interface EngineScope {
  readonly tenant: TenantId;
  readonly organization: OrganizationId;
  readonly user: UserId | null;
  readonly operator?: EngineId;
  /** Where the request came from, for the audit. */
  readonly origin?: RequestOrigin;
}
export interface RequestOrigin {
  readonly ip: string;
  readonly agent: string;
  /** Who acts as `user`, or the user. */
  readonly actor: UserId;
  readonly impersonation: ImpersonationId | null;
  readonly key: ApiKeyId | null;
}

export interface PageInput {
  /** `next` of the page before; null: the first page. */
  readonly cursor: string | null;
  /** At most 1,000. */
  readonly limit: number;
}
export interface EnginePage<T> {
  readonly rows: readonly T[];
  /** Null: this was the last page. */
  readonly next: string | null;
  /** All rows that match, whatever the page has of them. Null: unknown. */
  readonly count: number | null;
}

export interface Capabilities {
  readonly schedules: readonly ScheduleType[];
  readonly auth: readonly AuthType[];
  readonly services: readonly Service[];
  readonly search: boolean;
  readonly versions: boolean;
  readonly dryRun: boolean;
  readonly undo: boolean;
}
export type ScheduleType = 'Daily' | 'Monthly' | 'Periodically' | 'Continuously' | 'Chained';
export type AuthType = 'basic' | 'modernLegacy' | 'modern';
export type Service = 'exchange' | 'sharepoint' | 'teams' | 'teamsChats';
export type Region = 'Worldwide' | 'USGovernmentGCCHigh' | 'USGovernmentDoD' | 'China';

// ---- organizations

export interface DeviceCode {
  readonly id: DeviceCodeId;
  /** What the person types. */
  readonly userCode: string;
  readonly verificationUrl: string;
  readonly expiresAt: Ms;
  readonly intervalMs: Ms;
}
export type DeviceCodeState = 'pending' | 'slow-down' | 'granted' | 'declined' | 'expired';

export interface ListObjectsInput extends PageInput {
  readonly kind: DirectoryKind;
  /** Part of a name or address. */
  readonly text: string | null;
  /** Sites below this one. */
  readonly parent: DirectoryObjectId | null;
}
export type DirectoryKind = 'user' | 'group' | 'team' | 'site';
export interface DirectoryObject {
  readonly kind: DirectoryKind;
  readonly id: DirectoryObjectId;
  readonly name: string;
  /** E-mail address, user principal name or URL; empty if it has none. */
  readonly address: string;
  readonly children: number | null;
}

/** What a backup consists of. */
export type ObjectKind = 'mailbox' | 'archive' | 'drive' | 'site' | 'team';
export type Workload = 'outlook' | 'onedrive' | 'sharepoint' | 'teams';

export interface ListPointsInput extends PageInput {
  readonly job: BackupJobId | null;
  readonly from: Ms | null;
  readonly to: Ms | null;
  /** Only points that have something of it. */
  readonly workload?: Workload | null;
}
/** A restore point: the state of a job's objects at one moment. Newest first in lists. */
export interface RestorePoint {
  readonly id: PointId;
  readonly job: BackupJobId;
  readonly at: Ms;
  readonly changes: number | null; // null: unknown
  readonly result: 'success' | 'warning';
  /** What it lacks: objects that failed. */
  readonly lacks: readonly string[];
}

export interface ExplorerInput {
  readonly workload: Workload;
  readonly job: BackupJobId | null;
  /** The newest point at or before this moment. */
  readonly at: Ms;
  readonly showDeleted: boolean;
}
export interface Explorer {
  readonly id: ExplorerId;
  readonly workload: Workload;
  readonly point: RestorePoint;
  readonly endsAt: Ms;
}
export interface ListChildrenInput extends PageInput {
  readonly explorer: ExplorerId;
  readonly parent: NodeId | null;
  /** The mailbox or drive that the parent must belong to. */
  readonly within?: NodeId;
  /** The channel of a team that the parent must be, or be in. */
  readonly channel?: NodeId;
  /** `objects`: sites below a site. */
  readonly only: 'objects' | 'folders' | 'items' | 'all';
  /** Only folders and items of these kinds. */
  readonly kinds?: readonly Node['kind'][];
  readonly text: string | null;
  /** Rows to leave out before the first page. */
  readonly offset?: number;
  readonly sort: 'name' | 'date' | 'size';
  readonly descending: boolean;
}

/** `seen`: when the first and the last point that have it were made. */
export type Node = {
  readonly id: NodeId;
  readonly name: string;
  readonly sizeBytes: Bytes | null;
  readonly at: Ms | null;
  readonly deleted: boolean;
  readonly seen: { readonly first: Ms; readonly last: Ms };
  /** Of a folder: whether it has folders. */
  readonly hasFolders?: boolean;
} & (
  | {
      readonly kind: 'mailbox' | 'archive' | 'folder' | 'drive' | 'library' | 'list';
      readonly children: number | null;
      /** The URL of the site that it belongs to. */
      readonly address?: string;
      /** What a folder of a mailbox has instead of mails. */
      readonly holds?: 'calendars' | 'contacts' | 'tasks';
    }
  | {
      readonly kind: 'dir';
      readonly children: number | null;
      readonly address?: string;
      /** Of a team: the folder of a channel's files or of its tabs. */
      readonly holds?: 'files' | 'tabs';
      /** Of a team: the channel that it belongs to. */
      readonly channel?: NodeId;
    }
  | {
      readonly kind: 'mail' | 'event' | 'contact' | 'task' | 'note';
      readonly people: string;
      readonly attachments: number;
      readonly read: boolean;
    }
  | {
      readonly kind: 'file';
      readonly version: string;
      readonly author: string;
      /** Of a team: the channel that it belongs to. */
      readonly channel?: NodeId;
    }
  | {
      readonly kind: 'site';
      readonly children: number | null;
      /** Its URL. */
      readonly address: string;
      /** How many sites are right below it; null: unknown. */
      readonly subsites: number | null;
    }
  | {
      readonly kind: 'row';
      readonly author: string;
      /** Its first values, by the names of their columns. */
      readonly fields: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'team'; readonly children: number | null }
  | {
      readonly kind: 'channel';
      readonly children: number | null;
      readonly membership: ChannelMembership;
    }
  | { readonly kind: 'post'; readonly author: string; readonly replies: number | null }
  | { readonly kind: 'tab'; readonly app: string; readonly channel?: NodeId }
  | { readonly kind: 'settings' }
);
export type ItemKind = Exclude<Node, { readonly children: number | null }>['kind'];
/** `none`: files of a team that belong to no channel. */
export type ChannelMembership = 'standard' | 'private' | 'shared' | 'none';

export interface ContentSize {
  readonly items: number;
  readonly bytes: Bytes;
  readonly isExact: boolean;
}

export interface ContentInput {
  readonly explorer: ExplorerId;
  readonly node: NodeId;
  /** The object that the node must belong to. */
  readonly within?: NodeId;
  readonly as: PartRole | 'msg';
  /** Which one of several parts with this role. */
  readonly name?: string;
  /** First byte, and the byte after the last one. */
  readonly from?: Bytes;
  readonly to?: Bytes;
}
/**
 * `fts`: the cloud's full-fidelity stream. `html`: a post with its replies as a page that needs nothing
 * else. `hosted`: a picture of a post. `ics`, `vcf`: an event, task or contact for other programs.
 */
export type PartRole = 'mime' | 'raw' | 'json' | 'fts' | 'html' | 'hosted' | 'ics' | 'vcf';
export interface Content {
  /** Of the whole part. */
  readonly bytes: Bytes;
  readonly stream: AsyncIterable<Uint8Array>;
}

export interface RestoreInput {
  readonly explorer: ExplorerId;
  readonly nodes: readonly NodeId[];
  /** The mailbox or drive that the nodes must belong to. */
  readonly within?: NodeId;
  readonly target: RestoreTarget;
  /** Items that the target lacks, that differ there, or both. */
  readonly select: 'missing' | 'changed' | 'both';
  readonly onConflict: 'skip' | 'replace' | 'keep-both';
  readonly versions: 'all' | 'last';
  readonly flags: RestoreFlags;
  readonly dryRun: boolean;
  readonly reason: string | null;
  /** How many items the nodes hold, if they were counted. */
  readonly items?: number;
}
/** `other`: `object` is the cloud's id of a user of that organization. */
export type RestoreTarget =
  | { readonly kind: 'original' }
  | {
      readonly kind: 'other';
      readonly organization: OrganizationId;
      readonly object: DirectoryObjectId;
      readonly folder: string | null;
    };
export interface EngineTask {
  readonly id: TaskId;
  readonly kind: TaskKind;
  /** Of restores and undos. */
  readonly workload: Workload | null;
  readonly state: TaskState;
  readonly result: SessionResult | null;
  readonly message: string | null;
  readonly items: Progress;
  readonly bytes: Progress;
  readonly waiting: ShownWaiting | null;
  readonly counts: Readonly<Record<ItemOutcome, number>>;
  /** Empty folders that a restore created, or a dry run would create. Absent: none. */
  readonly folders?: number;
  readonly createdAt: Ms;
  readonly startedAt: Ms | null;
  readonly endedAt: Ms | null;
  /** The restore that this undo undoes, or of which this restore retries what failed. */
  readonly of: TaskId | null;
  readonly canUndo: boolean;
  /** What failed can be retried. */
  readonly canRetry: boolean;
}
/** `outcome`: only these results. */
export interface ListResultsInput extends PageInput {
  readonly task: TaskId;
  readonly outcome: ItemOutcome | null;
}
export type TaskState = 'awaiting-approval' | 'queued' | 'running' | 'stopping' | 'done';
export type TaskKind = 'restore' | 'dry-run' | 'undo' | 'verify' | 'clean-up';
export type ItemOutcome = 'restored' | 'merged' | 'skipped' | 'failed';
export interface ItemResult {
  readonly name: string;
  readonly path: string;
  readonly outcome: ItemOutcome;
  readonly message: string | null;
}
