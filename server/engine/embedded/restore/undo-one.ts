import type { EngineError, Reply } from '#contract/engine/engine.ts';
import type { MailFlags } from '#contract/engine/restore-flags.ts';
import type { FoundObject, Place, SourceObject, StoredItem, Writer } from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { loadFolders } from './created-folders.ts';
import { replacedItem, type ReplacedItem, type WrittenItem } from './replaced-item.ts';
import {
  makeContentReader,
  readStored,
  storeStep,
  type ItemEnd,
  type RunningTask,
  type TaskItem,
} from './running-task.ts';
import { findMoved, findUndoHolder, getTemporaryName, postpone, release } from './taken-names.ts';
import { readPath } from '../../shared/task-rows.ts';
import { nothing } from '../../result.ts';

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
  const isRenamed = replaced?.item.kind === 'file' && replaced.item.title !== one.item.title;
  let { changeKey } = written;
  let moved: FoundObject | null = null;
  const mayBeDone = one.state === 'writing' && replaced?.item.kind !== 'settings';
  if (replaced !== null && (mayBeDone || isRenamed)) {
    const there = await writer.find(place, replacedItem(replaced), task);
    if (!there.ok) return ended(task, one, there.error);
    // Its former name may be another file's.
    const own = there.value?.own?.key === written.key ? there.value.own : there.value;
    if (own?.key === written.key) moved = findMoved(task, one.item, own);
    changeKey = moved?.changeKey ?? changeKey;
    if (own?.isSame && (own.key === written.key || one.state === 'writing')) {
      // A crash hid the end of an earlier attempt. What the restore wrote may still be beside it.
      const { key } = own;
      const removed = key === written.key ? null : await writer.remove(place.object, written, task);
      return removed?.ok === false && removed.error.kind !== 'missing'
        ? ended(task, one, removed.error)
        : finish(task, one, 'restored', t.putBack);
    }
  }
  if (replaced !== null) {
    // Members and settings of a team include the people of its channels.
    const created = replaced.item.kind === 'settings' ? await listCreated(task, place.object) : [];
    await storeStep(task, one.n, { state: 'writing' });
    const back = await writer.write(
      place,
      replacedItem(replaced),
      {
        replaces: {
          key: written.key,
          changeKey,
          isSame: false,
          ...(replaced.item.kind === 'file' && { name: moved?.name ?? one.item.title }),
        },
        keepBoth: false,
        ...(one.state === 'writing' && { undoes: makeContentReader(task, one.item.parts) }),
        created,
        flags: AS_IT_WAS,
        content: makeContentReader(task, replaced.parts),
      },
      task,
    );
    if (!back.ok && back.error.kind === 'conflict') {
      if (!task.postponed.isLastTry)
        return waitForName(task, one, writer, place, { replaced, changeKey, moved });
      if (moved !== null) return giveNameBack(task, one, writer, moved);
    }
    return back.ok ? finish(task, one, 'restored', t.putBack) : ended(task, one, back.error);
  }
  const removed = await writer.remove(written.object, written, task, () =>
    storeStep(task, one.n, { state: 'writing' }),
  );
  // An earlier attempt has found it there and removed it, but got no answer.
  const isRemoved = removed.ok || (one.state === 'writing' && removed.error.kind === 'missing');
  return isRemoved ? finish(task, one, 'restored', t.removed) : ended(task, one, removed.error);
}

/** The keys of the folders that the restore created in an object. */
const listCreated = async (
  task: RunningTask,
  { kind, id }: SourceObject,
): Promise<readonly string[]> =>
  (await loadFolders(task))
    .filter(({ object }) => object.kind === kind && object.id === id)
    .flatMap(({ key }) => key ?? []);

const AS_IT_WAS: MailFlags = {
  markRestoredAsUnread: false,
  excludeDeletedItems: false,
  excludeDrafts: false,
  excludeInPlaceHoldItems: false,
  excludeLitigationHoldItems: false,
};

/**
 * Another file may have the name until it is undone, too. Nothing was written. Of files that wait for
 * each other, one gets a temporary name.
 */
async function waitForName(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  place: Place,
  {
    replaced,
    changeKey,
    moved,
  }: {
    readonly replaced: ReplacedItem;
    readonly changeKey: string;
    readonly moved: FoundObject | null;
  },
): Promise<ItemEnd> {
  const findName = (item: StoredItem): Reply<FoundObject | null> => writer.find(place, item, task);
  const there = await findName(replacedItem(replaced));
  if (!there.ok) return ended(task, one, there.error);
  const own = there.value?.own;
  const { key } = one.written as WrittenItem;
  // Otherwise it was changed since the restore, or nobody has the name any more.
  const isHeld = there.value !== null && own?.key === key && own.changeKey === changeKey;
  const held = isHeld
    ? await findUndoHolder(task, one, there.value?.key ?? '', (next) => {
        const other = next.replaced as ReplacedItem | null;
        return other === null ? Promise.resolve(nothing) : findName(replacedItem(other));
      })
    : NOT_HELD;
  if (!held.ok) return ended(task, one, held.error);
  const { holder, breaksCycle } = held.value;
  if (breaksCycle && own && moved === null && writer.rename !== undefined) {
    const name = getTemporaryName(task, one.item.title, key);
    await storeStep(task, one.n, { state: 'writing' });
    const renamed = await writer.rename(place.object, own, name, task);
    if (!renamed.ok) return ended(task, one, renamed.error);
    const written = { object: place.object, ...renamed.value };
    await storeStep(task, one.n, { state: 'writing', written });
    release(task.postponed, one.n);
  } else await storeStep(task, one.n, { state: 'planned' });
  postpone(task.postponed, one.n, holder?.n ?? null);
  return { ok: true, outcome: 'skipped', message: null };
}
const NOT_HELD = { ok: true, value: { holder: null, breaksCycle: false } } as const;

/** Somebody has the former name of a file that has a temporary one. */
async function giveNameBack(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  moved: FoundObject,
): Promise<ItemEnd> {
  const { object } = one.written as WrittenItem;
  const back = await writer.rename?.(object, moved, one.item.title, task);
  if (back?.ok === true) return finish(task, one, 'skipped', t.changedSince);
  if (back?.ok === false && back.error.kind !== 'conflict') return ended(task, one, back.error);
  const name = moved.name ?? '';
  return finish(task, one, 'failed', t.undoneUnderName({ name }));
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
      await task.onError(error);
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
