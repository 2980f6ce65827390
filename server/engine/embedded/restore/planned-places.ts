import type { Reply } from '#contract/engine/engine.ts';
import type { Place, Writer } from '../types.ts';
import { doOnce } from './do-once.ts';
import { getNames } from './plan.ts';
import type { RunningTask, TaskItem } from './running-task.ts';
import { type BlockedFolder, findBlocked } from './taken-names.ts';
import { nothing, ok } from '../../result.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { Destination } from './look-up-item.ts';

// What a dry run finds out about places, once for all items that go there.

/** Looks what is in the way of a folder. */
export const planBlocked = async (
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  place: Place,
): Reply<BlockedFolder | null> =>
  one.item.kind === 'file'
    ? doOnce(task.blocked, [place.object.id, getNames(place.path)], () =>
        findBlocked(task, one, writer, place),
      )
    : nothing;

/** Finds out whether a channel can be created. */
export async function planFolder(
  task: RunningTask,
  writer: Writer,
  place: Place,
): Reply<string | null> {
  const [top] = place.path;
  const plan = writer.planFolder?.bind(writer);
  return plan === undefined || top === undefined
    ? nothing
    : doOnce(task.channels, [place.object.id, top.name], () => plan(place, task));
}

/**
 * Finds out what an undo does with a post: only a person can delete it (RES-48), unless it goes with
 * the channel or team that the restore creates.
 */
export async function planUndo(
  task: RunningTask,
  { writer, place, plan, isNew }: Destination,
): Reply<typeof t.withoutUndo> {
  if (plan !== null) return ok(isNew ? t.undoneWithTeam : t.withoutUndo);
  const channel = await doOnce(task.channelKeys, [place.object.id, getNames(place.path)], () =>
    writer.findFolder(place, task),
  );
  return channel.ok ? ok(channel.value === null ? t.undoneWithChannel : t.withoutUndo) : channel;
}

/**
 * Says what a place is called now, or where its folder is, if items go back to where they were.
 * `folder`: the key of the folder in the backup.
 */
export async function describePlace(
  task: RunningTask,
  folder: string,
  writer: Writer,
  place: Place,
): Reply<string | null> {
  const { request } = task;
  const isOriginal = request.kind === 'restore' && request.input.target.kind === 'original';
  const describe = writer.describePlace?.bind(writer);
  return describe === undefined || !isOriginal
    ? nothing
    : doOnce(task.places, [place.object.id, folder], () => describe(place, folder, task));
}
