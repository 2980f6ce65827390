import type { Reply, RestoreInput } from '#contract/engine/engine.ts';
import type { FoundObject, Place, StoredItem, Writer } from '../types.ts';
import { findCopyBeside, findKeysOfNewer, type ItemVersions } from './item-versions.ts';
import type { RunningTask, TaskItem } from './running-task.ts';
import { type Located, locate } from './taken-names.ts';
import { type BegunVersion, findBegun } from './versions.ts';
import { nothing } from '../../result.ts';

// What a restore finds of an item before it decides.

/** Where an item goes. */
export interface Destination {
  readonly input: RestoreInput;
  readonly writer: Writer;
  readonly place: Place;
  /** What has to happen to the object before, in words; null: it is there. */
  readonly plan: string | null;
  /** A new object is created, which an undo deletes. */
  readonly isNew: boolean;
  /** The object that was chosen, which may have been deleted. */
  readonly objectId: string;
}

/** What the target has of an item. */
export interface LookedUpItem {
  /** The item with its other versions. */
  readonly item: StoredItem;
  readonly located: Located;
  readonly found: FoundObject | null;
  /** What was written beside the item. */
  readonly copy: FoundObject | null;
  /** What an earlier attempt has written. */
  readonly own: FoundObject | null;
  /** Keys of items that are like this one and not its. */
  readonly others: readonly string[];
  readonly onConflict: RestoreInput['onConflict'];
  readonly findVersion: (version: StoredItem) => Reply<FoundObject | null>;
}

const NO_KEYS: Awaited<ReturnType<typeof findKeysOfNewer>> = { ok: true, value: [] };
const NOWHERE = { ok: true, value: { found: null, holder: null, breaksCycle: false } } as const;

/** Looks for an item in its place, or for one of its older versions beside the newer ones. */
export async function lookUpItem(
  task: RunningTask,
  one: TaskItem,
  { input, writer, place, plan }: Destination,
  { item, newer }: ItemVersions,
): Reply<LookedUpItem> {
  const isEarlier = newer.length > 0;
  const taken =
    isEarlier && plan === null ? await findKeysOfNewer(task, writer, place, newer) : NO_KEYS;
  if (!taken.ok) return taken;
  const locateItem = (version: StoredItem) =>
    locate(task, { ...one, item: version }, writer, place);
  const located = plan === null && !isEarlier ? await locateItem(item) : NOWHERE;
  if (!located.ok) return located;
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
      : nothing;
  if (!copy.ok) return copy;
  const findInPlace = async (version: StoredItem): Reply<FoundObject | null> => {
    const begunAt = await locateItem(version);
    return begunAt.ok ? { ok: true, value: begunAt.value.found } : begunAt;
  };
  return {
    ok: true,
    value: {
      item,
      located: located.value,
      found,
      copy: copy.value,
      own: isBeside ? copy.value : found,
      others,
      onConflict,
      findVersion: isBeside ? findCopy : findInPlace,
    },
  };
}

/** Finds the newest version of a file that an earlier attempt has written. */
export const findBegunItem = async (
  { state }: TaskItem,
  { findVersion }: LookedUpItem,
  earlier: readonly StoredItem[],
): Reply<BegunVersion | null> => (state === 'planned' ? nothing : findBegun(earlier, findVersion));

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
