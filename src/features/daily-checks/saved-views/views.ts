import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { OwnedView, ViewRow } from '#contract/daily-checks/saved-views.ts';
import { parseListAddress, formatListQuery } from '../../shared/runs/list-address.ts';
import type { RunListState } from '../../shared/runs/list-state.ts';
import { savedViewsMessages as t } from './messages.en.ts';

/** Returns the part of a list that a view stores: its address without the open run. */
export const getViewQuery = (list: RunListState): string =>
  formatListQuery({ ...list, open: null });

/** Returns the list of a view. Parts that this version does not know are ignored. */
export const listOfView = (query: string): RunListState => ({
  ...parseListAddress(query),
  open: null,
});

/**
 * Returns the address of a view for other pages. An address without a query would show the list
 * stored on this device.
 */
export const addressOfView = (query: string): string =>
  `/monitoring/daily-checks?${query === '' ? 'review=pending' : query}`;

/** Label of the list without a name: a plain address. */
export const DEFAULT_VIEW = t.defaultView;

export interface ViewGroups {
  readonly own: readonly OwnedView[];
  readonly shared: readonly OwnedView[];
}

/** Splits views into the user's own and shared ones. */
export const splitViews = (views: readonly OwnedView[], me: UserId): ViewGroups => ({
  own: views.filter(({ owner }) => owner === me),
  shared: views.filter(({ owner, shared }) => owner !== me && shared),
});

/**
 * The view that the current list belongs to: one with the same query; if there are several, the one
 * opened last. `changed`: it was opened, and the list has changed since.
 */
export interface ViewState {
  readonly view: ViewRow | null;
  readonly changed: boolean;
}

export function getViewState(
  views: readonly ViewRow[],
  query: string,
  opened: string | null,
): ViewState {
  const last = views.find(({ id }) => id === opened) ?? null;
  const same = (view: ViewRow): boolean => getViewQuery(listOfView(view.query)) === query;
  if (last && same(last)) return { view: last, changed: false };
  const other = views.find(same);
  if (other) return { view: other, changed: false };
  return query === '' ? { view: null, changed: false } : { view: last, changed: last !== null };
}

/** Label of the chip. */
export const getViewStateText = ({ view, changed }: ViewState, query: string): string =>
  view === null
    ? query === ''
      ? DEFAULT_VIEW
      : t.notSaved
    : changed
      ? t.changedView({ name: view.name })
      : view.name;

/** Returns the user's view with this name, ignoring case. Saving under its name replaces it. */
export const namesake = (own: readonly ViewRow[], name: string): ViewRow | null =>
  own.find((view) => view.name.toLowerCase() === name.trim().toLowerCase()) ?? null;

/** Returns why a list cannot be saved as a view, or null. */
export function listUnsaved(own: readonly ViewRow[], name: string, query: string): string | null {
  if (query.length > LIMITS.viewChars) return t.tooManyFilters;
  return namesake(own, name) === null && own.length >= LIMITS.viewsPerUser
    ? MESSAGES.viewsFull({ max: LIMITS.viewsPerUser })
    : null;
}
