import type { ColumnType, Generated } from 'kysely';
import type { DirectoryList } from '#contract/engine/directory-list.ts';
import type {
  DirectoryKind,
  EngineId,
  ItemKind,
  ItemOutcome,
  ObjectKind,
  Region,
  EngineTask,
  TaskKind,
  Workload,
} from '#contract/engine/engine.ts';
import type {
  SessionLogLine,
  Progress,
  BackupSession,
  SessionObject,
  SessionProgress,
  SessionResult,
  StartReason,
  Waiting,
} from '#contract/engine/sessions.ts';
import type {
  AttachmentProblem,
  CleanUpRequest,
  S3Address,
  FileLocksState,
  StorageRequests,
  VerificationRequest,
} from '#contract/engine/repositories.ts';
import type { ItemFlags, StoredPart } from '#contract/engine/stored-item.ts';
import type {
  BackupJobId,
  BackupRepositoryId,
  BackupSessionId,
  Bytes,
  DeviceCodeId,
  ExplorerId,
  Ms,
  OrganizationId,
  PointId,
  TaskId,
  TenantId,
  UserId,
} from '#contract/ids.ts';
import type { DayN } from '#contract/time/day.ts';
import type { ImportTables } from './database-imports.ts';
import type { Filled, JsonColumn, JsonOrNull } from './json-column.ts';
import type { DownloadTables } from './database-downloads.ts';

/** Tables of the embedded backup engine (migration 0037), and of what it is used for. */
export interface EngineTables extends DownloadTables, ImportTables {
  organization_access: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    sealed: string;
    at: Ms;
    /** The certificate that administrators were warned of, and the days that it had left. */
    warned: Generated<string | null>;
  };
  usage_day: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    day: DayN;
    used: number;
    free: number;
    bytes: Bytes;
  };
  device_code: {
    tenant_id: TenantId;
    id: DeviceCodeId;
    user_id: UserId | null;
    region: Region;
    sealed: string;
    expires_at: Ms;
    /** Whose restores the code is for; null: it sets up an organization. */
    organization_id: OrganizationId | null;
    workload: Workload | null;
  };
  restore_grant: RestoreGrantTable;
  directory_object: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    kind: DirectoryKind;
    id: string;
    name: string;
    address: string;
    parent_id: string | null;
    /** Of a team: the id of its site; null: it has none, or it is unknown. */
    site_id: Generated<string | null>;
    /** When it left the directory; null: it is there. */
    deleted_at: Ms | null;
    generation: Generated<number>;
    /** Whether a user has a Microsoft 365 license; null: unknown. */
    licensed: Generated<boolean | null>;
  };
  /** Members of groups that roles of restore operators name. */
  directory_member: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    group_id: string;
    user_id: string;
  };
  directory_member_list: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    group_id: string;
    listed_at: Ms;
  };
  directory_list: {
    tenant_id: TenantId;
    organization_id: OrganizationId;
    list: DirectoryList;
    revision: Generated<number>;
    generation: Generated<number>;
    cursor: string | null;
    /** A complete listing has begun and not ended. */
    listing: Generated<boolean>;
    /** When the list was last read to its end. */
    listed_at: Ms | null;
  };
  repository_access: {
    tenant_id: TenantId;
    repository_id: BackupRepositoryId;
    sealed: string;
    at: Ms;
    verified_at: Ms | null;
    upkeep: Filled<RepositoryUpkeep>;
    /** Keys of former passwords that are still in the repository. */
    superseded_keys: Filled<readonly string[]>;
    /** Keys whose passwords are being stored, with the time at which they were noted. */
    pending_keys: Filled<readonly { readonly id: string; readonly at: Ms }[]>;
    stored_bytes: Generated<Bytes>;
    requests: Filled<UpkeepRequests>;
    /** Null: Daybook created it here. */
    attachment: ColumnType<RepositoryAttachment | null, string | null | undefined, string | null>;
    /** Null: a folder of the server. */
    storage: ColumnType<S3Address | null, string | null | undefined, string | null>;
    storage_sealed: string | null;
    storage_requests: Filled<Partial<StorageRequests>>;
    /** Null: its files aren't locked, or weren't looked at yet. */
    locks: ColumnType<FileLocksState | null, string | null | undefined, string | null>;
    /** The legal holds and exclusions that its files list; null: none, empty: unknown. */
    protections: string | null;
  };
  /** Files of a repository in object storage that are locked, with the version that is good. */
  repository_file: {
    tenant_id: TenantId;
    repository_id: BackupRepositoryId;
    /** Such as `data/<id>`. */
    file: string;
    /** Of the storage. '': not known. */
    version: string;
    /** 0: not known. */
    locked_until: Ms;
    /** Nothing needs it any more: it goes when its lock ends. */
    removed: Generated<boolean>;
    /** When the data of an excluded person had been removed that the file may have. */
    erased_at: Ms | null;
  };
  backup_object: BackupObjectTable;
  object_cursor: {
    tenant_id: TenantId;
    object_n: number;
    scope: string;
    cursor: string;
    /** The scope is being listed completely: see `listed_item`. */
    listing: Generated<boolean>;
    /** More pages follow the last one that was read. */
    is_open: Generated<boolean>;
  };
  backup_session: {
    tenant_id: TenantId;
    id: BackupSessionId;
    job_id: BackupJobId;
    organization_id: OrganizationId;
    repository_id: BackupRepositoryId;
    state: BackupSession['state'];
    result: SessionResult | null;
    reason: StartReason;
    message: string | null;
    started_at: Ms;
    ended_at: Ms | null;
    /** `failing`: since when the session can't continue. */
    progress: Filled<
      Partial<SessionProgress> & {
        readonly failing?: FailingTimes | null;
        readonly isAccessDenied?: boolean;
      }
    >;
  };
  /** The work on one object in a session, leased by one process at a time. */
  backup_work: {
    tenant_id: TenantId;
    session_id: BackupSessionId;
    object_n: number;
    state: Generated<SessionObject['state']>;
    lease_owner: Generated<string | null>;
    lease_until: Generated<Ms>;
    attempts: Generated<number>;
    items: Generated<number>;
    bytes: Generated<Bytes>;
    message: string | null;
    waiting: JsonColumn<Waiting> | null;
  };
  backup_log: {
    tenant_id: TenantId;
    session_id: BackupSessionId;
    n: number;
    at: Ms;
    level: SessionLogLine['level'];
    message: string;
  };
  restore_point: RestorePointTable;
  object_point: {
    tenant_id: TenantId;
    object_n: number;
    point: number;
    point_id: PointId;
    at: Ms;
    items: number;
    bytes: Bytes;
    tree: string;
  };
  folder: {
    tenant_id: TenantId;
    object_n: number;
    n: number;
    key: string;
    parent_key: string | null;
    name: string;
    well_known: string | null;
    from_point: number;
    to_point: number | null;
    /** The people with whom it is shared; null: with nobody, or unknown. */
    sharing: JsonOrNull;
  };
  item: ItemTable;
  /** The words of the content of an item, with those of its title and people. */
  item_text: {
    tenant_id: TenantId;
    object_n: number;
    n: number;
    text: string;
    words: Generated<string>;
  };
  listed_item: { tenant_id: TenantId; object_n: number; scope: string; key: string };
  explorer: {
    tenant_id: TenantId;
    id: ExplorerId;
    user_id: UserId;
    organization_id: OrganizationId;
    job_id: BackupJobId | null;
    workload: Workload;
    point_id: PointId;
    show_deleted: boolean;
    opened_at: Ms;
    used_at: Ms;
    stopped_at: Ms | null;
    /** The person of the directory as whom an operator browses; null: no operator. */
    operator_id: string | null;
  };
  engine_task: EngineTaskTable;
  restore_item: {
    tenant_id: TenantId;
    task_id: TaskId;
    n: number;
    object_n: number;
    item_n: number;
    name: string;
    path: string;
    /** `planned`, then `writing` (stored before the write), then `done`. */
    /** `writing-copy`: beside another version, which stays. */
    state: 'planned' | 'writing' | 'writing-copy' | 'done';
    outcome: ItemOutcome | null;
    message: string | null;
    written: JsonOrNull;
    replaced: JsonOrNull;
    /** Whom it could not be shared with again. */
    lacks: JsonOrNull;
  };
  /** Folders that a restore creates. `key` null: it was interrupted while it created the folder. */
  restore_folder: {
    tenant_id: TenantId;
    task_id: TaskId;
    kind: ObjectKind;
    object_id: string;
    path: string;
    object: JsonColumn<unknown>;
    key: string | null;
    /** What the restore gave others access by; null: not shared again yet. */
    sharing: JsonOrNull;
  };
  /** The restore that brings a deleted object back, alone until then. */
  restore_claim: {
    tenant_id: TenantId;
    kind: ObjectKind | 'channel';
    object_id: string;
    task_id: TaskId;
  };
  running_command: {
    tenant_id: TenantId;
    id: EngineId;
    until: Ms;
    /** The server that runs it. */
    holder: string | null;
    absent_since: Ms | null;
  };
}

/**
 * How far the verification of a repository is, which reads one of `of` parts a day. `after`: the last
 * pack of the part that was read, for the request of that time, if it was for one. `damaged`: blobs
 * that are in no good copy; `items`: what they are part of. `repack`: damaged copies were healed, and
 * the next clean-up removes them. `rewrite`: items were removed from points, whose snapshots still have
 * them. `run`: the run of the clean-up that began last. `reserved`: a clean-up waits for the repository,
 * since then; sessions don't begin before `until`.
 */
export interface RepositoryUpkeep {
  readonly run?: string;
  readonly reserved?: { readonly since: Ms; readonly until: Ms };
  readonly part?: number;
  readonly of?: number;
  readonly after?: { readonly pack: string; readonly requestedAt: Ms | null };
  readonly repack?: boolean;
  readonly rewrite?: boolean;
  readonly damaged?: readonly { readonly type: 'data' | 'tree'; readonly id: string }[];
  readonly items?: readonly { readonly object: string; readonly title: string; readonly at: Ms }[];
}

/** When the first and the last of several attempts in a row failed. */
export interface FailingTimes {
  readonly since: Ms;
  readonly at: Ms;
}

/** The last clean-up and verification that a person asked for. */
export interface UpkeepRequests {
  readonly cleanUp?: CleanUpRequest;
  readonly verification?: VerificationRequest;
}

/**
 * How far the index of a repository is rebuilt from its restore points. `object`: objects up to this
 * number are complete, and the next one down to `point`. `problems`: what is left out.
 */
export interface RepositoryAttachment {
  readonly state: 'clearing' | 'points' | 'objects' | 'completing' | 'done';
  readonly since: Ms;
  readonly points: Progress;
  readonly objects: Progress;
  readonly object: number;
  readonly point: number | null;
  readonly problems: readonly AttachmentProblem[];
  readonly problemCount: number;
}

/**
 * What one repository holds of one mailbox or drive. `point`: the newest finished state of it;
 * rows written for the next one have `point + 1`. `tree`: the repository's tree of that state.
 * `text_item`: items up to this number have been read for `item_text`.
 */
interface BackupObjectTable {
  tenant_id: TenantId;
  n: number;
  repository_id: BackupRepositoryId;
  organization_id: OrganizationId;
  kind: ObjectKind;
  directory_id: string;
  parent_id: string | null;
  name: string;
  address: string;
  point: Generated<number>;
  next_folder: Generated<number>;
  next_item: Generated<number>;
  items: Generated<number>;
  bytes: Generated<Bytes>;
  tree: string | null;
  text_item: Generated<number>;
  version_limit: number | null;
  /** Not backed up: its person is excluded, or what there was is still being removed. */
  excluded_at: Ms | null;
  /** When all of it had been removed; null: something may be left. */
  erased_at: Ms | null;
  /** When there were restore points that an exclusion has removed, at most 31 days apart in each span. */
  licensed_spans: Filled<readonly LicensedSpan[]>;
}
/** From the first to the last of some restore points. */
interface LicensedSpan {
  readonly first_at: Ms;
  readonly last_at: Ms;
}

interface RestorePointTable {
  tenant_id: TenantId;
  id: PointId;
  organization_id: OrganizationId;
  repository_id: BackupRepositoryId;
  job_id: BackupJobId;
  session_id: BackupSessionId;
  at: Ms;
  snapshot: string | null;
  complete: Generated<boolean>;
  result: 'success' | 'warning' | null;
  changes: Generated<number>;
  lacks: ColumnType<readonly string[], string | undefined, string>;
  /** Numbers of the objects, as texts, that its snapshot has and the index can't have. */
  unnumbered: ColumnType<readonly string[], string | undefined, string>;
}

interface ItemTable {
  tenant_id: TenantId;
  object_n: number;
  n: number;
  folder_key: string;
  key: string;
  change_key: string;
  from_point: number;
  to_point: number | null;
  kind: ItemKind;
  at: Ms;
  changed_at: Ms;
  bytes: Bytes;
  title: string;
  people: string;
  flags: Filled<ItemFlags>;
  parts: JsonColumn<readonly StoredPart[]>;
  words: Generated<string>;
}

interface EngineTaskTable {
  tenant_id: TenantId;
  id: TaskId;
  organization_id: OrganizationId;
  user_id: UserId | null;
  kind: TaskKind;
  state: EngineTask['state'];
  result: SessionResult | null;
  message: string | null;
  request: JsonColumn<unknown>;
  /** `failing`: since when the target does not answer. `removing`: objects that an undo removes, by key. */
  progress: Filled<
    Partial<Pick<EngineTask, 'items' | 'bytes' | 'waiting' | 'counts' | 'folders'>> & {
      readonly failing?: FailingTimes | null;
      readonly removing?: Readonly<Record<string, true>>;
    }
  >;
  parent_id: TaskId | null;
  created_at: Ms;
  started_at: Ms | null;
  ended_at: Ms | null;
}

/** Rights to write, granted for the restore session of a user. */
interface RestoreGrantTable {
  tenant_id: TenantId;
  id: EngineId;
  organization_id: OrganizationId;
  user_id: UserId;
  /** Who acts as the user, or the user. */
  actor_id: UserId;
  /** Null: all that can be restored. */
  workload: Workload | null;
  /** Names, separated by spaces. */
  permissions: string;
  region: Region;
  registration_id: string;
  sealed: string | null;
  granted_at: Ms;
  /** Until then, restores may start. */
  expires_at: Ms;
  /** Until then, restores that have started continue. */
  restores_end_at: Ms;
  stopped_at: Ms | null;
  ended_at: Ms | null;
  removed: Generated<boolean>;
}
