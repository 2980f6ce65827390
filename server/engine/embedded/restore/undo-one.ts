import type { EngineError } from '#contract/engine/engine.ts';
import type { MailFlags } from '#contract/engine/restore-flags.ts';
import { restoreMessages as t } from './messages.en.ts';
import { replacedItem, type ReplacedItem, type WrittenItem } from './restore-one.ts';
import {
  getContent,
  readStored,
  storeStep,
  type ItemEnd,
  type RunningTask,
  type TaskItem,
} from './running-task.ts';
import { readPath } from './tasks.ts';

/**
 * Undoes one item: removes what the restore created, or puts back what it replaced. What changed
 * since then is reported and left (RES-4).
 */
export async function undoOne(task: RunningTask, one: TaskItem): Promise<ItemEnd> {
  const written = one.written as WrittenItem;
  const replaced = one.replaced as ReplacedItem | null;
  const writer = task.target.writerOf(written.object.kind, readStored(task));
  if (writer === null) throw new Error('Written without a writer.');
  const place = { object: written.object, path: readPath(one.path) };
  if (replaced !== null && one.state === 'writing') {
    const found = await writer.find(place, replacedItem(replaced), task);
    if (!found.ok) return ended(task, one, found.error);
    if (found.value?.isSame) {
      // A crash hid the end of an earlier attempt. What the restore wrote may still be beside it.
      const { key } = found.value;
      const removed = key === written.key ? null : await writer.remove(place.object, written, task);
      return removed?.ok === false && removed.error.kind !== 'missing'
        ? ended(task, one, removed.error)
        : finish(task, one, 'restored', t.putBack);
    }
  }
  await storeStep(task, one.n, { state: 'writing' });
  if (replaced !== null) {
    const back = await writer.write(
      place,
      replacedItem(replaced),
      {
        replaces: {
          key: written.key,
          changeKey: written.changeKey,
          isSame: false,
          ...(replaced.item.kind === 'file' && { name: one.item.title }),
        },
        keepBoth: false,
        flags: AS_IT_WAS,
        content: getContent(task, replaced.parts),
      },
      task,
    );
    if (!back.ok && back.error.kind === 'conflict' && !task.postponed.isLastTry)
      return postpone(task, one);
    return back.ok ? finish(task, one, 'restored', t.putBack) : ended(task, one, back.error);
  }
  const removed = await writer.remove(written.object, written, task);
  return removed.ok ? finish(task, one, 'restored', t.removed) : ended(task, one, removed.error);
}

const AS_IT_WAS: MailFlags = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};

/** Another file may have the name until it is undone, too. Nothing was written. */
async function postpone(task: RunningTask, { n }: TaskItem): Promise<ItemEnd> {
  await storeStep(task, n, { state: 'planned' });
  task.postponed.items.add(n);
  return { ok: true, outcome: 'skipped', message: null };
}

async function ended(task: RunningTask, one: TaskItem, error: EngineError): Promise<ItemEnd> {
  switch (error.kind) {
    case 'busy':
    case 'unreachable':
    case 'refused':
      return { ok: false, error };
    case 'conflict':
      return finish(task, one, 'skipped', t.changedSince);
    case 'missing':
      return finish(task, one, 'skipped', t.gone);
    default:
      return finish(task, one, 'failed', error.message);
  }
}

async function finish(
  task: RunningTask,
  { n }: TaskItem,
  outcome: 'restored' | 'skipped' | 'failed',
  message: string,
): Promise<ItemEnd> {
  await storeStep(task, n, { state: 'done', outcome, message });
  return { ok: true, outcome, message };
}
