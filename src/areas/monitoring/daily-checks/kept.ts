import type { UserId } from '#contract/ids.ts';
import { keep, kept } from '#src/kept.ts';
import { listOf, queryOf } from './address.ts';
import type { List } from './list.ts';

/** What a person keeps from visit to visit on this device: the filters, not the words searched for, a cause or the open run. */
export const keptQuery = (list: List): string => queryOf({ ...list, text: '', causes: [], jobs: [], open: null });

export const keepList = (user: UserId, list: List): void => keep(place(user), keptQuery(list));

/** The query to open with where the address has none; empty where nothing was kept. */
export const keptList = (user: UserId): string => keptQuery(listOf(kept(place(user)) ?? ''));

const place = (user: UserId): string => `daily-checks.${user}`;
