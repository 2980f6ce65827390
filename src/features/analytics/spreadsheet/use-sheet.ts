import { useQueries, useQuery } from '@tanstack/react-query';
import type { InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { CalendarQuery } from '#contract/calendar/calendar.ts';
import type { Ms } from '#contract/ids.ts';
import { ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { queryClient, useIdentity } from '#src/app/worker/server-query.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { IndexRange } from '../../shared/grid/virtual-window.ts';
import { useIsSettled } from '../../shared/queries/use-is-settled.ts';
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
/** Rows of a server page, and how many pages around the visible ones stay in memory. */
const PAGE = 50;
const MAX_PAGES = 12;

/** Returns the calendar query of a spreadsheet. */
export const getSheetInput = (
  place: SheetPlace,
  { from, to }: { readonly from: Ms; readonly to: Ms },
  rows: IndexRange,
  days: number,
): CalendarQuery => ({
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
  const pages = useServerPages({ ...question, by: place.by }, lines, wanted);
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

/** A page of the server's rows. */
interface LinesPage {
  readonly count: number;
  readonly lines: readonly SheetLine[];
}

/**
 * Loads the first page, which has the count, and then the visible ones. Some of those around stay
 * in memory.
 */
function useServerPages(
  question: Question,
  { first, count }: IndexRange,
  wanted: boolean,
): Pick<SheetResult, 'total' | 'lineAt' | 'failure' | 'again'> {
  const identity = useIdentity();
  const from = Math.floor(first / PAGE);
  const to = Math.floor(Math.max(first, first + count - 1) / PAGE);
  // Waits until scrolling stops, so that pages in between are not requested.
  const isSettled = useIsSettled(JSON.stringify([question, from, to]), SETTLES_MS);
  const toQuery = (page: number, isVisible: boolean) => ({
    queryKey: ['useServerPages', question, page, identity],
    enabled: wanted && isSettled && isVisible,
    staleTime: ({ state }: { readonly state: { readonly data?: Result<LinesPage> | undefined } }) =>
      state.data?.ok === true ? Infinity : 0,
    queryFn: (): Promise<Result<LinesPage>> => readPage(question, page),
  });
  const top = useQuery(toQuery(0, true), queryClient);
  const total = top.data?.ok === true ? top.data.value.count : null;
  const isVisible = (page: number): boolean =>
    page >= from && page <= to && total !== null && page * PAGE < total;
  const near = getNearPages(from, to);
  const others = useQueries(
    { queries: near.map((page) => toQuery(page, isVisible(page))) },
    queryClient,
  );
  const visible = [top, ...others.filter((_, index) => isVisible(near[index] ?? 0))];
  const failures = visible.flatMap(({ data }) => (data?.ok === false ? [data.failure] : []));
  return {
    total,
    failure: failures[0] ?? null,
    lineAt(index) {
      const page = Math.floor(index / PAGE);
      const answer = page === 0 ? top.data : others[near.indexOf(page)]?.data;
      return answer?.ok === true ? answer.value.lines[index % PAGE] : undefined;
    },
    again() {
      for (const { data, refetch } of visible) if (data?.ok === false) void refetch();
    },
  };
}

async function readPage(question: Question, page: number): Promise<Result<LinesPage>> {
  const answer = await client().ask('spreadsheetReport', {
    ...question,
    page: String(page + 1),
    pageSize: String(PAGE),
  });
  return answer.ok ? ok({ count: answer.value.count, lines: serverLines(answer.value) }) : answer;
}

/** Returns the visible pages and those around them, without the first one. */
function getNearPages(from: number, to: number): readonly number[] {
  const begin = Math.max(1, from - MAX_PAGES / 2 + 1);
  const end = to + MAX_PAGES / 2;
  return Array.from({ length: end - begin }, (_, index) => begin + index);
}
const SETTLES_MS = 60;
