import { sql } from 'kysely';
import type { EngineResult, EngineId, RestoreInput } from '#contract/engine/engine.ts';
import { isImported } from '#contract/engine/imports.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { loadState, type ObjectState } from '../explorer/children.ts';
import type { OpenExplorer } from '../explorer/explorers.ts';
import { isWithinObject, parseNodeId } from '../explorer/node-id.ts';
import { type ChosenVersion, loadChosenVersion, sortVersions } from './chosen-versions.ts';
import { readFolders, type IndexedFolder } from '../index/read.ts';
import { type Failed, failed, ok } from '../../result.ts';
import type { MailboxPart } from '../entra/permissions.ts';
import { isOutlookTop, parseFolderKey, type OutlookTop } from '../sources/outlook/keys.ts';
import { getTop } from '../sources/outlook/places.ts';
import { isChannel } from '../sources/team-listing.ts';
import type { SharingPermission } from '../sources/sharing.ts';
import type { PathPart } from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';

/** Items of one folder that a restore takes, and where they go. */
export interface PlannedFolder {
  readonly object: number;
  /** The object's own number of the state whose items are taken. */
  readonly point: number;
  readonly key: string;
  /** Where the items go, from the top of the target. */
  readonly path: readonly PathPart[];
  readonly isInbox: boolean;
  /** The state has it. Otherwise it had ended before. */
  readonly isAtPoint: boolean;
}
/** A single item that was chosen. `item`: the number of its version. */
export interface PlannedItem {
  readonly object: number;
  readonly item: number;
  readonly path: readonly PathPart[];
  /**
   * How many newer versions of its file the restore takes. Absent: none, so it becomes the file's
   * content. The others become files of their own.
   */
  readonly newer?: number;
}
/** Versions of one item that go to one folder: the numbers of `items`, the newest first. */
export interface PlannedVersions {
  readonly object: number;
  readonly items: readonly number[];
}
/** A folder that others had access to. `object`: the directory's id; null: that of the other place. */
export interface SharedFolder {
  readonly object: string | null;
  readonly path: readonly PathPart[];
  readonly grants: readonly SharingPermission[];
}
export interface Plan {
  readonly folders: readonly PlannedFolder[];
  readonly items: readonly PlannedItem[];
  /** Of items that are no files. Absent from tasks of former versions. */
  readonly versions?: readonly PlannedVersions[];
  /** Absent from tasks of former versions. */
  readonly shared?: readonly SharedFolder[];
}

/**
 * Resolves chosen nodes to folders and items of the explorer's point. A folder that is chosen twice,
 * also by a folder above it, is taken once. So is an item that is chosen with its folder. `findRefusal`:
 * why nothing may be taken from an object.
 */
export async function planRestore(
  tx: TenantTx,
  explorer: OpenExplorer,
  { nodes, within, target }: Pick<RestoreInput, 'nodes' | 'within' | 'target'>,
  findRefusal: (state: ObjectState) => Failed | null = () => null,
): Promise<EngineResult<Plan>> {
  if (nodes.length === 0) return failed('invalid', t.nothingChosen, { field: 'nodes' });
  const folders = new Map<string, PlannedFolder>();
  const items: ChosenItem[] = [];
  const trees = new Map<number, FolderTree>();
  const directoryIds = new Map<number, string>();
  for (const id of new Set<EngineId>(nodes)) {
    const ref = parseNodeId(id);
    const isKnown = ref !== null && isWithinObject(ref, within);
    const state = isKnown ? await loadState(tx, explorer, ref.object) : null;
    if (ref === null || state === null) return failed('missing', t.noNode, { field: 'nodes' });
    const refused = findRefusal(state);
    if (refused !== null) return refused;
    const tree = trees.get(state.n) ?? (await readTree(tx, state));
    trees.set(state.n, tree);
    directoryIds.set(state.n, state.directoryId);
    if (ref.kind === 'item') {
      const version = await loadChosenVersion(tx, state, ref.n);
      if (version === null) return failed('missing', t.noNode, { field: 'nodes' });
      const path = getTargetPath(target, tree.pathOf(version.folder), []);
      items.push({ ...version, planned: { object: state.n, item: ref.n, path } });
      continue;
    }
    const top = ref.kind === 'folder' ? tree.byN(ref.n) : null;
    if (ref.kind === 'folder' && top === undefined)
      return failed('missing', t.noNode, { field: 'nodes' });
    for (const key of top ? tree.below(top.key) : [TOP, ...tree.all()]) {
      const full = tree.pathOf(key);
      const stored = top ? tree.pathOf(top.key).length - 1 : 0;
      folders.set(getFolderId(state.n, key), {
        object: state.n,
        point: state.point,
        key,
        path: getTargetPath(target, full, full.slice(stored)),
        isInbox: tree.isInbox(key),
        isAtPoint: tree.isAtPoint(key),
      });
    }
  }
  return ok({
    // Inbox first (RES-7). Within a folder, the newest items come first.
    folders: [...folders.values()].sort((a, b) => Number(b.isInbox) - Number(a.isInbox)),
    items: planItems(items, folders),
    versions: planVersions(items, folders),
    shared:
      target.kind === 'original'
        ? [...trees].flatMap(([n, tree]) => {
            const paths = [...folders.values(), ...items.map((one) => one.planned)]
              .filter(({ object }) => object === n)
              .map(({ path }) => path);
            return findShared(tree, directoryIds.get(n) ?? '', paths);
          })
        : [...folders.values()].flatMap(({ object, key, path }) => {
            const grants = trees.get(object)?.sharing(key) ?? [];
            return grants.length === 0 ? [] : [{ object: null, path, grants }];
          }),
  });
}

type ChosenItem = ChosenVersion & { readonly planned: PlannedItem };

type PlannedFolders = ReadonlyMap<string, PlannedFolder>;

/** The folder that is chosen and has the item at the point, too. */
const findChosenFolder = (
  { planned, present }: ChosenItem,
  folders: PlannedFolders,
): PlannedFolder | undefined =>
  present === null ? undefined : folders.get(getFolderId(planned.object, present.folder));

/** Leaves out what comes with a chosen folder. */
const listApart = (chosen: readonly ChosenItem[], folders: PlannedFolders): readonly ChosenItem[] =>
  chosen.filter((one) => !one.isAtPoint || findChosenFolder(one, folders) === undefined);

/** Finds the newest of several versions of one file. */
function planItems(chosen: readonly ChosenItem[], folders: PlannedFolders): readonly PlannedItem[] {
  const items = listApart(chosen, folders);
  const files = Map.groupBy(
    items.filter(({ kind }) => kind === 'file'),
    ({ planned, key }) => `${planned.object} ${key}`,
  );
  const newer = new Map<ChosenItem, number>();
  for (const versions of files.values())
    for (const [rank, one] of sortVersions(versions).entries())
      newer.set(one, rank + (findChosenFolder(one, folders) === undefined ? 0 : 1));
  return items.map((one) => {
    const count = newer.get(one) ?? 0;
    return count === 0 ? one.planned : { ...one.planned, newer: count };
  });
}

/** Finds versions of mails, rows and so on that go to one folder, where they could replace each other. */
function planVersions(
  chosen: readonly ChosenItem[],
  folders: PlannedFolders,
): readonly PlannedVersions[] {
  const groups = Map.groupBy(
    listApart(chosen, folders).filter(({ kind }) => kind !== 'file'),
    ({ planned, key }) => JSON.stringify([planned.object, key, getNames(planned.path)]),
  );
  return [...groups.values()].flatMap((versions) => {
    const [newest] = sortVersions(versions);
    if (newest === undefined) return [];
    const { object, path } = newest.planned;
    const folder = findChosenFolder(newest, folders);
    const isWithFolder = folder !== undefined && getNames(folder.path) === getNames(path);
    const present = isWithFolder && newest.present !== null ? [newest.present.n] : [];
    const items = [...present, ...sortVersions(versions).map(({ planned }) => planned.item)];
    return items.length === 1 ? [] : [{ object, items }];
  });
}

/** The shared folders that are on one of the paths. */
function findShared(
  tree: FolderTree,
  object: string,
  paths: readonly (readonly PathPart[])[],
): readonly SharedFolder[] {
  const isOnPath = new Set(
    paths.flatMap((path) => path.map((_, depth) => getNames(path.slice(0, depth + 1)))),
  );
  return tree.shared().flatMap((key) => {
    const path = tree.pathOf(key);
    return isOnPath.has(getNames(path)) ? [{ object, path, grants: tree.sharing(key) }] : [];
  });
}

/** Names of folders from the top, as one text. */
export const getNames = (path: readonly PathPart[]): string =>
  JSON.stringify(path.map(({ name }) => name));

const getFolderId = (object: number, key: string): string => `${object} ${key}`;

/** An imported mailbox is in no tenant, so nothing can go back to it. */
export const refuseImported =
  ({ kind }: RestoreInput['target']) =>
  ({ directoryId }: ObjectState): Failed | null =>
    kind === 'original' && isImported(directoryId) ? failed('conflict', t.importedOriginal) : null;

/** Returns the parts of mailboxes that a plan writes to. Only folders below the three tops hold items. */
export const findMailboxParts = ({ folders, items }: Plan): readonly MailboxPart[] => [
  ...new Set([
    ...folders
      .filter(({ key }) => !isOutlookTop(key))
      .map(({ key }) => parseFolderKey(key)?.top ?? 'mails'),
    ...items.map(({ path }) => getTop(path) ?? 'mails'),
  ]),
];

/** Files of a drive that are in no folder. */
const TOP = '';

/** `full`: the path in the original place. `stored`: what of it stays below a folder that was named. */
function getTargetPath(
  target: RestoreInput['target'],
  full: readonly PathPart[],
  stored: readonly PathPart[],
): readonly PathPart[] {
  if (target.kind === 'original' || target.folder === null) return full;
  const named = target.folder
    .split('/')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => ({ name, wellKnown: null }));
  const part = full[0]?.wellKnown ?? null;
  // Below a named folder nothing is an Inbox any more.
  const below = stored
    .filter((one) => one !== full[0] || !isOutlookTop(part))
    .map(({ name }) => ({ name, wellKnown: null }));
  // Calendars, contacts and tasks are not in mail folders.
  if (full[0] && isOutlookTop(part)) return [full[0], ...getShort([...named, ...below], part)];
  const [first, ...others] = named;
  if (!isSitePart(part) || first === undefined) return [...named, ...below];
  // In a site, the first name is that of a library or list. Rows are in no folder.
  const top = { ...first, wellKnown: part };
  return part === 'list' ? [top] : [top, ...others, ...below];
}

/** Calendars are in one group at most, and task lists in nothing. */
function getShort(path: readonly PathPart[], top: OutlookTop): readonly PathPart[] {
  const depth = { calendars: 2, contacts: Infinity, tasks: 1 }[top];
  const upper = path.slice(0, Math.max(1, path.length - depth + 1)).map(({ name }) => name);
  const short = [{ name: upper.join(' / '), wellKnown: null }, ...path.slice(upper.length)];
  const [group, calendar] = short;
  return top === 'calendars' && group && calendar
    ? [{ ...group, wellKnown: 'calendar-group' }, calendar]
    : short;
}

const isSitePart = (wellKnown: string | null): boolean =>
  wellKnown === 'library' || wellKnown === 'list';

interface FolderTree {
  all(): readonly string[];
  byN(n: number): IndexedFolder | undefined;
  /** The folder and everything below it. */
  below(key: string): readonly string[];
  pathOf(key: string): readonly PathPart[];
  isInbox(key: string): boolean;
  isAtPoint(key: string): boolean;
  /** Who a folder is shared with, and the folders that are. */
  sharing(key: string): readonly SharingPermission[];
  shared(): readonly string[];
}

/** Folders of the point, and those that ended before it: deleted items lie in them. */
async function readTree(tx: TenantTx, state: ObjectState): Promise<FolderTree> {
  const now = await readFolders(tx, state.n, state.point);
  const byKey = new Map(now.map((folder) => [folder.key, folder]));
  const present = new Set(byKey.keys());
  for (const folder of await endedFolders(tx, state))
    if (!byKey.has(folder.key)) byKey.set(folder.key, folder);
  const chain = (key: string): IndexedFolder[] => {
    const parts: IndexedFolder[] = [];
    const seen = new Set<string>();
    for (let at = byKey.get(key); at && !seen.has(at.key); at = byKey.get(at.parent ?? '')) {
      seen.add(at.key);
      parts.unshift(at);
    }
    return parts;
  };
  return {
    all: () => now.map(({ key }) => key),
    byN: (n) => [...byKey.values()].find((folder) => folder.n === n),
    below: (key) => [...byKey.keys()].filter((one) => chain(one).some((part) => part.key === key)),
    pathOf: (key) =>
      chain(key).map(({ name, wellKnown, key: own }) => ({
        name,
        wellKnown,
        ...((isSitePart(wellKnown) || isChannel(wellKnown)) && { key: own }),
      })),
    isInbox: (key) => chain(key).some(({ wellKnown }) => wellKnown === 'inbox'),
    isAtPoint: (key) => present.has(key),
    sharing: (key) => byKey.get(key)?.sharing ?? [],
    shared: () => [...byKey.values()].filter(({ sharing }) => sharing).map(({ key }) => key),
  };
}

/** The last version of each folder that ended before the point. */
async function endedFolders(
  { sql: db, tenant }: TenantTx,
  { n, point }: ObjectState,
): Promise<readonly IndexedFolder[]> {
  const { rows } = await sql<IndexedFolder>`
    select distinct on (key) n, key, parent_key as parent, name, well_known as "wellKnown", from_point as "fromPoint", sharing from folder
    where tenant_id = ${tenant} and object_n = ${n} and from_point <= ${point} and to_point < ${point}
    order by key, from_point desc`.execute(db);
  return rows;
}
