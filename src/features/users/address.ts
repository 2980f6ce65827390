import { ROLES } from '#contract/abilities.ts';
import type { Role } from '#contract/abilities.ts';
import type { InputOf } from '#contract/calls.ts';
import { PAGE_SIZE } from '#contract/paging.ts';
import { PAGE_SIZES } from '#src/ui/pager.tsx';

const SORTS = [
  'username',
  '-username',
  'name',
  '-name',
  'email',
  '-email',
  'lastSignIn',
  '-lastSignIn',
  'madeAt',
  '-madeAt',
] as const;
export type UserSort = (typeof SORTS)[number];
export const USER_TABS = ['details', 'accounts', 'access'] as const;
export type UserTab = (typeof USER_TABS)[number];
const DELETED = ['without', 'all', 'only'] as const;

/** State in the address of the users page. `open`: a user's id, or `new`. Pages start at 1. */
export interface UsersPlace {
  readonly text: string;
  readonly role: Role | null;
  readonly deleted: (typeof DELETED)[number];
  readonly sort: UserSort;
  readonly page: number;
  readonly size: number;
  readonly open: string | null;
  readonly tab: UserTab;
}

export const USERS_DEFAULTS: UsersPlace = {
  text: '',
  role: null,
  deleted: 'without',
  sort: 'username',
  page: 1,
  size: PAGE_SIZE,
  open: null,
  tab: 'details',
};

/** Returns the query of an address without `?`. Default values are left out. */
export function usersQuery(place: UsersPlace): string {
  const { text, role, deleted, sort, page, size, open, tab } = place;
  const params = new URLSearchParams();
  if (text !== '') params.set('q', text);
  if (role !== null) params.set('role', role);
  if (deleted !== 'without') params.set('deleted', deleted);
  if (sort !== USERS_DEFAULTS.sort) params.set('sort', sort);
  if (page !== 1) params.set('page', String(page));
  if (size !== PAGE_SIZE) params.set('size', String(size));
  if (open !== null) params.set('user', open);
  if (open !== null && open !== 'new' && tab !== 'details') params.set('tab', tab);
  return params.toString();
}

/** Parses any query. Invalid values fall back to their defaults. */
export function usersPlace(query: string): UsersPlace {
  const params = new URLSearchParams(query);
  const page = params.get('page') ?? '';
  const size = Number(params.get('size'));
  const open = params.get('user') ?? '';
  const known = /^(new|[\da-f-]{36})$/.test(open) ? open : null;
  return {
    text: (params.get('q') ?? '').slice(0, 100),
    role: ROLES.find((role) => role === params.get('role')) ?? null,
    deleted: DELETED.find((one) => one === params.get('deleted')) ?? 'without',
    sort: SORTS.find((one) => one === params.get('sort')) ?? USERS_DEFAULTS.sort,
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
    size: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZE,
    open: known,
    tab:
      (known !== null && known !== 'new' && USER_TABS.find((tab) => tab === params.get('tab'))) ||
      'details',
  };
}

/** A change of filter or order returns to the first page. */
export const usersMoved = (place: UsersPlace, next: Partial<UsersPlace>): UsersPlace => ({
  ...place,
  ...(['text', 'role', 'deleted', 'sort', 'size'].some((key) => key in next) && { page: 1 }),
  ...next,
});

/** Returns the server query of the list, also for its export. */
export function usersAsk({ text, role, deleted, sort }: UsersPlace): InputOf<'exportUsers'> {
  const search = text.trim();
  return {
    sort,
    ...(search !== '' && { search }),
    ...(role !== null && { role }),
    ...(deleted !== 'without' && { deleted }),
  };
}
