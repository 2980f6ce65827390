import { sql } from 'kysely';
import type { EngineError, RestoreInput } from '#contract/engine/engine.ts';
import { ok } from '../../result.ts';
import { readFolders, type IndexedFolder } from '../index/read.ts';
import { isOutlookTop } from '../sources/outlook/keys.ts';
import type { PathPart, SourceObject } from '../types.ts';
import { loadFolders, stops } from './created-folders.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { getNames, type PlannedFolder } from './plan.ts';
import { ensureFolder } from './restore-one.ts';
import { readStored, type RunningTask } from './running-task.ts';
import { readPath } from '../../shared/task-rows.ts';

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
 * Creates the folders that had nothing in them and that the target lacks (RES-93), or counts them in
 * a dry run. Called again after a crash, it does what is left and counts all. `onAnswer`: after each
 * folder. Returns null if the task was stopped.
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
  let created = 0;
  for (const { object, paths } of await findEmptyFolders(task, request.input)) {
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
    // The upper folders are created with those below them.
    const upper = new Set(paths.map((path) => getNames(path.slice(0, -1))));
    for (const path of dryRun ? paths : paths.filter((one) => !upper.has(getNames(one)))) {
      if (await isStopped()) return null;
      const place = { object: target, path };
      const isBelowMissing = missing.has(getNames(path.slice(0, -1)));
      const end = !dryRun
        ? await ensureFolder(task, writer, place)
        : isBelowMissing
          ? ok(null)
          : await writer.findFolder(place, task);
      if (!end.ok && stops(end.error)) return end;
      if (!isBelowMissing) await onAnswer();
      if (!end.ok) {
        await task.onError(end.error);
        failures.push(end.error);
      } else if (end.value === null) missing.add(getNames(path));
    }
    created += dryRun ? missing.size : await countCreated(task, target, paths);
  }
  const messages = [
    created === 0 ? null : (dryRun ? t.willCreateFolders : t.foldersCreated)({ count: created }),
    failures[0] === undefined
      ? null
      : t.foldersNotCreated({ count: failures.length, reason: failures[0].message }),
  ].filter((one) => one !== null);
  return {
    ok: true,
    created,
    isWhole: failures.length === 0,
    message: messages.join(' ') || null,
  };
}

const countCreated = async (
  task: RunningTask,
  { kind, id }: SourceObject,
  paths: readonly (readonly PathPart[])[],
): Promise<number> => {
  const wanted = new Set(paths.map(getNames));
  const folders = await loadFolders(task);
  return folders.filter(
    ({ object, path, key }) =>
      key !== null &&
      object.kind === kind &&
      object.id === id &&
      wanted.has(getNames(readPath(path))),
  ).length;
};

interface EmptyFolders {
  /** Null: nothing of it is shown or restored any more. */
  readonly object: Awaited<ReturnType<RunningTask['target']['findObject']>> | null;
  /** The upper ones first. */
  readonly paths: readonly (readonly PathPart[])[];
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
      object:
        target.kind === 'original'
          ? ok(object)
          : await task.target.findObject(object.kind, target.object, task),
      paths,
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
