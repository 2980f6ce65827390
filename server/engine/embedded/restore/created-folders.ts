import type { EngineError } from '#contract/engine/engine.ts';
import type { FolderRecorder, SourceObject } from '../types.ts';
import { readStored, type RunningTask } from './running-task.ts';
import { getTeamKey } from '../sources/deleted-team.ts';
import { loadStandIns } from './stand-ins.ts';
import { readPath } from '../../shared/task-rows.ts';
import type { TaskId } from '#contract/ids.ts';

/** Stores the place of each folder before a restore creates it, and its key afterwards (RES-5). */
export function recordFolders(
  { store, tenant, id }: RunningTask,
  object: SourceObject,
): FolderRecorder {
  const { kind, id: objectId } = object;
  return {
    before: (path) =>
      store.tenant(tenant, async ({ sql: db }) => {
        await db
          .insertInto('restore_folder')
          .values({
            tenant_id: tenant,
            task_id: id,
            kind,
            object_id: objectId,
            path: JSON.stringify(path),
            object: JSON.stringify(object),
            key: null,
          })
          .onConflict((on) => on.doNothing())
          .execute();
      }),
    after: (path, key) =>
      store.tenant(tenant, async ({ sql: db }) => {
        const place = JSON.stringify(path);
        if (key === null)
          // Another item of this restore may have created it.
          await db
            .deleteFrom('restore_folder')
            .where('tenant_id', '=', tenant)
            .where('task_id', '=', id)
            .where('kind', '=', kind)
            .where('object_id', '=', objectId)
            .where('path', '=', place)
            .where('key', 'is', null)
            .execute();
        else
          await db
            .insertInto('restore_folder')
            .values({
              tenant_id: tenant,
              task_id: id,
              kind,
              object_id: objectId,
              path: place,
              object: JSON.stringify(object),
              key,
            })
            .onConflict((on) =>
              on
                .columns(['tenant_id', 'task_id', 'kind', 'object_id', 'path'])
                .doUpdateSet({ key }),
            )
            .execute();
      }),
  };
}

export interface CreatedFolder {
  readonly object: SourceObject;
  readonly path: string;
  readonly key: string | null;
  readonly sharing: FolderSharing | null;
}
/** What a created folder was shared with again, by the ids of permissions, and what it lacks. */
export interface FolderSharing {
  readonly added: readonly string[];
  readonly lacks: readonly string[];
}

/** The folders of the restore that a task runs or undoes, the deepest first. */
export async function loadFolders({
  store,
  tenant,
  id,
  request,
}: RunningTask): Promise<CreatedFolder[]> {
  const rows = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('restore_folder')
        .select(['object', 'path', 'key', 'sharing'])
        .where('tenant_id', '=', tenant)
        .where('task_id', '=', getRestore(id, request))
        .execute(),
    { readOnly: true },
  );
  return rows
    .map(({ object, sharing, ...row }) => ({
      ...row,
      object: object as SourceObject,
      sharing: sharing as FolderSharing | null,
    }))
    .sort((a, b) => readPath(b.path).length - readPath(a.path).length);
}

const getRestore = (id: TaskId, request: RunningTask['request']): TaskId =>
  request.kind === 'undo' ? request.task : id;

/**
 * Finds the keys of folders that an interrupted restore may have created. Returns why the task has
 * to wait, if it has to.
 */
export async function findCreatedFolders(task: RunningTask): Promise<EngineError | null> {
  const folders = await loadFolders(task);
  for (const { object, path, key } of folders.toReversed()) {
    if (key !== null) continue;
    const place = { object, path: readPath(path) };
    const writer = task.target.writerOf(object.kind, readStored(task));
    if (place.path.length === 0) {
      // A restore finds it again before the first item of the object.
      if (task.request.kind !== 'undo' || writer?.lost === undefined) continue;
      const now = await writer.lost.find(object, task, await loadStandIns(task, object));
      if (!now.ok && stops(now.error)) return now.error;
      if (!now.ok || now.value.plan !== null || now.value.object.id === object.id) continue;
      const restore = { ...task, id: task.request.task };
      await recordFolders(restore, object).after([], getTeamKey(now.value.object.id));
      continue;
    }
    const found = await writer?.findFolder(place, task);
    if (found?.ok === false && stops(found.error)) return found.error;
    if (found?.ok !== true || found.value === null) continue;
    const restore = { ...task, id: getRestore(task.id, task.request) };
    await recordFolders(restore, object).after(place.path, found.value);
  }
  return null;
}

export const stops = ({ kind }: EngineError): boolean =>
  kind === 'busy' || kind === 'unreachable' || kind === 'refused';
