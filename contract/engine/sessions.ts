import type { BackupJobId, BackupSessionId, Bytes, Ms } from '../ids.ts';
import type { ObjectKind } from './engine.ts';

export type StartReason = 'manual' | 'schedule' | 'retry' | 'chained';
export type SessionResult = 'success' | 'warning' | 'failed' | 'cancelled';
export interface BackupSession {
  readonly id: BackupSessionId;
  readonly job: BackupJobId;
  readonly state: 'queued' | 'running' | 'stopping' | 'done';
  readonly result: SessionResult | null;
  readonly reason: StartReason;
  readonly startedAt: Ms;
  readonly endedAt: Ms | null;
  readonly progress: SessionProgress;
  /** Why it failed or has a warning. */
  readonly message: string | null;
  /** Microsoft 365 refused the sign-in of the application or denied it a permission. */
  readonly isAccessDenied: boolean;
  readonly objects: readonly SessionObject[];
}
export interface SessionProgress {
  readonly objects: Progress;
  readonly items: Progress;
  readonly bytes: Progress;
  /** Bytes that the repository did not have. */
  readonly storedBytes: Bytes;
  readonly waiting: ShownWaiting | null;
}
export interface SessionObject {
  readonly name: string;
  readonly kind: ObjectKind;
  readonly state: 'queued' | 'running' | 'waiting' | 'success' | 'warning' | 'failed' | 'cancelled';
  readonly items: number;
  readonly bytes: Bytes;
  readonly message: string | null;
}
export interface Progress {
  readonly done: number;
  /** Null: not known yet. */
  readonly total: number | null;
}
export interface Waiting {
  readonly until: Ms;
  readonly reason: string;
}
/** Why something waits. `until` null: not known. */
export interface ShownWaiting {
  readonly until: Ms | null;
  readonly reason: string;
}
export interface SessionLogLine {
  readonly n: number;
  readonly at: Ms;
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
}
