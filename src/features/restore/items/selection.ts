import type { RestoreCapabilities } from '#contract/engine/restore-capabilities.ts';
import type { ItemNode } from '../workload.ts';

/** Items that are selected in the open folder, by id. `anchor`: where a range begins. */
export interface Selection {
  readonly items: ReadonlyMap<string, ItemNode>;
  readonly anchor: number | null;
}
export const NO_SELECTION: Selection = { items: new Map(), anchor: null };

export function toggleItem(selection: Selection, item: ItemNode, index: number): Selection {
  const items = new Map(selection.items);
  if (!items.delete(item.id)) items.set(item.id, item);
  return { items, anchor: index };
}

/** Adds items. Those beyond `max` are left out. */
export function addItems(selection: Selection, added: readonly ItemNode[], max: number): Selection {
  const items = new Map(selection.items);
  for (const item of added) {
    if (items.size >= max && !items.has(item.id)) break;
    items.set(item.id, item);
  }
  return { ...selection, items };
}

/** The inclusive range of indexes from the anchor to a row. */
export const rangeTo = ({ anchor }: Selection, index: number): readonly [number, number] => [
  Math.min(anchor ?? index, index),
  Math.max(anchor ?? index, index),
];

export const sumBytes = ({ items }: Selection): number =>
  [...items.values()].reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);

/** Whether what is selected can be restored without the rest of its folder. */
export const canRestoreItems = (
  { restorePosts }: RestoreCapabilities,
  { items }: Selection,
): boolean => restorePosts || items.values().next().value?.kind !== 'post';
