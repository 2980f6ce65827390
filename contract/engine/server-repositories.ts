import type { RetentionType } from '../backup/retention.ts';
import type { CleanUpSchedule, ServerRetention } from '../backup/server-repositories.ts';
import type { BackupRepositoryId, Ms } from '../ids.ts';
import type { EngineScope, Reply } from './engine.ts';

/** What a repository on a server outside can use. Names and ids are the server's. */
export interface ServerStorage {
  readonly version: 'v7' | 'v8';
  readonly proxies: readonly ServerProxy[];
  /** Of version 7, without archives. */
  readonly objectStorages: readonly ServerThing[];
  /** Those that the organization doesn't have yet, without archives. */
  readonly repositories: readonly (ServerThing & { readonly path: string })[];
}
interface ServerThing {
  readonly id: string;
  readonly name: string;
}
/** `hasFolders`: a repository can be in one of its folders. `pool`: that it is in. */
export interface ServerProxy extends ServerThing {
  readonly pool: string | null;
  readonly isOnline: boolean;
  readonly hasFolders: boolean;
}

/** What can be changed of a repository. */
export interface ServerRepositoryFields {
  readonly name: string;
  readonly description: string;
  readonly retention: ServerRetention;
  readonly cleanUp: CleanUpSchedule;
}
/** `objectStorage`: extends it with an object storage of the server. */
export interface NewServerRepository extends ServerRepositoryFields {
  readonly retentionType: RetentionType;
  readonly proxy: string;
  readonly path: string;
  readonly objectStorage: string | null;
}

/** A repository as its server has it. */
export interface ServerRepository extends Omit<ServerRepositoryFields, 'cleanUp'> {
  readonly id: BackupRepositoryId;
  readonly retentionType: RetentionType;
}
/** `version`: changes with its settings. `proxy`, `pool` and `objectStorage`: their names. */
export interface ServerRepositorySettings extends Omit<ServerRepository, 'id'> {
  readonly version: string;
  readonly cleanUp: CleanUpSchedule | null;
  readonly path: string;
  readonly proxy: string | null;
  readonly pool: string | null;
  readonly objectStorage: string | null;
  readonly shortened: PendingServerRetention | null;
}
/** A shorter retention that applies later. */
export interface PendingServerRetention {
  readonly retention: ServerRetention;
  readonly appliesAt: Ms;
}

/**
 * Repositories whose settings another server has. It is changed first, and the row afterwards. A
 * request whose answer was lost can be repeated: no repository is made twice. `conflict`: the server
 * refuses the change, another repository has the name, or it has changed there since it was read.
 */
export interface ServerRepositories {
  readStorage(scope: EngineScope): Reply<ServerStorage>;
  create(
    scope: EngineScope,
    input: { readonly repository: BackupRepositoryId; readonly settings: NewServerRepository },
  ): Reply<ServerRepository>;
  /**
   * Finds a repository that the organization can add by its id on the server. `known`: the id here if
   * it is one of the organization's already.
   */
  find(
    scope: EngineScope,
    key: string,
  ): Reply<{ readonly name: string; readonly known: BackupRepositoryId | null }>;
  /** Lists a repository of the server among those of the organization. */
  add(
    scope: EngineScope,
    input: { readonly repository: BackupRepositoryId; readonly key: string },
  ): Reply<ServerRepository>;
  read(
    scope: EngineScope,
    input: { readonly repository: BackupRepositoryId },
  ): Reply<ServerRepositorySettings>;
  /**
   * What the portal doesn't know of a repository stays as it is. A shorter retention is sent at
   * `shortensAt`; `canShorten` false: the request expects none.
   */
  update(scope: EngineScope, input: ServerRepositoryChange): Reply<ServerRepositoryUpdate>;
  /** Removes it from the server, which keeps its files. One that the server no longer has is removed. */
  remove(scope: EngineScope, input: { readonly repository: BackupRepositoryId }): Reply<void>;
}
export interface ServerRepositoryChange {
  readonly repository: BackupRepositoryId;
  /** Null: whatever it has. */
  readonly version: string | null;
  readonly changes: Partial<ServerRepositoryFields>;
  readonly canShorten: boolean;
  readonly shortensAt: Ms;
}
export interface ServerRepositoryUpdate extends ServerRepository {
  readonly shortened: PendingServerRetention | null;
}
