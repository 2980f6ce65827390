import type { Engine, EngineScope, Reply, RestoreInput } from '#contract/engine/engine.ts';
import type { RestoreRightsCalls } from '#contract/engine/restore-rights.ts';
import type { Ms, TaskId, UserId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { PlainLimit } from './task-rows.ts';

export type CompareCalls = Pick<Engine, 'compare' | 'compareFolder' | 'readProduction'>;
export type EstimateCalls = Pick<Engine, 'estimate'>;

/** Records what happened to a task, in the transaction that does it. */
export type RecordTask = (tx: TenantTx, task: TaskId) => Promise<void>;
/** Of a restore that others learn about (G71). */
export interface Oversight {
  readonly needsApproval: boolean;
  readonly record: RecordTask;
}

/** What of the interface is about reading backups and restoring them. */
export type RestoreCalls = Pick<
  Engine,
  | 'listPoints'
  | 'openExplorer'
  | 'stopExplorer'
  | 'listChildren'
  | 'search'
  | 'locateItem'
  | 'listVersions'
  | 'nameNodes'
  | 'getSize'
  | 'readContent'
  | 'prepareDownload'
  | 'readDownload'
  | 'getTask'
  | 'listTasks'
  | 'listResults'
  | 'cancel'
> & {
  /** Whether the roles of an operator let it restore this with the approval of another person only. */
  needsSecondPerson(
    scope: EngineScope,
    input: Pick<RestoreInput, 'explorer' | 'nodes'>,
  ): Reply<boolean>;
  /** How many items the user restored since a moment without that others learned about it. */
  countPlainItems(scope: EngineScope, input: { readonly since: Ms }): Reply<number>;
  /** Starts the undo of a restore, or lets it wait for approval. */
  undo(scope: EngineScope, input: { readonly task: TaskId }, oversight?: Oversight): Reply<TaskId>;
  /** Restores what of a restore failed, or lets it wait for approval. `plain`: as below. */
  retry(
    scope: EngineScope,
    input: { readonly task: TaskId },
    oversight?: Oversight,
    plain?: PlainLimit,
  ): Reply<TaskId>;
  /** Starts a restore, or lets it wait for approval. `plain`: nobody else learns about it. */
  restore(
    scope: EngineScope,
    input: RestoreInput,
    oversight?: Oversight,
    plain?: PlainLimit,
  ): Reply<TaskId>;
  /**
   * Starts a restore that waits for approval, with the rights to write of who asked for it or of who
   * approves it.
   */
  approve(
    scope: EngineScope,
    input: { readonly task: TaskId; readonly requester: UserId; readonly record: RecordTask },
  ): Reply<void>;
  /** Ends a restore that waits for approval. */
  reject(
    scope: EngineScope,
    input: { readonly task: TaskId; readonly message: string; readonly record: RecordTask },
  ): Reply<void>;
  readonly restoreRights: RestoreRightsCalls;
};
