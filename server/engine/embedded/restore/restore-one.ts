import type { EngineError, Reply, RestoreInput } from '#contract/engine/engine.ts';
import type { FoundObject, Place, SourceObject, StoredItem, Writer } from '../types.ts';
import { done, failed } from '../../result.ts';
import { graphMessages } from '../graph/messages.en.ts';
import { recordFolders } from './created-folders.ts';
import { openObject } from './open-object.ts';
import { decideWrite } from './decide.ts';
import { doOnce } from './do-once.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { announce, joinSentences, readStoredGrants, shareAgain } from './sharing.ts';
import {
  makeContentReader,
  readStored,
  storeStep,
  type ItemEnd,
  type RunningTask,
  type TaskItem,
} from './running-task.ts';
import {
  findCopyBeside,
  findKeysOfNewer,
  findUnwrittenNewer,
  loadItemVersions,
} from './item-versions.ts';
import { describePlace, planBlocked, planFolder } from './planned-places.ts';
import { keepFirst, type ReplacedItem, saveReplaced, type WrittenItem } from './replaced-item.ts';
import { findUnwrittenNumber } from './same-names.ts';
import { getSettingsAt } from './stored-settings.ts';
import {
  type BlockedFolder,
  findBlocked,
  findMoved,
  getTemporaryName,
  type Located,
  locate,
  postpone,
  release,
} from './taken-names.ts';
import { readPath } from '../../shared/task-rows.ts';
import {
  type BegunVersion,
  findBegun,
  loadEarlierVersions,
  withVersions,
  writeVersions,
} from './versions.ts';

/** How often a place is looked at that others change before the item is written there. */
const MAX_LOOKS = 3;

/**
 * Restores one item, or says what would happen. Every item ends restored, merged, skipped or failed
 * (RES-3). Only an error that concerns the whole task is returned as one.
 */
export async function restoreOne(task: RunningTask, one: TaskItem): Promise<ItemEnd> {
  for (let looks = 1; ; looks++) {
    const end = await restoreAsFound(task, one, looks === MAX_LOOKS);
    if (end === null) continue;
    return end.ok && end.outcome === 'failed' ? giveNameBack(task, one, end) : end;
  }
}

/** Returns null if somebody, such as another restore, has changed the place since it was looked at. */
async function restoreAsFound(
  task: RunningTask,
  one: TaskItem,
  isLastLook: boolean,
): Promise<ItemEnd | null> {
  if (task.request.kind !== 'restore') throw new Error('Not a restore.');
  const { input } = task.request;
  const excluded = exclusion(input, one);
  if (excluded !== null)
    return { ...(await finish(task, one, 'skipped', excluded)), isLocal: true };
  if (one.item.parts.length === 0)
    return { ...(await finish(task, one, 'failed', t.noContent)), isLocal: true };
  const object = await loadObject(task, input, one);
  if (!object.ok) return problem(task, one, object.error);
  const writer = task.target.writerOf(object.value.kind, readStored(task));
  if (writer === null) return finish(task, one, 'failed', t.noContent);
  const opened = await openObject(task, one, writer, object.value);
  if (!opened.ok) return problem(task, one, opened.error);
  const { plan } = opened.value;
  const path = readPath(one.path);
  const settings = getSettingsAt(task, one.objectN, path);
  const { team: teamParts } = input.flags;
  const place: Place = {
    object: opened.value.object,
    path,
    settings,
    ...(teamParts !== undefined && { teamParts }),
  };
  const versions = await loadItemVersions(task, one);
  const item = versions?.item ?? one.item;
  const newer = versions?.newer ?? [];
  const isEarlier = newer.length > 0;
  if (isEarlier && one.item.kind === 'settings')
    return finish(task, one, 'skipped', t.newerRestored);
  const unwritten = isEarlier && !input.dryRun ? await findUnwrittenNewer(task, one, newer) : null;
  if (unwritten !== null && !task.postponed.isLastTry) {
    postpone(task.postponed, one.n, unwritten);
    return POSTPONED;
  }
  const taken =
    isEarlier && plan === null ? await findKeysOfNewer(task, writer, place, newer) : NO_KEYS;
  if (!taken.ok) return problem(task, one, taken.error);
  const locateItem = (version: StoredItem) =>
    locate(task, { ...one, item: version }, writer, place);
  const located = plan === null && !isEarlier ? await locateItem(item) : NOWHERE;
  if (!located.ok) return problem(task, one, located.error);
  const { found } = located.value;
  const isBeside = one.state === 'writing-copy';
  const onConflict = getConflict(input, one, found);
  // What an interrupted attempt has written beside the item may be what was found.
  const isCopy = isBeside && found?.isSame === true && found.key !== item.key;
  const others = found === null ? taken.value : isCopy ? [] : [found.key];
  const findCopy = (version: StoredItem) =>
    isEarlier
      ? findCopyBeside(task, writer, place, version, others)
      : writer.findCopy(place, version, others, task);
  const copy =
    (isEarlier && plan === null) ||
    isBeside ||
    (onConflict === 'keep-both' && found?.isSame === false)
      ? await findCopy(item)
      : NOT_FOUND;
  if (!copy.ok) return problem(task, one, copy.error);
  // A crash hid the end of an earlier attempt: if the item is there, that attempt succeeded (RES-5).
  const own = isBeside ? copy.value : found;
  if (one.state !== 'planned' && own?.isSame)
    return endInterrupted(task, one, writer, place.object, own);
  const earlier = await loadEarlierVersions(task, one);
  const begun =
    one.state === 'planned'
      ? NOT_FOUND
      : await findBegun(
          earlier,
          isBeside
            ? findCopy
            : async (version) => {
                const begunAt = await locateItem(version);
                return begunAt.ok ? { ok: true, value: begunAt.value.found } : begunAt;
              },
        );
  if (!begun.ok) return problem(task, one, begun.error);
  if (begun.value !== null) return goOn(task, one, writer, place, earlier, begun.value);
  const { kind } = one.item;
  const asItem = decideWrite({ ...input, onConflict }, copy.value ?? found, kind);
  const decision = isEarlier && asItem.do === 'write' ? { ...asItem, keepBoth: true } : asItem;
  if (decision.do === 'skip') {
    // The file is still there, but its channel was removed: the channel is created again.
    if (found !== null && !input.dryRun && input.select !== 'changed' && kind === 'file') {
      const folder = writer.mayLackFolder?.(place) ? await ensureFolder(task, writer, place) : done;
      if (!folder.ok) return problem(task, one, folder.error);
    }
    return finish(task, one, decision.outcome, decision.message);
  }
  const refusal = decision.replaces?.refusal;
  if (refusal !== undefined) return finish(task, one, 'failed', refusal);
  const loss = await writer.describeLoss?.(one.item, makeContentReader(task, one.item.parts));
  if (loss?.ok === false) return problem(task, one, loss.error);
  const withLoss = (message: string): string =>
    withNumber(loss?.value == null ? message : t.withLoss({ message, loss: loss.value }), one);
  if (input.dryRun) {
    const folder = await planFolder(task, writer, place);
    if (!folder.ok) return problem(task, one, folder.error);
    const blocked =
      found === null && plan === null ? await planBlocked(task, one, writer, place) : NOT_FOUND;
    if (!blocked.ok) return problem(task, one, blocked.error);
    if (blocked.value?.holder === null) return finish(task, one, 'failed', t.folderNameTaken);
    const plannedVersions = withVersions(decision.plan, earlier.length);
    // Graph lets nobody set them (RES-6).
    const planned =
      earlier.length === 0 ? plannedVersions : t.withNewDates({ message: plannedVersions });
    const whole = plan === null ? planned : t.afterObject({ plan, message: planned });
    // RES-48: nothing but a person can delete a post.
    const named = withOtherName(whole, decision.replaces?.name, one.item, t.hasOtherName);
    const message = withLoss(kind === 'post' ? t.withoutUndo({ message: named }) : named);
    // RES-6: who gets access again, and who does not.
    const grants = decision.outcome === 'restored' ? await readStoredGrants(task, one.item) : [];
    const sharing = announce(grants, input.flags.permissions === true, task.clock.now());
    const now = plan === null ? await describePlace(task, one, writer, place) : NOT_FOUND;
    if (!now.ok) return problem(task, one, now.error);
    const announced = joinSentences(message, sharing);
    return finish(task, one, decision.outcome, joinSentences(announced, now.value ?? ''));
  }
  const waits = await waitForName(task, one, writer, place.object, located.value, isLastLook);
  if (waits !== 'free') return waits;
  const before = decision.keepBoth ? await findUnwrittenNumber(task, one) : null;
  if (before !== null && !task.postponed.isLastTry) {
    postpone(task.postponed, one.n, before);
    return POSTPONED;
  }
  const { id } = object.value;
  if (one.item.bytes >= (task.full.get(id) ?? Infinity))
    return finish(task, one, 'failed', graphMessages.quota);
  const folder = await ensureFolder(task, writer, place);
  if (!folder.ok && folder.error.kind === 'conflict') {
    const blocked = await findBlocked(task, one, writer, place);
    if (!blocked.ok) return problem(task, one, blocked.error);
    if (blocked.value !== null) return waitForFolder(task, one, blocked.value, isLastLook);
  }
  if (!folder.ok) return problem(task, one, folder.error);
  const replaced = await saveReplaced(task, place.object, decision.replaces);
  if (!replaced.ok)
    return passes(replaced.error)
      ? { ok: false, error: replaced.error }
      : finish(task, one, 'failed', t.notReplaceable({ reason: replaced.error.message }));
  const state = decision.keepBoth ? 'writing-copy' : 'writing';
  const moved = findMoved(task, one.item, decision.replaces);
  const first = keepFirst(one, replaced.value, moved !== null);
  await storeStep(task, one.n, {
    state,
    written: moved === null ? null : one.written,
    replaced: first,
  });
  const written = await writeVersions(task, one, writer, place, {
    state,
    versions: [...earlier, item],
    replaces: decision.replaces,
    keepBoth: decision.keepBoth,
    others,
  });
  if (!written.ok && written.error.kind === 'full')
    task.full.set(id, Math.min(one.item.bytes, task.full.get(id) ?? Infinity));
  if (!written.ok && written.error.kind === 'conflict' && !decision.keepBoth && !isLastLook)
    return null;
  if (!written.ok) return problem(task, one, written.error);
  const { note } = written.value;
  const formerName = first?.item.kind === 'file' ? first.item.title : undefined;
  const named = withOtherName(decision.message, formerName, one.item, t.hadOtherName);
  const base = withVersions(named, earlier.length);
  const message = withLoss(note === undefined ? base : t.withLoss({ message: base, loss: note }));
  return finishWritten(task, one, writer, { outcome: decision.outcome, message }, written.value);
}

/** An earlier attempt has written some versions of a file: the others follow. */
async function goOn(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  place: Place,
  earlier: readonly StoredItem[],
  { count, found }: BegunVersion,
): Promise<ItemEnd> {
  const written = await writeVersions(task, one, writer, place, {
    state: one.state,
    versions: [...earlier.slice(count), one.item],
    replaces: found,
    keepBoth: false,
  });
  if (!written.ok) return problem(task, one, written.error);
  const [outcome, message] =
    one.replaced === null
      ? (['restored', getCreated(one)] as const)
      : (['merged', t.replaced] as const);
  const end = { outcome, message: withVersions(message, earlier.length) };
  return finishWritten(task, one, writer, end, written.value);
}

/** An earlier attempt has written the item. What it was to replace may still be beside it. */
async function endInterrupted(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  object: SourceObject,
  { key, changeKey }: FoundObject,
): Promise<ItemEnd> {
  const written = { object, key, changeKey };
  const replaced = one.replaced as ReplacedItem | null;
  if (replaced === null)
    return finishWritten(
      task,
      one,
      writer,
      { outcome: 'restored', message: getCreated(one) },
      written,
    );
  if (replaced.item.key !== key) {
    const removed = await writer.remove(object, replaced.item, task);
    if (!removed.ok && passes(removed.error)) return { ok: false, error: removed.error };
  }
  return finishWritten(task, one, writer, { outcome: 'merged', message: t.replaced }, written);
}

const getCreated = (one: TaskItem): string =>
  withNumber(one.state === 'writing-copy' && !isOlder(one) ? t.keptBoth : t.created, one);

/** Says which name an item gets if another one of the restore has its own, or why it is beside a newer version. */
const withNumber = (message: string, one: TaskItem): string =>
  one.isNumbered === true
    ? t.numbered({ message, name: one.item.title })
    : isOlder(one)
      ? t.besideNewer({ message })
      : message;

const isOlder = ({ item, versions }: TaskItem): boolean =>
  versions !== undefined && versions.indexOf(item.n) > 0;

/**
 * What has a numbered name in the target may be anything, and is not replaced. Members and settings are
 * in a team once: nothing can be created beside them.
 */
function getConflict(
  { onConflict }: RestoreInput,
  { isNumbered, item }: TaskItem,
  found: FoundObject | null,
): RestoreInput['onConflict'] {
  if (item.kind === 'settings' && onConflict === 'keep-both') return 'replace';
  const isOther = isNumbered === true && found?.key !== item.key;
  return isOther && onConflict === 'replace' ? 'keep-both' : onConflict;
}
const NOT_FOUND = { ok: true, value: null } as const;
const NO_KEYS: Awaited<ReturnType<typeof findKeysOfNewer>> = { ok: true, value: [] };
const NOWHERE = { ok: true, value: { found: null, holder: null, breaksCycle: false } } as const;

/** Says under which other name a file is replaced. */
const withOtherName = (
  message: string,
  name: string | undefined,
  { title }: StoredItem,
  say: typeof t.hasOtherName,
): string => (name === undefined || name === title ? message : say({ message, name }));

/**
 * Postpones an item whose name another file of the task has, until that one has its own. Of files that
 * wait for each other, one gets a temporary name. `free`: nothing is in the way.
 */
async function waitForName(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  object: SourceObject,
  { found, holder, breaksCycle }: Located,
  isLastLook: boolean,
): Promise<ItemEnd | 'free' | null> {
  if (holder === null) return 'free';
  // It has just got its own name, or could not.
  if (holder.state === 'done') return isLastLook ? finish(task, one, 'failed', t.nameTaken) : null;
  if (task.postponed.isLastTry) return finish(task, one, 'failed', t.nameTaken);
  if (breaksCycle && found !== null && findMoved(task, one.item, found) === null) {
    const moved = await moveAway(task, one, writer, object, found);
    if (!moved.ok)
      return moved.error.kind === 'conflict' && !isLastLook
        ? null
        : problem(task, one, moved.error);
    release(task.postponed, one.n);
  }
  postpone(task.postponed, one.n, holder.n);
  return POSTPONED;
}
/** The same for an item whose folder can't be created. */
async function waitForFolder(
  task: RunningTask,
  one: TaskItem,
  { holder }: BlockedFolder,
  isLastLook: boolean,
): Promise<ItemEnd | null> {
  const isDone = holder?.state === 'done';
  if (isDone && !isLastLook) return null;
  if (holder === null || isDone || task.postponed.isLastTry)
    return finish(task, one, 'failed', t.folderNameTaken);
  postpone(task.postponed, one.n, holder.n);
  return POSTPONED;
}

const POSTPONED: ItemEnd = { ok: true, outcome: 'skipped', message: null };

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
async function giveNameBack(
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
  return finish(task, one, 'failed', t.leftUnderName({ message: end.message ?? '', name }));
}

/** Makes sure of a folder, once for all items that go there. */
export const ensureFolder = (
  task: RunningTask,
  writer: Writer,
  place: Place,
): ReturnType<Writer['ensureFolder']> =>
  doOnce(task.folders, [place.object.id, place.path.map(({ name }) => name)], () =>
    writer.ensureFolder(place, task, recordFolders(task, place.object)),
  );

function exclusion({ flags }: RestoreInput, { item, isInDeletedItems }: TaskItem): string | null {
  if (flags.excludeDrafts && item.flags.draft === true) return t.draft;
  if (flags.excludeDeletedItems && isInDeletedItems) return t.deletedItem;
  if (item.kind === 'settings' && flags.team?.members === false && !flags.team.settings)
    return t.teamExcluded;
  return null;
}

const loadObject = async (task: RunningTask, { target: to }: RestoreInput, { object }: TaskItem) =>
  to.kind === 'original'
    ? ({ ok: true, value: object } as const)
    : task.target.findObject(object.kind, to.object, task);

const passes = ({ kind }: EngineError): boolean => kind === 'busy' || kind === 'unreachable';

/** An error that passes stops the task for now; any other is the item's own. */
const problem = async (
  task: Pick<RunningTask, 'store' | 'tenant' | 'id' | 'onError'>,
  one: TaskItem,
  error: EngineError,
): Promise<ItemEnd> => {
  if (passes(error) || error.kind === 'refused') return { ok: false, error };
  await task.onError(error);
  return finish(task, one, 'failed', error.message);
};

async function finish(
  task: Pick<RunningTask, 'store' | 'tenant' | 'id'>,
  { n }: TaskItem,
  outcome: 'restored' | 'merged' | 'skipped' | 'failed',
  message: string | null,
): Promise<ItemEnd & { readonly ok: true }> {
  await storeStep(task, n, { state: 'done', outcome, message });
  return { ok: true, outcome, message };
}

/** What replaced another keeps who that was shared with. What is new is shared as its backup was. */
async function finishWritten(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  { outcome, message }: { readonly outcome: 'restored' | 'merged'; readonly message: string },
  written: WrittenItem,
): Promise<ItemEnd> {
  const { request } = task;
  const isShared = request.kind === 'restore' && request.input.flags.permissions === true;
  const grants = isShared && outcome === 'restored' ? await readStoredGrants(task, one.item) : [];
  if (grants.length === 0) {
    await storeStep(task, one.n, { state: 'done', outcome, message, written });
    return { ok: true, outcome, message };
  }
  const shared = await shareAgain(task, writer, written.object, written, grants);
  if (!shared.ok) return problem(task, one, shared.error);
  const { lacks } = shared.value;
  const end = joinSentences(message, shared.value.message);
  await storeStep(task, one.n, {
    state: 'done',
    outcome,
    message: end,
    written: { ...written, ...shared.value.written },
    ...(lacks.length > 0 && { lacks }),
  });
  return { ok: true, outcome, message: end };
}
