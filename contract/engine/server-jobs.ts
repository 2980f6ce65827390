import type { BackupJobRow } from '../backup/jobs.ts';
import type { BackupJobId, UserId } from '../ids.ts';
import type { EngineScope, Reply } from './engine.ts';

/** The settings of a job as a server outside has them. `proxy`: the server chooses it. */
export type ServerJobSettings = Pick<
  BackupJobRow,
  | 'name'
  | 'description'
  | 'backupType'
  | 'selectedItems'
  | 'excludedItems'
  | 'repository'
  | 'schedulePolicy'
>;

/** A job as its server has it after a change. */
export interface ServerJob extends ServerJobSettings {
  /** Another one than asked for if the job was there already, from a request whose answer was lost. */
  readonly id: BackupJobId;
  readonly enabled: boolean;
  readonly isTeamsChatsEnabled: boolean;
  /** False: the server has it with other settings than were sent. */
  readonly isAsWanted: boolean;
}
export interface ServerJobInput {
  readonly job: BackupJobId;
  readonly settings: ServerJobSettings;
}
/** Who is notified of a job. */
export interface JobNotification {
  readonly enabled: boolean;
  readonly notifyOnFailure: boolean;
  readonly userIds: readonly UserId[];
  readonly externalAddresses: readonly string[];
}
/**
 * What the caller does for the new job once the engine has answered. If that answer is lost, the
 * engine does it when it finds the job.
 */
export interface NewServerJobInput extends ServerJobInput {
  readonly notification: JobNotification | null;
  readonly runNow: boolean;
}

/**
 * Jobs whose settings another server has. It is changed first, and the job's row afterwards. A
 * request whose answer was lost can be repeated: no job is made twice. `conflict`: the server refuses
 * the change, another job has the name, or the job has changed there since its row was read.
 */
export interface ServerJobs {
  create(scope: EngineScope, input: NewServerJobInput): Reply<ServerJob>;
  /** What the portal doesn't know of a job stays as it is. */
  update(scope: EngineScope, input: ServerJobInput): Reply<ServerJob>;
  /** Stops the job first. One that the server no longer has is deleted. */
  delete(scope: EngineScope, input: { readonly job: BackupJobId }): Reply<void>;
}
