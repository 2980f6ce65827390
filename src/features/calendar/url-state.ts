import { getBoard, getQuery } from './address.ts';
import type { Board } from './board.ts';

/** The part of the router's history that the calendar uses. */
export interface History {
  readonly location: { readonly pathname: string; readonly search: string };
  push(href: string): void;
  replace(href: string): void;
  subscribe(listener: () => void): () => void;
}

/**
 * The calendar state in the address. Typed text shows at once and is written to the address when
 * typing pauses.
 */
export interface CalendarUrlState {
  readonly now: () => Board;
  readonly subscribe: (listener: () => void) => () => void;
  /** `push`: adds a history entry. */
  readonly set: (next: Board, how?: 'push' | 'replace') => void;
}

const TYPING_RESTS_MS = 350;

export function makePlace(history: History): CalendarUrlState {
  const path = history.location.pathname;
  const listeners = new Set<() => void>();
  let { search } = history.location;
  let board = getBoard(search);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const announce = (): void => listeners.forEach((listener) => listener());
  const write = (how: 'push' | 'replace'): void => {
    clearTimeout(timer);
    timer = undefined;
    if (history.location.pathname !== path) return; // the user typed, then left the page
    const query = getQuery(board);
    search = query === '' ? '' : `?${query}`;
    history[how](path + search);
  };
  const read = (): void => {
    const { location } = history;
    if (location.pathname !== path || location.search === search || timer !== undefined) return;
    search = location.search;
    const next = getBoard(search);
    if (getQuery(next) === getQuery(board)) return;
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
        getQuery({ ...next, text: '' }) === getQuery({ ...board, text: '' });
      board = next;
      announce();
      if (!typed) return write(how);
      clearTimeout(timer);
      timer = setTimeout(() => write('replace'), TYPING_RESTS_MS);
    },
  };
}
