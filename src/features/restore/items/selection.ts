import type { RestoreCapabilities } from '#contract/engine/restore-capabilities.ts';
import type { ItemNode } from '../workload.ts';

/** Items that are selected in the open folder, by id. `anchor`: where a range begins. */
export interface ItemSelection {
  readonly items: ReadonlyMap<string, ItemNode>;
  readonly anchor: number | null;
}
export const NO_ITEMS_SELECTED: ItemSelection = { items: new Map(), anchor: null };

export function toggleItem(selection: ItemSelection, item: ItemNode, index: number): ItemSelection {
  const items = new Map(selection.items);
  if (!items.delete(item.id)) items.set(item.id, item);
  return { items, anchor: index };
}

/** Adds items. Those beyond `max` are left out. */
export function addItems(
  selection: ItemSelection,
  added: readonly ItemNode[],
  max: number,
): ItemSelection {
  const items = new Map(selection.items);
  for (const item of added) {
    if (items.size >= max && !items.has(item.id)) break;
    items.set(item.id, item);
  }
  return { ...selection, items };
}

/** The inclusive range of indexes from the anchor to a row. */
export const rangeTo = ({ anchor }: ItemSelection, index: number): readonly [number, number] => [
  Math.min(anchor ?? index, index),
  Math.max(anchor ?? index, index),
];

export const sumBytes = ({ items }: ItemSelection): number =>
  [...items.values()].reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);

/** Whether what is selected can be restored without the rest of its folder. */
export const canRestoreItems = (
  { restorePosts }: RestoreCapabilities,
  { items }: ItemSelection,
): boolean => restorePosts || items.values().next().value?.kind !== 'post';
