import { sql } from 'kysely';
import type { EngineError } from '#contract/engine/engine.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { MovedFolder } from '../../shared/task-rows.ts';
import type { Place, Writer } from '../types.ts';
import { stops } from './created-folders.ts';
import { describePlace } from './planned-places.ts';
import type { RunningTask } from './running-task.ts';
import { joinSentences } from './sentences.ts';

/** The maximum number that a dry run lists; its message counts all. */
const MAX_LISTED = 1_000;

/**
 * Adds an empty folder to `moved` if it is somewhere else now, so that a restore creates a new one.
 * `folder`: its key in the backup. Returns why the task has to wait, if it has to.
 */
export async function listIfMoved(
  task: RunningTask,
  writer: Writer,
  place: Place,
  { objectN, folder }: { readonly objectN: number; readonly folder: string },
  moved: MovedFolder[],
): Promise<EngineError | null> {
  if (moved.length >= MAX_LISTED) return null;
  const now = await describePlace(task, folder, writer, place);
  if (!now.ok) return stops(now.error) ? now.error : null;
  if (now.value !== null)
    moved.push({
      object: objectN,
      name: place.path.at(-1)?.name ?? '',
      path: JSON.stringify(place.path.slice(0, -1)),
      message: joinSentences(t.willCreate, now.value),
    });
  return null;
}

/** Stores what a dry run lists beside the items. */
export const storeMoved = (
  { store, tenant, id }: RunningTask,
  moved: readonly MovedFolder[],
): Promise<void> =>
  store.tenant(tenant, async ({ sql: db }) => {
    await sql`
      update engine_task set progress = jsonb_set(progress, '{movedFolders}', ${JSON.stringify(moved)}::text::jsonb)
      where tenant_id = ${tenant} and id = ${id}::uuid`.execute(db);
  });
