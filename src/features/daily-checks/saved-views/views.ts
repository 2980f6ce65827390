import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { OwnedView, ViewRow } from '#contract/daily-checks/saved-views.ts';
import { listOf, queryOf } from '../../shared/runs/list-address.ts';
import type { List } from '../../shared/runs/list-state.ts';
import { savedViewsMessages as t } from './messages.en.ts';

/** What a view keeps of a list: its address, without the run that is open beside it. */
export const viewQueryOf = (list: List): string => queryOf({ ...list, open: null });

/** The list of a view. What this version does not know in it is passed over. */
export const listOfView = (query: string): List => ({ ...listOf(query), open: null });

/**
 * Where a view is shown from another page. An address without a query would show what was kept on
 * this device.
 */
export const addressOfView = (query: string): string =>
  `/monitoring/daily-checks?${query === '' ? 'review=pending' : query}`;

/** The word of the list that nobody named: a plain address. */
export const DEFAULT_VIEW = t.defaultView;

export interface Shelf {
  readonly own: readonly OwnedView[];
  readonly shared: readonly OwnedView[];
}

/** A person's own lists, and those that others share. */
export const shelfOf = (views: readonly OwnedView[], me: UserId): Shelf => ({
  own: views.filter(({ owner }) => owner === me),
  shared: views.filter(({ owner, shared }) => owner !== me && shared),
});

/**
 * Which named list stands on the screen: one with the same query, and of several the one opened
 * last. `changed`: it was opened, and is another by now.
 */
export interface Standing {
  readonly view: ViewRow | null;
  readonly changed: boolean;
}

export function standingOf(
  views: readonly ViewRow[],
  query: string,
  opened: string | null,
): Standing {
  const last = views.find(({ id }) => id === opened) ?? null;
  const same = (view: ViewRow): boolean => viewQueryOf(listOfView(view.query)) === query;
  if (last && same(last)) return { view: last, changed: false };
  const other = views.find(same);
  if (other) return { view: other, changed: false };
  return query === '' ? { view: null, changed: false } : { view: last, changed: last !== null };
}

/** The chip's word. */
export const standingWord = ({ view, changed }: Standing, query: string): string =>
  view === null
    ? query === ''
      ? DEFAULT_VIEW
      : t.notSaved
    : changed
      ? t.changedView({ name: view.name })
      : view.name;

/** One of one's own with this name, in any case: saving under its name replaces it. */
export const namesake = (own: readonly ViewRow[], name: string): ViewRow | null =>
  own.find((view) => view.name.toLowerCase() === name.trim().toLowerCase()) ?? null;

/** Why a list cannot be kept as another view; null where it can. */
export function notKept(own: readonly ViewRow[], name: string, query: string): string | null {
  if (query.length > LIMITS.viewChars) return t.tooManyFilters;
  return namesake(own, name) === null && own.length >= LIMITS.viewsPerUser
    ? MESSAGES.viewsFull({ max: LIMITS.viewsPerUser })
    : null;
}
