import type { DeviceCode, DeviceCodeState, EngineScope, Reply, Workload } from './engine.ts';
import type { Ms, OrganizationId, TaskId } from '../ids.ts';

/** `missing`: permissions without which nothing can be written. `expiresAt`: until when restores may start. */
export interface RestoreRights {
  readonly missing: readonly string[];
  /** All permissions that a sign-in grants: those that are needed, and those that help. */
  readonly requested: readonly string[];
  readonly expiresAt: Ms | null;
}

/** How an administrator grants the rights to write for the restore session of a user. */
export interface RestoreRightsCalls {
  /** What the organization lacks for restores of a workload. */
  get(scope: EngineScope, input: { workload: Workload }): Reply<RestoreRights>;
  /** The same for what a dry run tried, or for the undo of a restore: of the organization written to. */
  getForTask(
    scope: EngineScope,
    input: { task: TaskId },
  ): Reply<RestoreRights & { readonly organization: OrganizationId; readonly workload: Workload }>;
  /** Requests a code with which an administrator grants the rights for this user's session. */
  requestCode(
    scope: EngineScope,
    input: { workload: Workload | null },
  ): Reply<DeviceCode & { readonly permissions: readonly string[] }>;
  /** Checks the code that was requested last. */
  checkCode(scope: EngineScope): Reply<DeviceCodeState>;
  /** Grants the rights as the administrator who signed in with that code. */
  grant(scope: EngineScope): Reply<{ readonly expiresAt: Ms }>;
}
