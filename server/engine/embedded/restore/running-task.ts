import type {
  EngineError,
  EngineResult,
  Reply,
  ItemOutcome,
  ObjectKind,
  PartRole,
  Region,
} from '#contract/engine/engine.ts';
import type { ReadStored } from '../sources/mail-edits.ts';
import type { Waiting } from '#contract/engine/sessions.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { BackupRepositoryId, Bytes, OrganizationId, TaskId, TenantId } from '#contract/ids.ts';
import type { Chance, Clock } from '#server/platform/app-context.ts';
import type { GraphClient } from '../graph/client.ts';
import type { Store } from '#server/platform/db/store.ts';
import type {
  FetchedPart,
  OpenedObject,
  SourceCall,
  SourceObject,
  StoredItem,
  Writer,
  WriteInput,
  WriteTurns,
} from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { TaskRights } from './rights/rights.ts';
import type { BlockedFolder, NameResolution } from './taken-names.ts';
import type { TaskRequest } from './tasks.ts';

/** What a restore needs of the rest of the engine. */
export interface RestorePorts {
  /** `rights` null: nothing is written. */
  openTarget(
    tenant: TenantId,
    organization: OrganizationId,
    rights: TaskRights | null,
    turns: WriteTurns,
  ): Promise<EngineResult<RestoreDestination>>;
  /** Requests as the administrator who granted rights. */
  openAdministrator(region: Region, accessToken: string, signal: AbortSignal): GraphClient;
  openContent(
    tenant: TenantId,
    repository: BackupRepositoryId,
  ): Promise<EngineResult<RestoreContent>>;
}
export interface RestoreDestination {
  /** `read`: returns the stored content of an item. */
  writerOf(kind: ObjectKind, read: ReadStored): Writer | null;
  /** Reads an item of the target as it is now, before it is replaced. */
  fetch(
    object: SourceObject,
    key: string,
    call: SourceCall,
  ): Promise<EngineResult<{ readonly parts: readonly FetchedPart[]; readonly item: Replaced }>>;
  /** Finds a user of the organization for a restore to another place. */
  findObject(kind: ObjectKind, id: string, call: SourceCall): Promise<EngineResult<SourceObject>>;
}
export type Replaced = Omit<StoredItem, 'n' | 'parts'>;
export interface RestoreContent {
  /** Reads a part, checked. The stream throws if the content is damaged. */
  read(part: StoredPart): AsyncIterable<Uint8Array>;
  save(part: FetchedPart): Promise<EngineResult<StoredPart>>;
  flush(): Promise<EngineResult<void>>;
  close(): Promise<void>;
}

/** Returns what reads the stored content of an item. */

export const readStored =
  (task: Pick<RunningTask, 'content'>): ReadStored =>
  ({ parts }) =>
    makeContentReader(task, parts);

/** A task while a process works on it. */
export interface RunningTask {
  readonly store: Store;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly tenant: TenantId;
  readonly id: TaskId;
  readonly request: TaskRequest;
  readonly organization: OrganizationId;
  readonly isOtherOrganization: boolean;
  readonly isDryRun: boolean;
  readonly writesBeside: boolean;
  readonly target: RestoreDestination;
  readonly content: RestoreContent;
  /** Folders that this process has made sure of, so that two items don't create one twice. */
  readonly folders: Map<string, ReturnType<Writer['ensureFolder']>>;
  /** Of a dry run: the channels that it has asked about. */
  readonly channels: Map<string, Promise<EngineResult<string | null>>>;
  /** Of a dry run: what places are called now, by the keys of their folders. */
  readonly places: Map<string, Reply<string | null>>;
  /** Of a dry run: the keys of the channels that posts go to; null: the target lacks them. */
  readonly channelKeys: Map<string, Reply<string | null>>;
  /** Of a dry run: what is in the way of folders. */
  readonly blocked: Map<string, Reply<BlockedFolder | null>>;
  /** Where the items of objects go, which may have been deleted. */
  readonly objects: Map<string, Promise<EngineResult<OpenedObject>>>;
  /** Targets that are full: the size of the smallest item for which there was no room. */
  readonly full: Map<string, Bytes>;
  readonly postponed: Postponed;
  /** What becomes of files that have the names of others, by the numbers of their items. */
  readonly nameResolutions: Map<number, NameResolution>;
  /** Numbers of items by those in the index, once they are needed. */
  selection: Promise<ReadonlyMap<string, readonly number[]>> | null;
  /** Numbers of items with numbered names, once they are needed. */
  numbered: Promise<ReadonlyMap<string, readonly number[]>> | null;
  readonly signal: AbortSignal;
  onWaiting(waiting: Waiting | null): void;
  /** Microsoft 365 answered with an error: what the application lacks is checked if it denied an access. */
  onError(this: void, error: EngineError): Promise<void>;
}

/** Items to try again when others are done, which are in their way. */
export interface Postponed {
  readonly items: Set<number>;
  /** Those that wait for an item, by its number. */
  readonly waiting: Map<number, readonly number[]>;
  /** Nothing has changed since the turn before. */
  isLastTry: boolean;
  hasProgressed: boolean;
}

/** An item of a task, with its version in the index. */
export interface TaskItem {
  readonly n: number;
  /** `writing-copy`: beside another version, which stays. */
  readonly state: 'planned' | 'writing' | 'writing-copy' | 'done';
  readonly name: string;
  readonly path: string;
  /** The key of its folder in the backup. */
  readonly folder: string;
  readonly object: SourceObject;
  /** Its number in the index. */
  readonly objectN: number;
  readonly item: StoredItem;
  /** Another item of the task has its name, so it has a numbered one. Absent: no. */
  readonly isNumbered?: boolean;
  /**
   * The versions of the item that the task puts into this folder: their numbers in the index, the newest
   * first. Absent: this one alone.
   */
  readonly versions?: readonly number[];
  readonly written: unknown;
  readonly replaced: unknown;
  /** Its backup is in a folder for deleted items. */
  readonly isInDeletedItems: boolean;
}

/** How an item ended; or why the task can't continue now. `isLocal`: the target was not asked. */
export type ItemEnd =
  | {
      readonly ok: true;
      readonly outcome: ItemOutcome;
      readonly message: string | null;
      readonly isLocal?: boolean;
    }
  | { readonly ok: false; readonly error: EngineError };

/** Reads the part that a writer asks for, or says that the backup has none. */
export const makeContentReader =
  (
    { content }: Pick<RunningTask, 'content'>,
    parts: readonly StoredPart[],
  ): WriteInput['content'] =>
  async (as: PartRole, name?: string) => {
    const part = parts.find((one) => one.as === as && (name === undefined || one.name === name));
    return part === undefined
      ? { ok: false, error: { kind: 'missing', message: t.noContent } }
      : { ok: true, value: content.read(part) };
  };

/** Stores a step of an item: the intent before a write, the result after it. */
export async function storeStep(
  { store, tenant, id }: Pick<RunningTask, 'store' | 'tenant' | 'id'>,
  n: number,
  step: {
    readonly state: TaskItem['state'];
    readonly outcome?: ItemOutcome;
    readonly message?: string | null;
    readonly written?: unknown;
    readonly replaced?: unknown;
    readonly lacks?: readonly string[];
  },
): Promise<void> {
  await store.tenant(tenant, ({ sql: db }) =>
    db
      .updateTable('restore_item')
      .set({
        state: step.state,
        ...(step.outcome !== undefined && { outcome: step.outcome }),
        ...(step.message !== undefined && { message: step.message }),
        ...(step.written !== undefined && { written: getJson(step.written) }),
        ...(step.replaced !== undefined && { replaced: getJson(step.replaced) }),
        ...(step.lacks !== undefined && { lacks: JSON.stringify(step.lacks) }),
      })
      .where('tenant_id', '=', tenant)
      .where('task_id', '=', id)
      .where('n', '=', n)
      .execute(),
  );
}

const getJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
