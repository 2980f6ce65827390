import type { UserId } from '#contract/ids.ts';
import { LIST_PATHS } from './address.ts';
import type { ListKey } from './address.ts';

/**
 * How a person left each list of the morning, until the page is closed: its tab leads back to the
 * same words and filters.
 */
const left = new Map<string, string>();

/** The query of a list as it was left by a tab; null where it was not. */
export const leftAt = (user: UserId, list: ListKey): string | null =>
  left.get(`${list} ${user}`) ?? null;

/**
 * From one list to another by their tabs. Answers the address. `query`: of the list that is left,
 * without `?`.
 */
export function throughTab(user: UserId, from: ListKey, query: string, to: ListKey): string {
  left.set(`${from} ${user}`, query);
  const before = leftAt(user, to) ?? '';
  return `${LIST_PATHS[to]}${before === '' ? '' : `?${before}`}`;
}
