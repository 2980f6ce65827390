import { parseCalendarAddress, formatCalendarQuery } from './address.ts';
import type { CalendarBoard } from './board.ts';

/** The part of the router's history that the calendar uses. */
export interface CalendarHistory {
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
  readonly now: () => CalendarBoard;
  readonly subscribe: (listener: () => void) => () => void;
  /** `push`: adds a history entry. */
  readonly set: (next: CalendarBoard, how?: 'push' | 'replace') => void;
}

const TYPING_RESTS_MS = 350;

export function makeCalendarUrlState(history: CalendarHistory): CalendarUrlState {
  const path = history.location.pathname;
  const listeners = new Set<() => void>();
  let { search } = history.location;
  let board = parseCalendarAddress(search);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const announce = (): void => listeners.forEach((listener) => listener());
  const write = (how: 'push' | 'replace'): void => {
    clearTimeout(timer);
    timer = undefined;
    if (history.location.pathname !== path) return; // the user typed, then left the page
    const query = formatCalendarQuery(board);
    search = query === '' ? '' : `?${query}`;
    history[how](path + search);
  };
  const read = (): void => {
    const { location } = history;
    if (location.pathname !== path || location.search === search || timer !== undefined) return;
    search = location.search;
    const next = parseCalendarAddress(search);
    if (formatCalendarQuery(next) === formatCalendarQuery(board)) return;
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
        formatCalendarQuery({ ...next, text: '' }) === formatCalendarQuery({ ...board, text: '' });
      board = next;
      announce();
      if (!typed) return write(how);
      clearTimeout(timer);
      timer = setTimeout(() => write('replace'), TYPING_RESTS_MS);
    },
  };
}
