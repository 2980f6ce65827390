import { useEffect, useEffectEvent, useState } from 'react';
import type { InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { CalendarAsk } from '#contract/calendar/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { IndexRange } from '../../shared/grid/virtual-window.ts';
import type { SheetPlace } from './address.ts';
import { getHeads, ownFigures, ownLines, serverFigures, serverLines } from './sheet.ts';
import type { SheetFigures, SheetHead, SheetLine } from './sheet.ts';

/** The visible part of the spreadsheet. `total`: null while unknown. */
export interface SheetResult {
  readonly heads: readonly SheetHead[];
  readonly total: number | null;
  readonly lineAt: (index: number) => SheetLine | undefined;
  readonly figures: SheetFigures | null;
  readonly from: 'device' | 'server';
  readonly failure: Failure | null;
  readonly again: () => void;
}

type Question = InputOf<'spreadsheetReport'>;
const EMPTY = {};
/** Rows of a server page, and the number of cached pages. */
const PAGE = 50;
const MAX_PAGES = 12;

/** Returns the calendar query of a spreadsheet. */
export const getSheetInput = (
  place: SheetPlace,
  { from, to }: { readonly from: Ms; readonly to: Ms },
  rows: IndexRange,
  days: number,
): CalendarAsk => ({
  from,
  to,
  mode: place.mode,
  companies: place.companies,
  sources: place.sources,
  types: place.types,
  instructionTypes: [],
  problemsOnly: false,
  text: place.text,
  folded: [],
  rows,
  days: { first: 0, count: days },
  lines: place.by,
});

export const getQuestion = (
  place: SheetPlace,
  { from, to }: { readonly from: Ms; readonly to: Ms },
): Pick<Question, 'from' | 'to' | 'mode' | 'filters'> => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  mode: place.mode,
  filters: JSON.stringify({
    companyIds: place.companies,
    source: place.sources,
    type: place.types,
    text: place.text,
  }),
});

/** TREND-5: from this device if it stores the days, otherwise from the server in pages. */
export function useSheet(
  place: SheetPlace,
  time: { readonly from: Ms; readonly to: Ms },
  count: number,
  lines: IndexRange,
  now: Ms,
  on: boolean,
): SheetResult {
  const view = useWatch('calendar', getSheetInput(place, time, lines, count));
  const status = useWatch('status', EMPTY);
  const days = view?.days ?? [];
  const storedFrom = view?.keptFrom ?? null;
  const fits = days.length === count && days[0]?.from === time.from;
  const own =
    fits &&
    days.every(
      ({ here, from }) => here || from > now || (storedFrom !== null && from >= storedFrom),
    );
  const wanted = on && fits && status !== undefined && !own;
  const question = getQuestion(place, time);
  const pages = usePages({ ...question, by: place.by }, lines, wanted);
  const stats = useCachedQuery('spreadsheetStats', question, { wanted });
  const heads = getHeads(fits ? days : [], storedFrom, now, wanted);
  if (wanted) {
    const failure = pages.failure ?? stats.failure;
    return {
      heads,
      total: pages.total,
      lineAt: pages.lineAt,
      figures: stats.value && serverFigures(stats.value),
      from: 'server',
      failure,
      again: () => {
        pages.again();
        stats.again();
      },
    };
  }
  const shown = own && view ? ownLines(view) : null;
  const first = view?.first ?? 0;
  return {
    heads,
    total: own ? (view?.total ?? null) : null,
    lineAt: (index) => shown?.[index - first],
    figures: own && view ? ownFigures(view) : null,
    from: 'device',
    failure: null,
    again: () => undefined,
  };
}

interface Pages {
  readonly key: string;
  readonly total: number | null;
  readonly lines: ReadonlyMap<number, readonly SheetLine[]>;
  readonly failure: Failure | null;
}
const NO_PAGES: Pages = { key: '', total: null, lines: new Map(), failure: null };

/** Loads the visible pages of the server's rows and caches some of the earlier ones. */
function usePages(
  question: Question,
  { first, count }: IndexRange,
  wanted: boolean,
): Pick<SheetResult, 'total' | 'lineAt' | 'failure' | 'again'> {
  const key = JSON.stringify(question);
  const [pages, setPages] = useState(NO_PAGES);
  const [turn, setTurn] = useState(0);
  const mine = pages.key === key ? pages : { ...NO_PAGES, key };
  const from = Math.floor(first / PAGE);
  const to = Math.floor(Math.max(first, first + count - 1) / PAGE);
  const known = useEffectEvent(
    (page: number): boolean =>
      mine.lines.has(page) || (mine.total !== null && page * PAGE >= mine.total && page > 0),
  );
  const round = `${turn} ${key}`;
  useEffect(() => {
    if (!wanted) return;
    const gone = new AbortController();
    const request = round.slice(round.indexOf(' ') + 1);
    const ask = async (): Promise<void> => {
      for (let page = from; page <= to && !gone.signal.aborted; page++) {
        if (known(page)) continue;
        const result = await client().ask('spreadsheetReport', {
          ...(JSON.parse(request) as Question),
          page: String(page + 1),
          pageSize: String(PAGE),
        });
        if (gone.signal.aborted) return;
        setPages((old) => {
          const before = old.key === request ? old : { ...NO_PAGES, key: request };
          if (!result.ok) return { ...before, failure: result.failure };
          const lines = new Map(
            [...before.lines].filter(([one]) => Math.abs(one - page) < MAX_PAGES / 2),
          );
          return {
            key: request,
            total: result.value.count,
            lines: lines.set(page, serverLines(result.value)),
            failure: null,
          };
        });
        if (!result.ok) return;
      }
    };
    // Waits until scrolling stops, so that pages in between are not requested.
    const timer = setTimeout(() => void ask(), SETTLES_MS);
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [round, from, to, wanted]);
  return {
    total: mine.total,
    failure: mine.failure,
    lineAt: (index) => mine.lines.get(Math.floor(index / PAGE))?.[index % PAGE],
    again: () => setTurn(turn + 1),
  };
}
const SETTLES_MS = 60;
