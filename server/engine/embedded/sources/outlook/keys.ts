import type { ItemKind } from '#contract/engine/engine.ts';
import { SCOPE_MARK } from '../../types.ts';

// A mailbox has mail folders, and below three more folders its calendars, contacts and tasks. Each of
// the three is a scope that lists the folders in it; each folder in it is the scope of its items.

export const OUTLOOK_TOPS = ['calendars', 'contacts', 'tasks'] as const;
export type OutlookTop = (typeof OUTLOOK_TOPS)[number];
export type OutlookItemKind = Extract<ItemKind, 'event' | 'contact' | 'task'>;

export const isOutlookTop = (text: string | null | undefined): text is OutlookTop =>
  OUTLOOK_TOPS.some((top) => top === text);

/** The key of a calendar, contact folder or task list. */
export const folderKey = (top: OutlookTop, id: string): string => `${top}${SCOPE_MARK}${id}`;
/** A group of calendars has no items. */
export const groupKey = (id: string): string => folderKey('calendars', `group ${id}`);

export function parseFolderKey(
  key: string,
): { readonly top: OutlookTop; readonly id: string; readonly isGroup: boolean } | null {
  const at = key.indexOf(SCOPE_MARK);
  const top = key.slice(0, at);
  if (at < 0 || !isOutlookTop(top)) return null;
  const id = key.slice(at + 1);
  return { top, id: id.replace(/^group /, ''), isGroup: id.startsWith('group ') };
}

/** Whether a scope is one of calendars, contacts or tasks: all others are mail folders. */
export const isOutlookScope = (scope: string): boolean =>
  isOutlookTop(scope) || parseFolderKey(scope) !== null;

/** The key of an item. A task is only found in its list. */
export const itemKey = (kind: OutlookItemKind, id: string, list?: string): string =>
  [kind, ...(list === undefined ? [] : [list]), id].join(SCOPE_MARK);

export interface ItemRef {
  readonly kind: OutlookItemKind;
  readonly id: string;
  /** Of a task. */
  readonly list: string;
}
/** Returns null if it is the key of a mail. */
export function parseItemKey(key: string): ItemRef | null {
  const [kind, ...ids] = key.split(SCOPE_MARK);
  if (kind !== 'event' && kind !== 'contact' && kind !== 'task') return null;
  return { kind, id: ids.at(-1) ?? '', list: kind === 'task' ? (ids[0] ?? '') : '' };
}
