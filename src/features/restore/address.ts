import type { Ms } from '#contract/ids.ts';
import { readSearch, writeSearch, type SearchPlace } from './search/place.ts';

export const SORTS = ['date', '-date', 'name', '-name', 'size', '-size'] as const;
/** `-`: descending. */
export type ItemSort = (typeof SORTS)[number];
export const DEFAULT_SORT: ItemSort = '-date';

/** Where a user is on a restore page. The address has it, so a link opens the same place. */
export interface RestorePlace {
  readonly organization: string | null;
  /** The restore point; null: the newest. */
  readonly at: Ms | null;
  readonly showDeleted: boolean;
  /** Ids of the open mailbox or drive and of the folders down to the open one. */
  readonly path: readonly string[];
  /** The open item, and its index in the list in this order. */
  readonly item: { readonly id: string; readonly index: number } | null;
  readonly text: string;
  readonly sort: ItemSort;
  /** An item whose place is to be found; null: none. */
  readonly locate: string | null;
  /** The search over all restore points; null: closed. */
  readonly find: SearchPlace | null;
}

/** Parses any query. */
export function restorePlace(query: string): RestorePlace {
  const params = new URLSearchParams(query);
  const organization = params.get('organization');
  const at = params.get('point') ?? '';
  const locate = params.get('locate') ?? '';
  const [id = '', index = ''] = (params.get('item') ?? '').split('@');
  return {
    organization: organization !== null && ID.test(organization) ? organization : null,
    at: /^\d{1,15}$/.test(at) ? Number(at) : null,
    showDeleted: params.get('deleted') === 'true',
    path: readPath(params.get('path') ?? ''),
    item: ID.test(id) && /^\d{1,7}$/.test(index) ? { id, index: Number(index) } : null,
    text: (params.get('q') ?? '').slice(0, MAX_FILTER_CHARS),
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? DEFAULT_SORT,
    locate: ID.test(locate) ? locate : null,
    find: readSearch(params),
  };
}

export function restoreAddress(page: string, place: RestorePlace): string {
  const params = new URLSearchParams();
  if (place.organization !== null) params.set('organization', place.organization);
  if (place.at !== null) params.set('point', String(place.at));
  if (place.showDeleted) params.set('deleted', 'true');
  if (place.path.length > 0) params.set('path', place.path.join('~'));
  if (place.item !== null) params.set('item', `${place.item.id}@${place.item.index}`);
  if (place.text !== '') params.set('q', place.text);
  if (place.sort !== DEFAULT_SORT) params.set('sort', place.sort);
  if (place.locate !== null) params.set('locate', place.locate);
  if (place.find !== null) writeSearch(params, place.find);
  const query = params.toString();
  return query === '' ? page : `${page}?${query}`;
}

export const MAX_FILTER_CHARS = 100;
const MAX_DEPTH = 100;
/** Ids of organizations and nodes. */
const ID = /^[\w.-]{1,64}$/;

/** A path with a broken part ends before it. */
function readPath(text: string): readonly string[] {
  const ids = text.split('~').slice(0, MAX_DEPTH);
  const broken = ids.findIndex((id) => !ID.test(id));
  return broken < 0 ? ids : ids.slice(0, broken);
}
