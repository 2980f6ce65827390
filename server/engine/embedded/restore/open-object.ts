import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { Ms } from '#contract/ids.ts';
import { failed, ok } from '../../result.ts';
import type { OpenedObject, SourceObject, WriteInput, Writer } from '../types.ts';
import { stops } from './created-folders.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { makeContentReader, type RunningTask, type TaskItem } from './running-task.ts';
import {
  claimObject,
  loadStandIns,
  noteWaitForStandIn,
  recordStandIn,
  releaseObject,
} from './stand-ins.ts';

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
  const standIns = await loadStandIns(task, object);
  const found = await lost.find(object, task, standIns);
  if (!found.ok || task.request.input.dryRun) return found;
  // A crash may have left the object half done.
  if (found.value.plan === null && !standIns.isUnfinished) return found;
  if (!(await claimObject(task, object)))
    return failed('busy', t.othersBring, { waitMs: CLAIMED_MS });
  const brought = await bringAlone(task, one, lost, object);
  if (brought.ok) return ok({ object: brought.value, plan: null });
  if (brought.error.kind !== 'busy') return brought;
  const since = await noteWaitForStandIn(task, object);
  return task.clock.now() - since > WAIT_MS ? failed('missing', t.objectNeverCame) : brought;
}

async function bringAlone(
  task: RunningTask,
  one: Pick<TaskItem, 'objectN'>,
  lost: NonNullable<Writer['lost']>,
  object: SourceObject,
): Promise<EngineResult<SourceObject>> {
  const settings = await loadSettings(task, one);
  // Another restore may have brought it back until now.
  const standIns = await loadStandIns(task, object);
  const brought = await lost.bring(object, settings, task, standIns, recordStandIn(task, object));
  // What a request without an answer creates may be seen later: this restore tries again, nobody else.
  if (brought.ok || !stops(brought.error)) await releaseObject(task, object);
  return brought;
}

const CLAIMED_MS: Ms = 10_000;
/** Microsoft 365 brings teams back within hours. */
const WAIT_MS: Ms = 24 * 60 * 60_000;

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
    : makeContentReader({ content }, row.parts);
}
