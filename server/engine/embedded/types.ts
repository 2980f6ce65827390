import type {
  EngineError,
  EngineErrorKind,
  EngineResult,
  ItemKind,
  ObjectKind,
  PartRole,
  Reply,
} from '#contract/engine/engine.ts';
import type { Waiting } from '#contract/engine/sessions.ts';
import type { RestoreFlags } from '#contract/engine/restore-flags.ts';
import type { ItemFlags, StoredPart } from '#contract/engine/stored-item.ts';
import type { Bytes, Ms } from '#contract/ids.ts';
import type { SharingPermission } from './sources/sharing.ts';

/** A mailbox, drive or library that can be backed up. `id` is the cloud's. */
export interface SourceObject {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly name: string;
  /** E-mail address, user principal name or URL: its folder in a snapshot. */
  readonly address: string;
  /** Of a subsite: the id of the site above it. Of a team: that of its site. */
  readonly parent?: string | null;
}

/** How a source tells that it waits, and when it must stop. */
export interface SourceCall {
  readonly signal: AbortSignal;
  /** Posts of teams are backed up too. */
  readonly includesPosts?: boolean;
  /** For times in pages that people read. Absent: UTC. */
  readonly timeZone?: string;
  onWaiting(waiting: Waiting | null): void;
  /** The ids of people in the backup are those of another organization. */
  readonly isOtherOrganization?: boolean;
  /** A dry run: a writer only reads. */
  readonly isDryRun?: boolean;
  /** A restore writes what is changed in the target once more, beside it. */
  readonly writesBeside?: boolean;
  /**
   * A part of the object can't be read, by an error of this kind: the rest is backed up, with the
   * reason as a warning.
   */
  onLack?(reason: string, kind?: EngineErrorKind): void;
}

/** Reads one kind of object. It never writes to the cloud. */
export interface ObjectSource {
  readonly kinds: readonly ObjectKind[];
  /**
   * Lists what changed since the cursors, page by page. A cursor belongs to a scope: a folder of a
   * mailbox, the whole of a drive. Without a cursor the scope is listed from the beginning.
   */
  changes(
    object: SourceObject,
    cursors: ReadonlyMap<string, string>,
    call: SourceCall,
  ): AsyncIterable<EngineResult<ChangePage>>;
  /**
   * Reads the content of changed items, in any order. Each one fails alone: an item that is
   * gone since it was listed has the error `missing`. The consumer reads the parts of one before it
   * asks for the next.
   */
  fetch(
    object: SourceObject,
    items: readonly ItemChange[],
    call: SourceCall,
  ): AsyncIterable<FetchedItem>;
  /**
   * Lists the versions that files have before their present content, the newest first. Each file fails
   * alone. Absent: the source has no files.
   */
  listVersions?(
    object: SourceObject,
    files: readonly ItemChange[],
    call: SourceCall,
  ): AsyncIterable<ListedVersions>;
  /** Reads the content of versions, in any order. Each fails alone. */
  fetchVersions?(
    object: SourceObject,
    versions: readonly WantedVersion[],
    call: SourceCall,
  ): AsyncIterable<FetchedVersion>;
}

/** A version of a file that was replaced. `id`: the cloud's, such as `3.0`. */
export interface FileVersion {
  readonly id: string;
  readonly at: Ms;
  /** Who made it. */
  readonly people: string;
  readonly bytes: Bytes;
}
export interface ListedVersions {
  readonly file: ItemChange;
  readonly versions: EngineResult<readonly FileVersion[]>;
  /** The number of the version that is the file's content; absent: unknown. */
  readonly present?: string;
}
/** `file`: its key. */
export interface WantedVersion {
  readonly file: string;
  readonly version: FileVersion;
}
export interface FetchedVersion extends WantedVersion {
  readonly content: EngineResult<FetchedPart['content']>;
}

/** The main scope of a mailbox: its folders. The other scopes are the keys of folders. */
export const FOLDERS_SCOPE = 'folders';
/** The main scope of a drive, and its only one. */
export const DRIVE_SCOPE = 'drive';
/** The main scope of a site: its libraries and lists. The other scopes are their keys. */
export const SITE_SCOPE = 'site';
/** The main scope of a team: channels, files, tabs, members and settings. Posts have their channel's. */
export const TEAM_SCOPE = 'team';
export const MAIN_SCOPES: readonly string[] = [FOLDERS_SCOPE, DRIVE_SCOPE, SITE_SCOPE, TEAM_SCOPE];
export const isMainScope = (scope: string): boolean => MAIN_SCOPES.includes(scope);
/** Between the key of a folder and the rest of a key, if the folder's scope has all that is below it. */
export const SCOPE_MARK = ':';

/**
 * One page of changes. A scope that is named after a folder lists the items of that folder, and all
 * items and folders whose keys begin with its key and `SCOPE_MARK`. All other items and folders
 * belong to the object's main scope. After `restart`, the scope is
 * listed completely: what the page with `cursor` has not named by then is gone, and is compared,
 * never emptied at once.
 */
export interface ChangePage {
  readonly scope: string;
  readonly restart: boolean;
  readonly folders: readonly FolderChange[];
  readonly items: readonly ItemChange[];
  /** Keys of items and folders that were removed from this scope. */
  readonly removed: readonly string[];
  /** Where to continue after this page. Stored with the versions that it covers. */
  readonly cursor: string;
  /** The scope is complete: its changes are listed up to now. */
  readonly isComplete: boolean;
}
/** `key`: the cloud's immutable id. `parent` null: the top. */
export interface FolderChange {
  readonly key: string;
  readonly parent: string | null;
  readonly name: string;
  /** `inbox`, `sentitems` …; null for others. */
  readonly wellKnown: string | null;
  /** Who a folder of files is shared with, besides what it inherits. */
  readonly sharing?: readonly SharingPermission[] | null;
}
export interface ItemChange {
  readonly key: string;
  /** Changes whenever the content or the properties of the item change. */
  readonly changeKey: string;
  /** Empty: the top of a drive. */
  readonly folder: string;
  readonly kind: ItemKind;
  /** Subject, or name of the file. */
  readonly title: string;
  /** Sender and recipients, or author: shown and searched. */
  readonly people: string;
  /** When it was received, sent or created. */
  readonly at: Ms;
  readonly changedAt: Ms;
  readonly bytes: Bytes;
  readonly flags: ItemFlags;
}
export type FetchedItem = { readonly item: ItemChange } & (
  | { readonly ok: true; readonly parts: readonly FetchedPart[] }
  | { readonly ok: false; readonly error: EngineError }
);
/** Content that comes in pieces rejects with a `ContentError` if it can't be read to its end. */
export interface FetchedPart {
  readonly as: PartRole;
  readonly name?: string;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * An item version from the index, as a restore needs it. It has no parts if its content could not be
 * read so far.
 */
export interface StoredItem {
  readonly n: number;
  readonly key: string;
  readonly changeKey: string;
  readonly kind: ItemKind;
  readonly title: string;
  readonly people: string;
  readonly at: Ms;
  readonly changedAt: Ms;
  readonly bytes: Bytes;
  readonly flags: ItemFlags;
  readonly parts: readonly StoredPart[];
  /** Versions of the same item that a restore puts into the same folder. Absent: none. */
  readonly otherVersions?: readonly StoredItem[];
}

/** Lets one restore at a time change what takes only one's changes, such as a channel that gets posts. */
export interface WriteTurns {
  /** Whether work of the same restore is in its turn at a place, or waits for it. */
  isTaken(place: string): boolean;
  /** Does work in a turn of its own. `busy`: another restore has kept the place for too long. */
  take<T>(place: string, work: () => Reply<T>): Reply<T>;
}

/** Writes items back to the cloud. Only restores use it. */
export interface Writer {
  /** Absent: objects of this kind can't be created. */
  readonly lost?: LostObject;
  /** What of an item the target can't take, in words; null: nothing. Absent: it takes all. */
  describeLoss?(item: StoredItem, content: WriteInput['content']): Reply<string | null>;
  /** The item in the target: by key in the original place, else by Message-ID, name and size. */
  find(place: Place, item: StoredItem, call: SourceCall): Reply<FoundObject | null>;
  /**
   * What an earlier attempt or restore has written of an item beside others, which have these keys.
   * Null: it is not there.
   */
  findCopy(
    place: Place,
    item: StoredItem,
    others: readonly string[],
    call: SourceCall,
  ): Reply<FoundObject | null>;
  /** Returns the key of the folder with this path; null if the target lacks it. */
  findFolder(place: Place, call: SourceCall): Reply<string | null>;
  /**
   * The file that has the name of a folder of this path. `below`: how many folders follow after that
   * one. Absent: folders and items don't share names.
   */
  findFileOnPath?(place: Place, call: SourceCall): Reply<FileOnPath | null>;
  /** Returns the key of the folder with this path, and creates what is missing of it. */
  ensureFolder(
    place: Place,
    call: SourceCall,
    recorder?: FolderRecorder,
  ): Reply<{ key: string; created: readonly string[] }>;
  /**
   * What a place is called now, or where its folder is, in words; null: it is as before. `folder`: the
   * key of the folder in the backup. Absent: folders of this kind have no keys.
   */
  describePlace?(place: Place, folder: string, call: SourceCall): Reply<string | null>;
  /**
   * Whether files of a place may be there while its folder isn't, such as those of a removed
   * channel.
   */
  mayLackFolder?(place: Place): boolean;
  /**
   * The people for whom a missing folder would be created, in words; null: it exists, or belongs to
   * everyone with access to the object. Error: it can't be created. Absent: no folder has people of
   * its own.
   */
  planFolder?(place: Place, call: SourceCall): Reply<string | null>;
  /**
   * What a restore does with a place before it looks for posts there, in words; null: nothing. Absent:
   * there are no posts.
   */
  describeOpening?(place: Place, call: SourceCall): Reply<string | null>;
  /** Ends the creation of a folder, and says who has it now. May be repeated. */
  finishFolder?(place: Place, key: string, call: SourceCall): Reply<string | null>;
  /**
   * Gives a file another name in its folder, unless it has changed since it was found (`conflict`).
   * Absent: items have no names that others of their folder can't have.
   */
  rename?(
    object: SourceObject,
    found: Pick<FoundObject, 'key' | 'changeKey'>,
    name: string,
    call: SourceCall,
  ): Reply<Written>;
  /** Creates the item, or replaces `replaces` if it hasn't changed since it was found. */
  write(place: Place, item: StoredItem, input: WriteInput, call: SourceCall): Reply<Written>;
  /**
   * For undo: removes what a restore created, unless it has changed since (`conflict`) or is gone
   * (`missing`). `before`: it is there as it was written, and is removed next.
   */
  remove(
    object: SourceObject,
    written: Written,
    call: SourceCall,
    before?: BeforeRemoval,
  ): Reply<void>;
  /**
   * For undo: removes a folder that a restore created if it is empty, else `conflict`. A whole object
   * and a channel go with the posts of the restore; `missing` if somebody else has removed them.
   */
  removeFolder(
    object: SourceObject,
    key: string,
    call: SourceCall,
    removal: FolderRemoval,
  ): Reply<void>;
  /**
   * Gives others access to a file or folder that a restore created. What they already have is not
   * given again. Absent: nothing there can be shared.
   */
  share?(
    object: SourceObject,
    item: Written,
    grants: readonly SharingPermission[],
    call: SourceCall,
  ): Reply<Shared>;
  /** For undo: removes what `share` added to a folder that stays. */
  unshare?(
    object: SourceObject,
    key: string,
    permissions: readonly string[],
    call: SourceCall,
  ): Reply<void>;
}
export type BeforeRemoval = () => Promise<void>;
export interface FolderRemoval {
  /** It is removed next, with the posts in it. `rest`: the key of an empty folder that goes after it. */
  before(this: void, rest?: string | null): Promise<void>;
  /** Returns the rest of which an earlier attempt has learned; null: there is none. */
  findRest(this: void): Promise<string | null>;
  /**
   * Items of the object that the restore wrote, whose keys begin so: those that the undo has removed
   * or put back, or those that it could not.
   */
  listWritten(
    this: void,
    keysBegin: string,
    isUndone: boolean,
  ): Promise<readonly { readonly key: string; readonly item: StoredItem }[]>;
}
export interface FileOnPath {
  readonly key: string;
  readonly below: number;
}
/** What came of sharing an item again. */
export interface Shared {
  /** Ids of permissions that were added. */
  readonly added: readonly string[];
  /** People who have access again, and links, whose addresses are new. */
  readonly people: number;
  readonly links: number;
  /** What could not be given, and why. */
  readonly lacks: readonly string[];
  /** The item's state afterwards. */
  readonly changeKey: string;
}
/** An object that items go to. */
export interface OpenedObject {
  readonly object: SourceObject;
  /** What has to happen before; null: it is there. */
  readonly plan: string | null;
  /** A new one is created then, which an undo deletes. Absent: no. */
  readonly isNew?: boolean;
}
/** How an object that was deleted comes back before its items are restored. */
export interface LostObject {
  /** Returns the object that items go to. */
  find(object: SourceObject, call: SourceCall, standIns: StandIns): Reply<OpenedObject>;
  /**
   * Brings it back, as the stored settings say, and returns it. May be repeated at any time without
   * a second one. `busy`: it comes later.
   */
  bring(
    object: SourceObject,
    settings: WriteInput['content'],
    call: SourceCall,
    standIns: StandIns,
    recorder: StandInRecorder,
  ): Reply<SourceObject>;
}
/** A group that a restore creates in place of a deleted one. `group`: its id, once it is known. */
export interface StandIn {
  /**
   * Unpredictable, and stored before the group is created: a group with this alias was created by
   * this restore.
   */
  readonly alias: string;
  /** Ids of the people whom the restore makes its owners. */
  readonly owners: readonly string[];
  readonly group: string | null;
}
/** What restores have created in place of a deleted object. Nothing else may stand in for it. */
export interface StandIns {
  /** What this restore has begun to create, and not yet finished. */
  readonly own: StandIn | null;
  /** Ids, those of this restore first, then the latest. */
  readonly created: readonly string[];
  /** Those whose creation had no answer. */
  readonly begun: readonly StandIn[];
  /** This restore has begun to bring the object back. */
  readonly isUnfinished: boolean;
  /** It began so in a version of Daybook whose aliases could be guessed. */
  readonly hasOldAlias: boolean;
}
/** Learns of what stands in for a deleted object before and after it is created, and of the end. */
export interface StandInRecorder {
  /**
   * `begun`: an earlier attempt of this restore. Its alias stays, so that there is one group. Null:
   * another restore may create one by now.
   */
  before(owners: readonly string[], begun: StandIn | null): Promise<StandIn | null>;
  created(standIn: StandIn, group: string): Promise<void>;
  after(key: string): Promise<void>;
}
/**
 * Learns of each folder before it is created, and afterwards. `key` null: somebody else had created
 * it meanwhile.
 */
export interface FolderRecorder {
  before(path: readonly PathPart[]): Promise<void>;
  after(path: readonly PathPart[], key: string | null): Promise<void>;
}
/** Where items go: a folder of an object, as names from the top. */
export interface Place {
  readonly object: SourceObject;
  readonly path: readonly PathPart[];
  /** The stored settings of the object, as old as the backup of the folder. Absent: there are none. */
  readonly settings?: WriteInput['content'];
  /** Of a dry run: the stored members and settings that the restore would put back first. */
  readonly returning?: WriteInput['content'];
  /** Which parts of members and settings a restore writes. Absent: both. */
  readonly teamParts?: RestoreFlags['team'];
}
export interface PathPart {
  readonly name: string;
  /** `inbox` …; of a site's library or list: `library`, `list`. */
  readonly wellKnown: string | null;
  /** Of a library, list or channel in its own place: its key, since its name may have changed. */
  readonly key?: string;
}
export interface FoundObject {
  readonly key: string;
  readonly changeKey: string;
  /** Its content and properties are those of the item version. */
  readonly isSame: boolean;
  /** Its name in the folder, if a restore gives it that of the item version. */
  readonly name?: string;
  /** It has the content of the item version: only its name differs. */
  readonly hasContent?: boolean;
  /**
   * This is another file, which has the name of the item: the item's own file in this folder, under
   * another name; null: it has none.
   */
  readonly own?: FoundObject | null;
  /** Why it can't be replaced. */
  readonly refusal?: string;
}
export interface WriteInput {
  readonly replaces: FoundObject | null;
  /** A name that no other item of the folder has: for files that are kept beside another. */
  readonly keepBoth: boolean;
  /**
   * What was to be written over this item: an earlier attempt to put it back may have done so in part.
   * Absent: there was none.
   */
  readonly undoes?: WriteInput['content'];
  /** For undo: keys of folders that the restore created since it wrote this. Absent: none. */
  readonly created?: readonly string[];
  /** Keys of items that are like this one and belong to other versions of it. Absent: none. */
  readonly others?: readonly string[];
  readonly flags: RestoreFlags;
  /** Reads a part of the item from the repository, checked. */
  readonly content: (as: PartRole, name?: string) => Reply<AsyncIterable<Uint8Array>>;
}
export interface Written {
  readonly key: string;
  readonly changeKey: string;
  /** What the target refused of it, in words. */
  readonly note?: string;
}
