import { sql } from 'kysely';
import type { EngineError } from '#contract/engine/engine.ts';
import { type CreatedFolder, loadFolders, stops } from './created-folders.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { getNames, type SharedFolder } from './plan.ts';
import { readStored, type RunningTask } from './running-task.ts';
import { announce, describeLacks, shareAgain } from './sharing.ts';
import { readPath } from '../../shared/task-rows.ts';
import type { SourceObject } from '../types.ts';

/** A sentence about the folders, or why the task has to wait. */
type FoldersEnd =
  | { readonly ok: true; readonly message: string | null }
  | { readonly ok: false; readonly error: EngineError };

const EMPTY: FoldersEnd = { ok: true, message: null };

/**
 * Ends a restore of files: shares the folders that it created as their backup was (RES-6), or says
 * in a dry run which would be. Called again after a crash, it does what is left.
 */
export async function shareFolders(task: RunningTask): Promise<FoldersEnd> {
  const { request } = task;
  if (request.kind !== 'restore') return EMPTY;
  const shared = request.plan.shared ?? [];
  if (shared.length === 0) return EMPTY;
  if (request.input.dryRun)
    return announceFolders(task, shared, request.input.flags.permissions === true);
  if (request.input.flags.permissions !== true) return EMPTY;
  const lacking: string[] = [];
  for (const folder of await loadFolders(task)) {
    const { key, sharing } = folder;
    if (key === null) continue;
    const lacks = sharing?.lacks ?? (await shareFolder(task, { ...folder, key }, shared));
    if (!('length' in lacks)) return { ok: false, error: lacks };
    if (lacks.length > 0) lacking.push(describeFolder(folder.path, describeLacks(lacks)));
  }
  return lacking.length === 0
    ? EMPTY
    : { ok: true, message: t.foldersNotShared({ names: lacking.slice(0, MAX_NAMED).join(' ') }) };
}
/** More would make the message too long. */
const MAX_NAMED = 10;

/** Returns what a folder lacks, or why the task has to wait. */
async function shareFolder(
  task: RunningTask,
  { object, path, key }: CreatedFolder & { readonly key: string },
  shared: readonly SharedFolder[],
): Promise<readonly string[] | EngineError> {
  const grants = findGrants(shared, object, path);
  const writer = task.target.writerOf(object.kind, readStored(task));
  if (grants.length === 0 || writer === null) return [];
  const given = await shareAgain(task, writer, object, { key, changeKey: '' }, grants);
  if (!given.ok) return given.error;
  const { added, lacks } = given.value;
  await task.store.tenant(task.tenant, ({ sql: db }) =>
    db
      .updateTable('restore_folder')
      .set({ sharing: JSON.stringify({ added, lacks }) })
      .where('tenant_id', '=', task.tenant)
      .where('task_id', '=', task.id)
      .where('kind', '=', object.kind)
      .where('object_id', '=', object.id)
      .where('path', '=', path)
      .execute(),
  );
  return lacks;
}

const findGrants = (shared: readonly SharedFolder[], { id }: SourceObject, path: string) =>
  shared
    .filter((one) => one.object === null || one.object === id)
    .filter((one) => getNames(one.path) === getNames(readPath(path)))
    .flatMap(({ grants }) => grants);

/** `Projects/Plans: …` */
const describeFolder = (path: string, what: string): string =>
  t.folderOf({
    folder: readPath(path)
      .map(({ name }) => name)
      .join('/'),
    what,
  });

/** Says which folders the target lacks, and what will come of their sharing. */
async function announceFolders(
  task: RunningTask,
  shared: readonly SharedFolder[],
  isWanted: boolean,
): Promise<FoldersEnd> {
  const { request } = task;
  if (request.kind !== 'restore') return EMPTY;
  const objects = await loadTargets(task);
  const missing: string[] = [];
  for (const { object: id, path, grants } of shared) {
    const object = id === null ? objects[0] : objects.find((one) => one.id === id);
    if (object === undefined) continue;
    const writer = task.target.writerOf(object.kind, readStored(task));
    const found = await writer?.findFolder({ object, path }, task);
    if (found?.ok === false && stops(found.error)) return { ok: false, error: found.error };
    if (found?.ok === true && found.value === null)
      missing.push(
        describeFolder(JSON.stringify(path), announce(grants, isWanted, task.clock.now())),
      );
    if (missing.length === MAX_NAMED) break;
  }
  return missing.length === 0
    ? EMPTY
    : { ok: true, message: t.foldersAnnounced({ names: missing.join(' ') }) };
}

/** The drives or sites that the items go to. */
async function loadTargets(task: RunningTask): Promise<readonly SourceObject[]> {
  const { request, store, tenant, id } = task;
  // Empty folders have no items.
  const planned =
    request.kind === 'restore' ? request.plan.folders.map(({ object }) => object) : [];
  const rows = await store.tenant(
    tenant,
    async ({ sql: db }) =>
      (
        await sql<SourceObject>`
          select o.kind, o.directory_id as id, o.name, o.address from backup_object as o
          where o.tenant_id = ${tenant} and o.excluded_at is null and (
            o.n = any(${[...new Set(planned)]}::bigint[])
            or o.n in (select object_n from restore_item where tenant_id = ${tenant} and task_id = ${id}::uuid))
          order by o.n`.execute(db)
      ).rows,
    { readOnly: true },
  );
  const [first] = rows;
  if (request.kind !== 'restore' || request.input.target.kind === 'original' || !first) return rows;
  const other = await task.target.findObject(first.kind, request.input.target.object, task);
  return other.ok ? [other.value] : [];
}
