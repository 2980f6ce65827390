import type { RestoreInput } from '#contract/engine/engine.ts';
import type { FoundObject, Place, SourceObject, StoredItem, Writer } from '../types.ts';
import { done } from '../../result.ts';
import { graphMessages } from '../graph/messages.en.ts';
import { announceItem } from './announce-item.ts';
import { recordFolders, stops } from './created-folders.ts';
import { openObject } from './open-object.ts';
import { decideWrite, type ItemDecision } from './decide.ts';
import { doOnce } from './do-once.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { failItem, finishItem, POSTPONED } from './item-ends.ts';
import { getCreated, withNumber, withOtherName } from './item-messages.ts';
import { readStoredGrants, shareAgain } from './sharing.ts';
import { joinSentences } from './sentences.ts';
import {
  makeContentReader,
  readStored,
  storeStep,
  type ItemEnd,
  type RunningTask,
  type TaskItem,
} from './running-task.ts';
import { loadItemVersions, waitForNewer } from './item-versions.ts';
import { type Destination, findBegunItem, lookUpItem, type LookedUpItem } from './look-up-item.ts';
import { keepFirst, type ReplacedItem, saveReplaced, type WrittenItem } from './replaced-item.ts';
import { findUnwrittenNumber } from './same-names.ts';
import { getReturning, getSettingsAt } from './stored-settings.ts';
import { findBlocked, findMoved, postpone } from './taken-names.ts';
import { readPath } from '../../shared/task-rows.ts';
import { type BegunVersion, loadEarlierVersions, withVersions, writeVersions } from './versions.ts';
import { giveNameBack, waitForFolder, waitForName } from './wait-for-name.ts';

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
  const opened = await openDestination(task, one);
  if ('ok' in opened) return opened;
  const { input, writer, place } = opened;
  const versions = await loadItemVersions(task, one);
  const isEarlier = versions.newer.length > 0;
  if (isEarlier && one.item.kind === 'settings')
    return finishItem(task, one, 'skipped', t.newerRestored);
  if (await waitForNewer(task, one, versions)) return POSTPONED;
  const looked = await lookUpItem(task, one, opened, versions);
  if (!looked.ok) return failItem(task, one, looked.error);
  const { found, copy, own, onConflict } = looked.value;
  // A crash hid the end of an earlier attempt: if the item is there, that attempt succeeded (RES-5).
  if (one.state !== 'planned' && own?.isSame)
    return endInterrupted(task, one, writer, place.object, own);
  const earlier = await loadEarlierVersions(task, one);
  const begun = await findBegunItem(one, looked.value, earlier);
  if (!begun.ok) return failItem(task, one, begun.error);
  if (begun.value !== null) return goOn(task, one, writer, place, earlier, begun.value);
  const asItem = decideWrite({ ...input, onConflict }, copy ?? found, one.item.kind);
  const decision = isEarlier && asItem.do === 'write' ? { ...asItem, keepBoth: true } : asItem;
  if (decision.do === 'skip') return skipItem(task, one, opened, found, decision);
  const refusal = decision.replaces?.refusal;
  if (refusal !== undefined) return finishItem(task, one, 'failed', refusal);
  const loss = await writer.describeLoss?.(one.item, makeContentReader(task, one.item.parts));
  if (loss?.ok === false) return failItem(task, one, loss.error);
  const withLoss = (message: string): string =>
    withNumber(loss?.value == null ? message : t.withLoss({ message, loss: loss.value }), one);
  const step = { decision, found, earlier, withLoss };
  return input.dryRun
    ? announceItem(task, one, opened, step)
    : writeItem(task, one, opened, looked.value, { ...step, isLastLook });
}

/** Opens the place of an item; or ends the item, which can't go there. */
async function openDestination(task: RunningTask, one: TaskItem): Promise<Destination | ItemEnd> {
  if (task.request.kind !== 'restore') throw new Error('Not a restore.');
  const { input } = task.request;
  const excluded = exclusion(input, one);
  if (excluded !== null)
    return { ...(await finishItem(task, one, 'skipped', excluded)), isLocal: true };
  if (one.item.parts.length === 0)
    return { ...(await finishItem(task, one, 'failed', t.noContent)), isLocal: true };
  const object = await loadObject(task, input, one);
  if (!object.ok) return failItem(task, one, object.error);
  const writer = task.target.writerOf(object.value.kind, readStored(task));
  if (writer === null) return finishItem(task, one, 'failed', t.noContent);
  const opened = await openObject(task, one, writer, object.value);
  if (!opened.ok) return failItem(task, one, opened.error);
  const { plan, isNew = false } = opened.value;
  const path = readPath(one.path);
  const settings = getSettingsAt(task, one.objectN, path);
  const { team: teamParts } = input.flags;
  const place: Place = {
    object: opened.value.object,
    path,
    settings,
    ...(input.dryRun && { returning: getReturning(task, one.objectN) }),
    ...(teamParts !== undefined && { teamParts }),
  };
  return { input, writer, place, plan, isNew, objectId: object.value.id };
}

async function skipItem(
  task: RunningTask,
  one: TaskItem,
  { input, writer, place }: Destination,
  found: FoundObject | null,
  { outcome, message }: Extract<ItemDecision, { do: 'skip' }>,
): Promise<ItemEnd> {
  // The file is still there, but its channel was removed: the channel is created again.
  if (found !== null && !input.dryRun && input.select !== 'changed' && one.item.kind === 'file') {
    const folder = writer.mayLackFolder?.(place) ? await ensureFolder(task, writer, place) : done;
    if (!folder.ok) return failItem(task, one, folder.error);
  }
  return finishItem(task, one, outcome, message);
}

/** Writes an item as it was decided. Null: somebody has changed the place meanwhile. */
async function writeItem(
  task: RunningTask,
  one: TaskItem,
  { writer, place, objectId }: Destination,
  { item, located, others }: LookedUpItem,
  {
    decision,
    earlier,
    withLoss,
    isLastLook,
  }: {
    readonly decision: Extract<ItemDecision, { do: 'write' }>;
    readonly earlier: readonly StoredItem[];
    readonly withLoss: (message: string) => string;
    readonly isLastLook: boolean;
  },
): Promise<ItemEnd | null> {
  const waits = await waitForName(task, one, writer, place.object, located, isLastLook);
  if (waits !== 'free') return waits;
  const before = decision.keepBoth ? await findUnwrittenNumber(task, one) : null;
  if (before !== null && !task.postponed.isLastTry) {
    postpone(task.postponed, one.n, before);
    return POSTPONED;
  }
  if (one.item.bytes >= (task.full.get(objectId) ?? Infinity))
    return finishItem(task, one, 'failed', graphMessages.quota);
  const folder = await ensureFolder(task, writer, place);
  if (!folder.ok && folder.error.kind === 'conflict') {
    const blocked = await findBlocked(task, one, writer, place);
    if (!blocked.ok) return failItem(task, one, blocked.error);
    if (blocked.value !== null) return waitForFolder(task, one, blocked.value, isLastLook);
  }
  if (!folder.ok) return failItem(task, one, folder.error);
  const replaced = await saveReplaced(task, place.object, decision.replaces);
  if (!replaced.ok)
    return failItem(task, one, replaced.error, (reason) => t.notReplaceable({ reason }));
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
    task.full.set(objectId, Math.min(one.item.bytes, task.full.get(objectId) ?? Infinity));
  if (!written.ok && written.error.kind === 'conflict' && !decision.keepBoth && !isLastLook)
    return null;
  if (!written.ok) return failItem(task, one, written.error);
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
  if (!written.ok) return failItem(task, one, written.error);
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
    if (!removed.ok && stops(removed.error)) return { ok: false, error: removed.error };
  }
  return finishWritten(task, one, writer, { outcome: 'merged', message: t.replaced }, written);
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
  if (!shared.ok) return failItem(task, one, shared.error);
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
