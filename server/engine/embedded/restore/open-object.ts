import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import { failed, ok } from '../../result.ts';
import type { SourceObject, WriteInput, Writer } from '../types.ts';
import { recordFolders } from './created-folders.ts';
import { restoreMessages as t } from './messages.en.ts';
import { getContent, type OpenedObject, type RunningTask, type TaskItem } from './running-task.ts';

/**
 * Returns where the items of an object go. One that was deleted comes back first, once for all its
 * items; a dry run says so.
 */
export async function openObject(
  task: RunningTask,
  one: Pick<TaskItem, 'objectN'>,
  { lost }: Writer,
  object: SourceObject,
): Promise<EngineResult<OpenedObject>> {
  if (lost === undefined) return ok({ object, plan: null });
  const opened = task.objects.get(object.id) ?? open(task, one, lost, object);
  task.objects.set(object.id, opened);
  const result = await opened;
  // What passes is tried again with the next item.
  if (!result.ok && (result.error.kind === 'busy' || result.error.kind === 'unreachable'))
    task.objects.delete(object.id);
  return result;
}

async function open(
  task: RunningTask,
  one: Pick<TaskItem, 'objectN'>,
  lost: NonNullable<Writer['lost']>,
  object: SourceObject,
): Promise<EngineResult<OpenedObject>> {
  if (task.request.kind !== 'restore') throw new Error('Not a restore.');
  const found = await lost.find(object, task);
  if (!found.ok || task.request.input.dryRun) return found;
  // A crash may have left the object half done.
  if (found.value.plan === null && !(await hasBegun(task, object))) return found;
  const settings = await loadSettings(task, one);
  const brought = await lost.bring(object, settings, task, recordFolders(task, object));
  return brought.ok ? ok({ object: brought.value, plan: null }) : brought;
}

const hasBegun = async (
  { store, tenant, id }: RunningTask,
  { kind, id: object }: SourceObject,
): Promise<boolean> =>
  store.tenant(
    tenant,
    async ({ sql: db }) =>
      (await db
        .selectFrom('restore_folder')
        .select('kind')
        .where('tenant_id', '=', tenant)
        .where('task_id', '=', id)
        .where('kind', '=', kind)
        .where('object_id', '=', object)
        .where('path', '=', '[]')
        .where('key', 'is', null)
        .executeTakeFirst()) !== undefined,
    { readOnly: true },
  );

/** The settings of the object at the point of the restore, else the last that there are. */
async function loadSettings(
  { store, tenant, request, content }: RunningTask,
  { objectN }: Pick<TaskItem, 'objectN'>,
): Promise<WriteInput['content']> {
  const folders = request.kind === 'restore' ? request.plan.folders : [];
  const point = folders.find(({ object }) => object === objectN)?.point ?? null;
  const row = await store.tenant(
    tenant,
    async ({ sql: db }) => {
      const { rows } = await sql<{ parts: readonly StoredPart[] }>`
        select parts from item
        where tenant_id = ${tenant} and object_n = ${objectN} and kind = 'settings' and parts <> '[]'
        order by coalesce(from_point <= ${point}::int, true) desc, from_point desc limit 1`.execute(
        db,
      );
      return rows[0];
    },
    { readOnly: true },
  );
  return row === undefined
    ? () => Promise.resolve(failed('missing', t.noContent))
    : getContent({ content }, row.parts);
}
