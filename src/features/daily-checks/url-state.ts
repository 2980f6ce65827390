import { filterBegan } from '#src/features/daily-checks/performance-marks.ts';
import { parseListAddress, formatListQuery } from '../shared/runs/list-address.ts';
import type { RunListState } from '../shared/runs/list-state.ts';

/** The part of the router's history that the list uses. */
export interface ListHistory {
  readonly location: { readonly pathname: string; readonly search: string };
  push(href: string): void;
  replace(href: string): void;
  subscribe(listener: () => void): () => void;
}

/**
 * The list state in the address. Typed text shows at once and is written to the address when typing
 * pauses.
 */
export interface ListUrlState {
  readonly now: () => RunListState;
  readonly subscribe: (listener: () => void) => () => void;
  /** `push`: adds a history entry. `at`: the `timeStamp` of the input event. */
  readonly set: (next: RunListState, how?: 'push' | 'replace', at?: number) => void;
}

const TYPING_RESTS_MS = 350;

/** `stored`: the stored query, used if the address has none. */
export function makeListUrlState(history: ListHistory, stored: string): ListUrlState {
  const path = history.location.pathname;
  const listeners = new Set<() => void>();
  let search = history.location.search;
  let list = parseListAddress(search === '' ? stored : search);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const announce = (): void => listeners.forEach((listener) => listener());

  const write = (how: 'push' | 'replace'): void => {
    clearTimeout(timer);
    timer = undefined;
    const query = formatListQuery(list);
    search = query === '' ? '' : `?${query}`;
    history[how](path + search);
  };
  const read = (): void => {
    const { location } = history;
    // Another page, or the same query in a different encoding: the list does not change.
    if (location.pathname !== path || location.search === search) return;
    search = location.search;
    const next = parseListAddress(search);
    if (formatListQuery(next) === formatListQuery(list) || timer !== undefined) return;
    list = next;
    announce();
  };

  return {
    now: () => list,
    subscribe(listener) {
      const stop = listeners.size === 0 ? history.subscribe(read) : () => {};
      listeners.add(listener);
      if (search === '' && formatListQuery(list) !== '') write('replace');
      return () => {
        listeners.delete(listener);
        stop();
        // Typed text is only written to the address of its own page.
        if (listeners.size > 0 || timer === undefined) return;
        if (history.location.pathname === path) write('replace');
        clearTimeout(timer);
        timer = undefined;
      };
    },
    set(next, how = 'push', at) {
      if (formatListQuery({ ...next, open: null }) !== formatListQuery({ ...list, open: null }))
        filterBegan(at);
      const onlyText =
        next.text !== list.text &&
        formatListQuery({ ...next, text: '' }) === formatListQuery({ ...list, text: '' });
      list = next;
      announce();
      if (!onlyText) return write(how);
      clearTimeout(timer);
      timer = setTimeout(() => write('replace'), TYPING_RESTS_MS);
    },
  };
}
