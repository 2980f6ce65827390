import { sql } from 'kysely';
import type { EngineError, Reply, RestoreInput } from '#contract/engine/engine.ts';
import { ok } from '../../result.ts';
import { readFolders, type IndexedFolder } from '../index/read.ts';
import { isOutlookTop } from '../sources/outlook/keys.ts';
import type { PathPart, Place, SourceObject, Writer } from '../types.ts';
import { loadFolders, stops } from './created-folders.ts';
import { listIfMoved, storeMoved } from './moved-empty-folders.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { getNames, type PlannedFolder } from './plan.ts';
import { ensureFolder } from './restore-one.ts';
import { readStored, type RunningTask } from './running-task.ts';
import { findBlocked } from './taken-names.ts';
import { type MovedFolder, readPath } from '../../shared/task-rows.ts';

/** How the folders ended; or why the task has to wait. */
type FoldersEnd =
  | {
      readonly ok: true;
      /** How many were created, or would be. */
      readonly created: number;
      /** Whether no folder failed. */
      readonly isWhole: boolean;
      readonly message: string | null;
    }
  | { readonly ok: false; readonly error: EngineError };

const EMPTY: FoldersEnd = { ok: true, created: 0, isWhole: true, message: null };

/**
 * Creates the folders that had nothing in them and that the target lacks (RES-93). A dry run counts
 * them, and lists those that are somewhere else now. Called again after a crash, it does what is left
 * and counts all. `onAnswer`: after each folder. Returns null if the task was stopped.
 */
export async function restoreEmptyFolders(
  task: RunningTask,
  {
    onAnswer,
    isStopped,
  }: {
    readonly onAnswer: () => Promise<void>;
    readonly isStopped: () => Promise<boolean>;
  },
): Promise<FoldersEnd | null> {
  const { request } = task;
  if (request.kind !== 'restore' || request.retries !== undefined) return EMPTY;
  // A folder has no other version that could be replaced: what the target lacks is missing.
  if (request.input.select === 'changed') return EMPTY;
  const { dryRun } = request.input;
  const failures: EngineError[] = [];
  // Folders of several objects may become one.
  const planned = new Set<string>();
  const moved: MovedFolder[] = [];
  for (const folders of await findEmptyFolders(task, request.input)) {
    const { object, paths } = folders;
    if (object === null) continue;
    if (!object.ok) {
      if (stops(object.error)) return object;
      await task.onError(object.error);
      failures.push(...paths.map(() => object.error));
      continue;
    }
    const target = object.value;
    const writer = task.target.writerOf(target.kind, readStored(task));
    if (writer === null) continue;
    const missing = new Set<string>();
    const refused = new Set<string>();
    // The upper folders are created with those below them.
    const upper = new Set(paths.map((path) => getNames(path.slice(0, -1))));
    for (const path of dryRun ? paths : paths.filter((one) => !upper.has(getNames(one)))) {
      if (await isStopped()) return null;
      const above = listUpper(path);
      if (above.some((one) => refused.has(getNames(one)))) {
        refused.add(getNames(path));
        continue;
      }
      if (above.some((one) => missing.has(getNames(one)))) {
        missing.add(getNames(path));
        continue;
      }
      const place = { object: target, path };
      const end = dryRun
        ? await planFolder(task, writer, place, folders.objectN)
        : await createFolder(task, writer, place);
      if (!end.ok && stops(end.error)) return end;
      await onAnswer();
      if (!end.ok) {
        await task.onError(end.error);
        failures.push(end.error);
      } else if (end.value.takenDepth !== null) {
        const { takenDepth } = end.value;
        const names = [...above, path].filter((one) => one.length >= takenDepth).map(getNames);
        for (const one of paths.map(getNames)) if (names.includes(one)) refused.add(one);
      } else if (end.value.isMissing) missing.add(getNames(path));
    }
    for (const path of dryRun ? paths.filter((one) => missing.has(getNames(one))) : []) {
      if (await isStopped()) return null;
      const folder = folders.keys.get(getNames(path)) ?? '';
      const about = { objectN: folders.objectN, folder };
      const waiting = await listIfMoved(task, writer, { object: target, path }, about, moved);
      if (waiting !== null) return { ok: false, error: waiting };
      await onAnswer();
    }
    failures.push(...[...refused].map(() => NAME_TAKEN));
    for (const names of dryRun ? missing : await findCreated(task, target, paths))
      planned.add(`${target.kind} ${target.id} ${names.toLowerCase()}`);
  }
  if (dryRun) await storeMoved(task, moved);
  const created = planned.size;
  const messages = [
    created === 0 ? null : (dryRun ? t.willCreateFolders : t.foldersCreated)({ count: created }),
    failures[0] === undefined
      ? null
      : (dryRun ? t.willNotCreateFolders : t.foldersNotCreated)({
          count: failures.length,
          reason: failures[0].message,
        }),
  ].filter((one) => one !== null);
  return {
    ok: true,
    created,
    isWhole: failures.length === 0,
    message: messages.join(' ') || null,
  };
}
const NAME_TAKEN: EngineError = { kind: 'conflict', message: t.nameOfFolderTaken };

/** Paths of the folders above one, from the top. */
const listUpper = (path: readonly PathPart[]): readonly (readonly PathPart[])[] =>
  path.slice(1).map((_, depth) => path.slice(0, depth + 1));

/** `takenDepth`: a file has the name of the folder with this number of names on its path. */
interface FolderEnd {
  readonly isMissing: boolean;
  readonly takenDepth: number | null;
}
const THERE: FolderEnd = { isMissing: false, takenDepth: null };

/** Finds out whether a folder will be created. Items of the same restore may leave its name before. */
async function planFolder(
  task: RunningTask,
  writer: Writer,
  place: Place,
  objectN: number,
): Reply<FolderEnd> {
  const found = await writer.findFolder(place, task);
  if (!found.ok) return found;
  if (found.value !== null) return ok(THERE);
  const blocked = await findBlocked(task, { n: null, objectN }, writer, place);
  if (!blocked.ok) return blocked;
  const takenDepth =
    blocked.value?.holder === null ? place.path.length - blocked.value.below : null;
  return ok({ isMissing: true, takenDepth });
}

async function createFolder(task: RunningTask, writer: Writer, place: Place): Reply<FolderEnd> {
  const ensured = await ensureFolder(task, writer, place);
  if (ensured.ok) return ok(THERE);
  if (ensured.error.kind !== 'conflict') return ensured;
  const file = await writer.findFileOnPath?.(place, task);
  if (file?.ok === false) return file;
  if (file === undefined || file.value === null) return ensured;
  return ok({ isMissing: true, takenDepth: place.path.length - file.value.below });
}

/** The names of the folders that the restore created, also with its items. */
const findCreated = async (
  task: RunningTask,
  { kind, id }: SourceObject,
  paths: readonly (readonly PathPart[])[],
): Promise<readonly string[]> => {
  const wanted = new Set(paths.map(getNames));
  const folders = await loadFolders(task);
  return folders
    .filter(({ object, key }) => key !== null && object.kind === kind && object.id === id)
    .map(({ path }) => getNames(readPath(path)))
    .filter((names) => wanted.has(names));
};

interface EmptyFolders {
  readonly objectN: number;
  /** Null: nothing of it is shown or restored any more. */
  readonly object: Awaited<ReturnType<RunningTask['target']['findObject']>> | null;
  /** The upper ones first. */
  readonly paths: readonly (readonly PathPart[])[];
  /** Their keys in the backup, by their names from the top. */
  readonly keys: ReadonlyMap<string, string>;
}

async function findEmptyFolders(
  task: RunningTask,
  { target, flags }: RestoreInput,
): Promise<readonly EmptyFolders[]> {
  const folders = task.request.kind === 'restore' ? task.request.plan.folders : [];
  const found: EmptyFolders[] = [];
  for (const [n, planned] of Map.groupBy(folders, ({ object }) => object)) {
    const object = await loadObject(task, n);
    // A list is created with its columns, and a channel with its people: with the first item.
    if (object === null || object.kind === 'team') continue;
    const paths = await findPaths(task, n, planned, flags.excludeDeletedItems);
    if (paths.length === 0) continue;
    found.push({
      objectN: n,
      object:
        target.kind === 'original'
          ? ok(object)
          : await task.target.findObject(object.kind, target.object, task),
      paths,
      keys: new Map(planned.map(({ path, key }) => [getNames(path), key])),
    });
  }
  return found;
}

/** Paths of folders of which neither they nor folders below them had items. */
async function findPaths(
  { store, tenant }: RunningTask,
  object: number,
  planned: readonly PlannedFolder[],
  excludesDeleted: boolean,
): Promise<readonly (readonly PathPart[])[]> {
  const [{ point } = { point: 0 }] = planned;
  const keys = planned.map(({ key }) => key);
  const { folders, used } = await store.tenant(
    tenant,
    async (tx) => {
      const { rows } = await sql<{ key: string }>`
        select k.key from unnest(${keys}::text[]) as k(key) where exists (
          select from item as i where i.tenant_id = ${tenant} and i.object_n = ${object} and i.folder_key = k.key
            and i.from_point <= ${point} and (i.to_point is null or i.to_point >= ${point}))`.execute(
        tx.sql,
      );
      return {
        folders: new Map(
          (await readFolders(tx, object, point)).map((folder) => [folder.key, folder]),
        ),
        used: new Set(rows.map(({ key }) => key)),
      };
    },
    { readOnly: true },
  );
  const withItems = new Set(
    planned
      .filter(({ key }) => used.has(key))
      .flatMap(({ path }) => path.map((_, depth) => getNames(path.slice(0, depth + 1)))),
  );
  const paths = new Map(
    planned
      .filter(({ key, isAtPoint }) => isAtPoint && isOwnFolder(folders.get(key)))
      .filter(({ key }) => !excludesDeleted || !isInDeletedItems(folders, key))
      .map(({ path }) => [getNames(path), path] as const)
      .filter(([names, path]) => path.length > 0 && !withItems.has(names)),
  );
  return [...paths.values()].sort((a, b) => a.length - b.length);
}

/** Whether people made the folder. The others are in each mailbox, or need their first item. */
const isOwnFolder = (folder: IndexedFolder | undefined): boolean =>
  folder !== undefined &&
  !isOutlookTop(folder.key) &&
  (folder.wellKnown === null ||
    folder.wellKnown === 'library' ||
    folder.wellKnown === 'calendar-group');

function isInDeletedItems(folders: ReadonlyMap<string, IndexedFolder>, key: string): boolean {
  const seen = new Set<string>();
  for (let at = folders.get(key); at && !seen.has(at.key); at = folders.get(at.parent ?? '')) {
    if (at.wellKnown === 'deleteditems') return true;
    seen.add(at.key);
  }
  return false;
}

async function loadObject({ store, tenant }: RunningTask, n: number): Promise<SourceObject | null> {
  const row = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('backup_object')
        .select(['kind', 'directory_id as id', 'name', 'address'])
        .where('tenant_id', '=', tenant)
        .where('n', '=', n)
        .where('excluded_at', 'is', null)
        .executeTakeFirst(),
    { readOnly: true },
  );
  return row ?? null;
}
