import type { CalendarQuery, CalendarMode } from '#contract/calendar/calendar.ts';
import type { CompanyN, Day, JobN } from '#contract/ids.ts';
import { getDays, getTimes } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';

/** State of the calendar in its address, with the open cell. Empty lists mean "all". */
export interface CalendarBoard extends Pick<
  CalendarQuery,
  'companies' | 'sources' | 'types' | 'instructionTypes' | 'problemsOnly' | 'text'
> {
  readonly span: Span;
  readonly mode: CalendarMode;
  readonly fold: Fold;
  readonly open: OpenDay | null;
}

/** Companies whose jobs are collapsed: some, or all except some. */
export interface Fold {
  readonly all: boolean;
  readonly except: readonly CompanyN[];
}

/** A day of a job or company; `n` is its number. */
export type OpenDay = (
  | { readonly of: 'job'; readonly n: JobN }
  | { readonly of: 'company'; readonly n: CompanyN }
) & { readonly day: Day };

export const DEFAULT_BOARD: CalendarBoard = {
  span: { kind: 'last', days: 30 },
  mode: 'worst',
  companies: [],
  sources: [],
  types: [],
  instructionTypes: [],
  problemsOnly: false,
  text: '',
  fold: { all: false, except: [] },
  open: null,
};

/** A leap year: no calendar is longer. */
export const MAX_DAYS = 366;

/**
 * Returns the worker query. It requests all days at once, so that horizontal scrolling never waits.
 * `every`: all companies, for "all except some".
 */
export function getCalendarInput(
  board: CalendarBoard,
  today: Day,
  rule: DayRule,
  rows: CalendarQuery['rows'],
  every: readonly CompanyN[],
): CalendarQuery {
  const { mode, companies, sources, types, instructionTypes, problemsOnly, text } = board;
  return {
    ...getTimes(board.span, today, rule),
    mode,
    companies,
    sources,
    types,
    instructionTypes,
    problemsOnly,
    text,
    folded: listFolded(board.fold, every),
    rows,
    days: { first: 0, count: MAX_DAYS },
  };
}

export const listFolded = (
  { all, except }: Fold,
  every: readonly CompanyN[],
): readonly CompanyN[] => (all ? every.filter((n) => !except.includes(n)) : except);

/** Collapses or expands a company. */
export const foldToggled = ({ all, except }: Fold, n: CompanyN): Fold => ({
  all,
  except: except.includes(n) ? except.filter((one) => one !== n) : [...except, n],
});

export type MultiFilter = 'companies' | 'sources' | 'types' | 'instructionTypes';
const MANY: readonly MultiFilter[] = ['companies', 'sources', 'types', 'instructionTypes'];

/** Returns the number of filters set in the filter dialog. */
export const countFilters = (board: CalendarBoard): number =>
  MANY.reduce((sum, name) => sum + board[name].length, 0);

/** Returns whether any filter narrows the listed jobs. */
export const hasCalendarFilter = (board: CalendarBoard): boolean =>
  countFilters(board) > 0 || board.problemsOnly || board.text !== '';

/** Clears all filters; days, mode and collapsed companies stay. */
export const clearedBoard = (board: CalendarBoard): CalendarBoard => ({
  ...board,
  companies: [],
  sources: [],
  types: [],
  instructionTypes: [],
  problemsOnly: false,
  text: '',
});

/** Limits the period to the calendar's maximum number of days. */
export function bounded(span: Span): Span {
  if (span.kind === 'last') return span.days > MAX_DAYS ? { kind: 'last', days: MAX_DAYS } : span;
  if (span.kind !== 'range') return span;
  const [first] = getDays({ kind: 'last', days: MAX_DAYS }, span.to);
  return span.from < first ? { ...span, from: first } : span;
}
