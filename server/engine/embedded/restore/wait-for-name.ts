import type { Reply } from '#contract/engine/engine.ts';
import type { FoundObject, SourceObject, Writer } from '../types.ts';
import { done, failed } from '../../result.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { readPath } from '../../shared/task-rows.ts';
import { failItem, finishItem, POSTPONED } from './item-ends.ts';
import { keepFirst, type ReplacedItem, saveReplaced, type WrittenItem } from './replaced-item.ts';
import {
  readStored,
  storeStep,
  type ItemEnd,
  type RunningTask,
  type TaskItem,
} from './running-task.ts';
import {
  type BlockedFolder,
  findMoved,
  getTemporaryName,
  type Located,
  postpone,
  release,
} from './taken-names.ts';

// Items of a restore that wait for the names of others.

/**
 * Postpones an item whose name another file of the task has, until that one has its own. Of files that
 * wait for each other, one gets a temporary name. `free`: nothing is in the way.
 */
export async function waitForName(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  object: SourceObject,
  { found, holder, breaksCycle }: Located,
  isLastLook: boolean,
): Promise<ItemEnd | 'free' | null> {
  if (holder === null) return 'free';
  // It has just got its own name, or could not.
  if (holder.state === 'done')
    return isLastLook ? finishItem(task, one, 'failed', t.nameTaken) : null;
  if (task.postponed.isLastTry) return finishItem(task, one, 'failed', t.nameTaken);
  if (breaksCycle && found !== null && findMoved(task, one.item, found) === null) {
    const moved = await moveAway(task, one, writer, object, found);
    if (!moved.ok)
      return moved.error.kind === 'conflict' && !isLastLook
        ? null
        : failItem(task, one, moved.error);
    release(task.postponed, one.n);
  }
  postpone(task.postponed, one.n, holder.n);
  return POSTPONED;
}

/** The same for an item whose folder can't be created. */
export async function waitForFolder(
  task: RunningTask,
  one: TaskItem,
  { holder }: BlockedFolder,
  isLastLook: boolean,
): Promise<ItemEnd | null> {
  const isDone = holder?.state === 'done';
  if (isDone && !isLastLook) return null;
  if (holder === null || isDone || task.postponed.isLastTry)
    return finishItem(task, one, 'failed', t.folderNameTaken);
  postpone(task.postponed, one.n, holder.n);
  return POSTPONED;
}

/** Gives a file a temporary name. What it was is stored before, so that an undo can take this back. */
async function moveAway(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  object: SourceObject,
  found: FoundObject,
): Reply<void> {
  if (writer.rename === undefined) return failed('unsupported', t.nameTaken);
  const replaced = await saveReplaced(task, object, found);
  if (!replaced.ok) return replaced;
  const { key, changeKey } = found;
  await storeStep(task, one.n, {
    state: 'writing',
    written: { object, key, changeKey },
    replaced: keepFirst(one, replaced.value, false),
  });
  const name = getTemporaryName(task, one.item.title, key);
  const moved = await writer.rename(object, found, name, task);
  if (!moved.ok) return moved;
  await storeStep(task, one.n, { state: 'writing', written: { object, ...moved.value } });
  return done;
}

/** A file that failed under a temporary name gets its former one. */
export async function giveNameBack(
  task: RunningTask,
  one: TaskItem,
  end: ItemEnd & { readonly ok: true },
): Promise<ItemEnd> {
  const written = one.written as WrittenItem | null;
  const replaced = one.replaced as ReplacedItem | null;
  if (written === null || replaced === null || one.item.kind !== 'file') return end;
  const { object } = written;
  const writer = task.target.writerOf(object.kind, readStored(task));
  const place = { object, path: readPath(one.path) };
  const found = await writer?.find(place, one.item, task);
  const moved = found?.ok === true ? findMoved(task, one.item, found.value) : null;
  if (moved === null) return end;
  const back = await writer?.rename?.(object, moved, replaced.item.title, task);
  if (back?.ok === true) {
    await storeStep(task, one.n, { state: 'done', written: null, replaced: null });
    return end;
  }
  const name = moved.name ?? '';
  return finishItem(task, one, 'failed', t.leftUnderName({ message: end.message ?? '', name }));
}
