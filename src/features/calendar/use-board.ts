import { useRouter } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import type { Branding } from '#contract/branding/branding.ts';
import type { CalendarQuery, CalendarView } from '#contract/calendar/calendar.ts';
import type { Day, Ms } from '#contract/ids.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { getCalendarInput } from './board.ts';
import type { CalendarBoard } from './board.ts';
import { makeCalendarUrlState } from './url-state.ts';
import type { IndexRange } from '../shared/grid/virtual-window.ts';

/** The calendar state of the address, and the worker's answer. */
export interface BoardQuery {
  readonly board: CalendarBoard;
  readonly setBoard: (next: CalendarBoard, how?: 'push' | 'replace') => void;
  readonly view: CalendarView | null | undefined;
  /** The query without the visible rows. */
  readonly query: CalendarQuery;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly today: Day;
  readonly setLines: (lines: IndexRange) => void;
}

const FIRST: IndexRange = { first: 0, count: 64 };
const STILL = {};

export function useBoard(branding: Branding): BoardQuery {
  const { history } = useRouter();
  const [place] = useState(() => makeCalendarUrlState(history));
  const board = useSyncExternalStore(place.subscribe, place.now);
  const now = useNow();
  const [lines, putLines] = useState(FIRST);
  const companies = useWatch('companies', STILL);
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const today = dayAt(now, rule);
  const ask = getCalendarInput(board, today, rule, lines, companies?.map(({ n }) => n) ?? []);
  const view = useWatch('calendar', ask);
  const [setLines] = useState(
    () =>
      (next: IndexRange): void =>
        putLines((old) => (old.first === next.first && old.count === next.count ? old : next)),
  );
  return { board, setBoard: place.set, view, query: ask, rule, now, today, setLines };
}
