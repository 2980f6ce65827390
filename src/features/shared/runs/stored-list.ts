import type { Me } from '#contract/auth/current-user.ts';
import { writeStored, readStored } from '#src/app/session/browser-storage.ts';
import { parseListAddress, formatListQuery } from './list-address.ts';
import type { RunListState } from './list-state.ts';

/**
 * Returns the part of a list that this device stores for the next visit: the filters, without
 * search text, cause and open run.
 */
export const toStoredQuery = (list: RunListState): string =>
  formatListQuery({ ...list, text: '', causes: [], jobs: [], open: null });

/** A device can store a user record from a version without this setting. */
type Whose = Pick<Me, 'id'> & Partial<Pick<Me, 'managedFilterType'>>;

export function keepList(me: Whose, list: RunListState): void {
  writeStored(place(me), toStoredQuery(list));
  if (list.managed === beginsWith(me)) writeStored(began(me), me.managedFilterType ?? null);
}

/**
 * Returns the query for an address without one: the stored one. If the user's default result filter
 * has changed since, it is applied once.
 */
export function getStoredList(me: Whose): string {
  const list = parseListAddress(readStored(place(me)) ?? '');
  return toStoredQuery(
    readStored(began(me)) === (me.managedFilterType ?? null)
      ? list
      : { ...list, managed: beginsWith(me) },
  );
}

const beginsWith = ({ managedFilterType = null }: Whose): boolean | null =>
  managedFilterType === null ? null : managedFilterType === 'managed';
const place = ({ id }: Whose): string => `daily-checks.${id}`;
const began = ({ id }: Whose): string => `daily-checks.began.${id}`;
