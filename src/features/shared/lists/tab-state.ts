import type { UserId } from '#contract/ids.ts';
import { LIST_PATHS } from './address.ts';
import type { ListKey } from './address.ts';

/**
 * The last state of each list until the page is closed. Its tab restores the same search and
 * filters.
 */
const left = new Map<string, string>();

/** Returns the query of a list when its tab was left, or null. */
export const leftAt = (user: UserId, list: ListKey): string | null =>
  left.get(`${list} ${user}`) ?? null;

/**
 * Stores the query of the list that is left (without `?`) and returns the address of the other one.
 */
export function throughTab(user: UserId, from: ListKey, query: string, to: ListKey): string {
  left.set(`${from} ${user}`, query);
  const before = leftAt(user, to) ?? '';
  return `${LIST_PATHS[to]}${before === '' ? '' : `?${before}`}`;
}
