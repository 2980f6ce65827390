import { useRouter } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Ms, RunN } from '#contract/ids.ts';
import type { RunsFilter, RunsView, RunsWindow, RunView } from '#contract/runs/query.ts';
import { useNow } from '#src/app/clock.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import {
  changePainted,
  filterPainted,
  openPainted,
} from '#src/features/daily-checks/performance-marks.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import type { DayRule } from '#src/features/shared/date-range/dates.ts';
import { useAllFacets } from './all-facets.ts';
import { formatListQuery } from '../shared/runs/list-address.ts';
import { settled } from './cursor.ts';
import type { ListCursor } from './cursor.ts';
import { keepList, getStoredList } from '../shared/runs/stored-list.ts';
import { toRunsFilter, toggle } from '../shared/runs/list-state.ts';
import type { RunListState } from '../shared/runs/list-state.ts';
import { makeListUrlState } from './url-state.ts';
import { NO_SELECTION } from './selection.ts';
import type { SelectedRuns } from './selection.ts';

/** The daily checks of one user: the list in the address, the worker's answer, and the cursor. */
export interface RunList {
  readonly list: RunListState;
  readonly setList: (next: RunListState, how?: 'push' | 'replace', at?: number) => void;
  readonly filter: RunsFilter;
  readonly rule: DayRule;
  readonly now: Ms;
  readonly view: RunsView | undefined;
  readonly window: RunsWindow;
  readonly setWindow: (next: RunsWindow) => void;
  /** A temporary larger window, to load the rows of a range. */
  readonly reach: RunsWindow | null;
  readonly setReach: (next: RunsWindow | null) => void;
  readonly selection: SelectedRuns;
  readonly setSelection: (next: SelectedRuns) => void;
  readonly cursor: ListCursor | null;
  readonly setCursor: (next: ListCursor | null) => void;
  /** Last state of the rows seen since the page was opened, for undo. */
  readonly seen: ReadonlyMap<RunN, RunView>;
  /**
   * The user has started to work in the list: rows keep their position until `takeIn` or another
   * filter.
   */
  readonly work: () => void;
  /** Sets whether a mouse is over the rows. Meanwhile they keep their position. */
  readonly point: (over: boolean) => void;
  readonly takeIn: () => void;
  /** Collapses or expands a group. */
  readonly fold: (key: number | string) => void;
  /** New rows are waiting. */
  readonly isInUse: boolean;
  /** Identifies the list: another filter has another key. */
  readonly key: string;
}

const FIRST: RunsWindow = { first: 0, count: 48 };
const MAX_SEEN = 20_000;
const NONE_FOLDED: readonly (number | string)[] = [];

export function useRunList(me: Me, branding: Branding): RunList {
  const { history } = useRouter();
  const [place] = useState(() => makeListUrlState(history, getStoredList(me)));
  const list = useSyncExternalStore(place.subscribe, place.now);
  const now = useNow();
  const rule = { zone: branding.timeZone, hour: branding.dayBeginsHour };
  const filter = toRunsFilter(list, dayAt(now, rule), rule);
  const [window, putWindow] = useState(FIRST);
  const [reach, setReach] = useState<RunsWindow | null>(null);
  const [selection, setSelection] = useState(NO_SELECTION);
  const [cursor, setCursor] = useState<ListCursor | null>(null);
  const [working, setWorking] = useState(false);
  const [pointed, setPointed] = useState(false);
  const [round, setRound] = useState(0);
  const [folded, setFolded] = useState<readonly (number | string)[]>(NONE_FOLDED);
  const [seen] = useState(() => new Map<RunN, RunView>());

  // Another filter starts again and includes waiting rows.
  const key = formatListQuery({ ...list, open: null });
  const [before, setBefore] = useState(key);
  if (before !== key) {
    setBefore(key);
    setCursor(null);
    setWorking(false);
    putWindow(FIRST);
    setFolded(NONE_FOLDED);
    setRound(round + 1);
  }

  const isInUse = selection.runs.size > 0 || list.open !== null || working || pointed;
  const facets = useAllFacets() ? 'all' : 'some';
  const view = useWatch('runs', {
    filter,
    window: reach ?? window,
    isInUse,
    folded,
    round,
    facets,
  });
  useEffect(() => keepList(me, list), [me, list]);
  useEffect(() => {
    if (!view) return;
    openPainted();
    filterPainted();
    if (seen.size > MAX_SEEN) seen.clear();
    for (const row of view.rows) seen.set(row.n, row);
  }, [view, seen]);
  const committedAt = view?.committedAt;
  useEffect(() => {
    if (typeof committedAt === 'number') changePainted(committedAt);
  }, [committedAt]);

  const [setWindow] = useState(
    () =>
      (next: RunsWindow): void =>
        putWindow((old) => (old.first === next.first && old.count === next.count ? old : next)),
  );

  return {
    list,
    setList: place.set,
    filter,
    rule,
    now,
    view,
    window,
    setWindow,
    reach,
    setReach,
    selection,
    setSelection,
    cursor: settled(cursor, view),
    setCursor,
    seen,
    isInUse,
    key,
    work: () => setWorking(true),
    point: setPointed,
    fold: (one) => setFolded(toggle(folded, one)),
    takeIn: () => {
      setWorking(false);
      setCursor(null);
      setRound(round + 1);
    },
  };
}
