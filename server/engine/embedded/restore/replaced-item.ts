import type { EngineError } from '#contract/engine/engine.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { FoundObject, SourceObject, StoredItem, Written } from '../types.ts';
import type { Replaced, RunningTask, TaskItem } from './running-task.ts';
import { nothing } from '../../result.ts';

/** What undo needs of an item that was written. */
export interface WrittenItem extends Written {
  readonly object: SourceObject;
}
/** What an item replaced: its content is in the repository. */
export interface ReplacedItem {
  readonly item: Replaced;
  readonly parts: readonly StoredPart[];
}

/** Saves what will be replaced into the repository first, so that undo can put it back (RES-4). */
export async function saveReplaced(
  task: RunningTask,
  object: SourceObject,
  replaces: FoundObject | null,
): Promise<
  | { readonly ok: true; readonly value: ReplacedItem | null }
  | { readonly ok: false; readonly error: EngineError }
> {
  if (replaces === null) return nothing;
  const fetched = await task.target.fetch(object, replaces.key, task);
  if (!fetched.ok) return fetched;
  const parts: StoredPart[] = [];
  for (const part of fetched.value.parts) {
    const saved = await task.content.save(part);
    if (!saved.ok) return saved;
    parts.push(saved.value);
  }
  const flushed = await task.content.flush();
  return flushed.ok ? { ok: true, value: { item: fetched.value.item, parts } } : flushed;
}

/** An interrupted attempt has renamed a file and not replaced its content: undo needs its first name. */
export function keepFirst(
  { state, replaced }: TaskItem,
  now: ReplacedItem | null,
  isMoved: boolean,
): ReplacedItem | null {
  const first = replaced as ReplacedItem | null;
  const hash = first?.item.flags.hash;
  const isSameFile = first?.item.key === now?.item.key && hash === now?.item.flags.hash;
  if (state !== 'planned' && hash !== undefined && isSameFile) return first;
  // Somebody has changed it under its temporary name.
  return isMoved && first !== null && now !== null
    ? { ...now, item: { ...now.item, title: first.item.title } }
    : now;
}

/** The item as a writer needs it, from what was replaced. */
export const replacedItem = ({ item, parts }: ReplacedItem): StoredItem => ({
  ...item,
  n: 0,
  parts,
});
