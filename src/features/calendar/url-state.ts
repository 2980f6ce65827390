import { boardOf, queryOf } from './address.ts';
import type { Board } from './board.ts';

/** As much of the router's history as the calendar needs. */
export interface History {
  readonly location: { readonly pathname: string; readonly search: string };
  push(href: string): void;
  replace(href: string): void;
  subscribe(listener: () => void): () => void;
}

/**
 * The calendar as the address holds it. Words being typed show at once and reach the address when
 * the typing rests.
 */
export interface Place {
  readonly now: () => Board;
  readonly subscribe: (listener: () => void) => () => void;
  /** `push`: Back undoes it. */
  readonly set: (next: Board, how?: 'push' | 'replace') => void;
}

const TYPING_RESTS_MS = 350;

export function makePlace(history: History): Place {
  const path = history.location.pathname;
  const listeners = new Set<() => void>();
  let { search } = history.location;
  let board = boardOf(search);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const announce = (): void => listeners.forEach((listener) => listener());
  const write = (how: 'push' | 'replace'): void => {
    clearTimeout(timer);
    timer = undefined;
    if (history.location.pathname !== path) return; // typed, and gone to another page
    const query = queryOf(board);
    search = query === '' ? '' : `?${query}`;
    history[how](path + search);
  };
  const read = (): void => {
    const { location } = history;
    if (location.pathname !== path || location.search === search || timer !== undefined) return;
    search = location.search;
    const next = boardOf(search);
    if (queryOf(next) === queryOf(board)) return;
    board = next;
    announce();
  };
  return {
    now: () => board,
    subscribe(listener) {
      const stop = listeners.size === 0 ? history.subscribe(read) : () => {};
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
    set(next, how = 'push') {
      const typed =
        next.text !== board.text &&
        queryOf({ ...next, text: '' }) === queryOf({ ...board, text: '' });
      board = next;
      announce();
      if (!typed) return write(how);
      clearTimeout(timer);
      timer = setTimeout(() => write('replace'), TYPING_RESTS_MS);
    },
  };
}
