import type { Me } from '#contract/auth/current-user.ts';
import { writeStored, readStored } from '#src/app/session/browser-storage.ts';
import { listOf, queryOf } from './list-address.ts';
import type { List } from './list-state.ts';

/**
 * What a person keeps from visit to visit on this device: the filters, not the words searched for,
 * a cause or the open run.
 */
export const keptQuery = (list: List): string =>
  queryOf({ ...list, text: '', causes: [], jobs: [], open: null });

/** A device may hold a user from before there was such a wish. */
type Whose = Pick<Me, 'id'> & Partial<Pick<Me, 'managedFilterType'>>;

export function keepList(me: Whose, list: List): void {
  writeStored(place(me), keptQuery(list));
  if (list.managed === beginsWith(me)) writeStored(began(me), me.managedFilterType ?? null);
}

/**
 * The query to open with where the address has none: what was kept. Once, and again after somebody
 * has said otherwise, with the results that this user is to begin with.
 */
export function keptList(me: Whose): string {
  const list = listOf(readStored(place(me)) ?? '');
  return keptQuery(
    readStored(began(me)) === (me.managedFilterType ?? null)
      ? list
      : { ...list, managed: beginsWith(me) },
  );
}

const beginsWith = ({ managedFilterType = null }: Whose): boolean | null =>
  managedFilterType === null ? null : managedFilterType === 'managed';
const place = ({ id }: Whose): string => `daily-checks.${id}`;
const began = ({ id }: Whose): string => `daily-checks.began.${id}`;
