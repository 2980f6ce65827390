import type { Bytes, Ms } from '../ids.ts';

/** `total` null: not known yet. */
export interface WorkProgress {
  readonly done: number;
  readonly total: number | null;
}

export interface AttachInput {
  readonly repository: string;
  readonly password: string;
  /** The tenant's id at Microsoft; null: unknown. */
  readonly directoryId: string | null;
}
/** How far a repository is attached. `problems`: 100 at most. */
export interface Attachment {
  readonly isDone: boolean;
  readonly points: WorkProgress;
  /** Mailboxes and drives. */
  readonly objects: WorkProgress;
  readonly problems: readonly AttachmentProblem[];
  readonly problemCount: number;
}
/**
 * Something of a repository that was left out: a restore point of another program or organization
 * (`foreign`) or an unreadable one (`damaged`), or what is unreadable of one (`incomplete`).
 */
export interface AttachmentProblem {
  readonly kind: 'foreign' | 'damaged' | 'incomplete';
  readonly snapshot: string;
  /** Null: unknown. */
  readonly at: Ms | null;
  /** The mailbox or drive. */
  readonly object: string | null;
}

export interface RepositoryInput {
  readonly repository: string;
  /** Null: Daybook makes one and keeps it sealed. */
  readonly password: string | null;
  readonly passwordHint: string | null;
}
export interface PasswordInput {
  readonly repository: string;
  readonly password: string;
  readonly passwordHint: string | null;
}
export interface RepositoryUsage {
  readonly storedBytes: Bytes;
  readonly points: number;
  readonly verifiedAt: Ms | null;
  /** What the last verification found damaged; 100 at most. */
  readonly damagedItems: readonly DamagedItem[];
  /** Null: it was not attached. */
  readonly attachment: Attachment | null;
  /** The last ones that a person asked for. */
  readonly cleanUp: CleanUpRequest | null;
  readonly verification: VerificationRequest | null;
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
