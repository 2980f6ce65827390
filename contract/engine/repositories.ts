import type { ObjectLockMode } from '../backup/repositories.ts';
import type { BackupRepositoryId, Bytes, Ms } from '../ids.ts';

/** `total` null: not known yet. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number | null;
}

/**
 * A bucket of S3-compatible storage. `prefix`: the folder that repositories are in, '' for none.
 * `certificate`: PEM of the one certificate to trust; null: those of public authorities.
 */
export interface S3Address {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly certificate: string | null;
}
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}
export interface S3Storage extends S3Address, S3Keys {}

/** What storage bills by: writes and lists, and reads. Deletions are free. */
export type RequestKind = 'write' | 'read' | 'delete';
/** About how many requests storage got in a month (UTC), such as '2026-05'. */
export type StorageRequests = Readonly<Record<RequestKind, number>> & { readonly month: string };

export interface AttachInput {
  readonly repository: BackupRepositoryId;
  readonly password: string;
  /** Null: a folder of the server. */
  readonly storage: S3Storage | null;
  /** The tenant's id at Microsoft; null: unknown. */
  readonly directoryId: string | null;
  /**
   * Whether the repository is to retain everything. If its files are locked, that fails with the field
   * `retentionPolicy`.
   */
  readonly isRetainedForever: boolean;
}
/** `objectLock`: how the files of the repository are locked; null: they aren't. */
export interface AttachStarted {
  readonly objectLock: ObjectLockMode | null;
}
/** How far a repository is attached. `problems`: 100 at most. */
export interface AttachProgress {
  readonly isDone: boolean;
  readonly points: WorkProgress;
  /** Mailboxes and drives. */
  readonly objects: WorkProgress;
  readonly problems: readonly AttachmentProblem[];
  readonly problemCount: number;
}
/** The last three are no damage: legal holds and exclusions that the repository lists. */
export const ATTACHMENT_PROBLEMS = [
  'foreign',
  'damaged',
  'incomplete',
  'excluded',
  'on-hold',
  'excluded-on-hold',
] as const;
export type AttachmentProblemKind = (typeof ATTACHMENT_PROBLEMS)[number];
/**
 * Something of a repository that was left out: a restore point of another program or organization
 * (`foreign`) or an unreadable one (`damaged`), or what is unreadable of one (`incomplete`). Or a
 * person whose backups are removed (`excluded`), a legal hold that was taken over (`on-hold`), or a
 * person whose backups stay until a hold ends (`excluded-on-hold`); `at`: since when.
 */
export interface AttachmentProblem {
  readonly kind: AttachmentProblemKind;
  /** Empty: of no snapshot. */
  readonly snapshot: string;
  /** Null: unknown. */
  readonly at: Ms | null;
  /** The mailbox or drive, the person, or what a hold is on. */
  readonly object: string | null;
}

export interface RepositoryInput {
  readonly repository: BackupRepositoryId;
  /** Null: Daybook makes one and keeps it sealed. */
  readonly password: string | null;
  readonly passwordHint: string | null;
  /** Null: a folder of the server. */
  readonly storage: S3Storage | null;
  /** Locks the files of object storage until they are no longer needed; null or absent: no lock. */
  readonly objectLock?: NewObjectLock | null;
}
/** `lockedUntil`: of the files with which the repository begins. */
export interface NewObjectLock {
  readonly mode: ObjectLockMode;
  readonly lockedUntil: Ms;
}
/** They replace the former keys if they open the repository. */
export interface StorageKeysInput {
  readonly repository: BackupRepositoryId;
  readonly keys: S3Keys;
}
export interface PasswordInput {
  readonly repository: BackupRepositoryId;
  readonly password: string;
  readonly passwordHint: string | null;
}
export interface RepositoryUsage {
  readonly storedBytes: Bytes;
  /** Null: unknown. */
  readonly points: number | null;
  readonly verifiedAt: Ms | null;
  /** What the last verification found damaged; 100 at most. */
  readonly damagedItems: readonly DamagedItem[];
  /** Null: a folder of the server, or no request yet. */
  readonly storageRequests: StorageRequests | null;
  /** Null: its files aren't locked, or weren't looked at yet. */
  readonly locks: FileLocksState | null;
  /** Null: it was not attached. */
  readonly attachment: AttachProgress | null;
  /** The last ones that a person asked for. */
  readonly cleanUp: CleanUpRequest | null;
  readonly verification: VerificationRequest | null;
}
/** What the daily look at locked files has found. */
export interface FileLocksState {
  readonly checkedAt: Ms;
  /** Before this, not all of the repository can be deleted. Null: nothing is locked. */
  readonly lockedUntil: Ms | null;
  /** What clean-ups have removed, and is in the bucket until its lock ends. */
  readonly removedBytes: Bytes;
  /** Files that somebody else had deleted or overwritten; null: never. */
  readonly tampering: Tampering | null;
}
/** `lost`: files of which the storage has no good version any more. */
export interface Tampering {
  readonly at: Ms;
  readonly recovered: number;
  readonly lost: number;
}
/** `message`: why it waits. */
export interface UpkeepRequest {
  readonly requestedAt: Ms;
  readonly endedAt: Ms | null;
  readonly message: string | null;
}
export interface CleanUpRequest extends UpkeepRequest {
  readonly removedPoints: number;
  readonly freedBytes: Bytes;
}
/** `parts`: how much is read. `damaged`: items that lost something. */
export interface VerificationRequest extends UpkeepRequest {
  readonly parts: WorkProgress;
  readonly damaged: number;
}
export interface DamagedItem {
  /** The mailbox or drive. */
  readonly object: string;
  readonly title: string;
  readonly at: Ms;
}
