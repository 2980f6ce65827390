import type { CalendarAsk, CalendarMode } from '#contract/calendar/calendar.ts';
import type { CompanyN, Day, JobN } from '#contract/ids.ts';
import { daysOf, timesOf } from '#src/features/shared/date-range/dates.ts';
import type { DayRule, Span } from '#src/features/shared/date-range/dates.ts';

/**
 * Everything that shapes the calendar, and the cell that is open over it: what the address holds.
 * Empty lists mean "all".
 */
export interface Board extends Pick<
  CalendarAsk,
  'companies' | 'sources' | 'types' | 'instructionTypes' | 'problemsOnly' | 'text'
> {
  readonly span: Span;
  readonly mode: CalendarMode;
  readonly fold: Fold;
  readonly open: Opened | null;
}

/** Companies whose jobs are folded away: some, or all but some. */
export interface Fold {
  readonly all: boolean;
  readonly except: readonly CompanyN[];
}

/** A day of a job, or of a company; `n` is its number. */
export interface Opened {
  readonly of: 'job' | 'company';
  readonly n: JobN;
  readonly day: Day;
}

export const DEFAULTS: Board = {
  span: { is: 'last', days: 30 },
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
export const MOST_DAYS = 366;

/**
 * What the worker is asked. All days come at once, so that scrolling sideways waits for nothing.
 * `every`: all companies, for "all but some".
 */
export function askOf(
  board: Board,
  today: Day,
  rule: DayRule,
  rows: CalendarAsk['rows'],
  every: readonly CompanyN[],
): CalendarAsk {
  const { mode, companies, sources, types, instructionTypes, problemsOnly, text } = board;
  return {
    ...timesOf(board.span, today, rule),
    mode,
    companies,
    sources,
    types,
    instructionTypes,
    problemsOnly,
    text,
    folded: foldedOf(board.fold, every),
    rows,
    days: { first: 0, count: MOST_DAYS },
  };
}

export const foldedOf = ({ all, except }: Fold, every: readonly CompanyN[]): readonly CompanyN[] =>
  all ? every.filter((n) => !except.includes(n)) : except;

/** Folds a company away, or unfolds it. */
export const foldToggled = ({ all, except }: Fold, n: CompanyN): Fold => ({
  all,
  except: except.includes(n) ? except.filter((one) => one !== n) : [...except, n],
});

export type Many = 'companies' | 'sources' | 'types' | 'instructionTypes';
const MANY: readonly Many[] = ['companies', 'sources', 'types', 'instructionTypes'];

/** How many filters are set in the dialog of filters. */
export const chosen = (board: Board): number =>
  MANY.reduce((sum, name) => sum + board[name].length, 0);

/** Whether anything narrows the jobs that are listed. */
export const isNarrowed = (board: Board): boolean =>
  chosen(board) > 0 || board.problemsOnly || board.text !== '';

/** All jobs again; days, mode and folding stay. */
export const cleared = (board: Board): Board => ({
  ...board,
  companies: [],
  sources: [],
  types: [],
  instructionTypes: [],
  problemsOnly: false,
  text: '',
});

/** No more days than a calendar has. */
export function bounded(span: Span): Span {
  if (span.is === 'last') return span.days > MOST_DAYS ? { is: 'last', days: MOST_DAYS } : span;
  if (span.is !== 'range') return span;
  const [first] = daysOf({ is: 'last', days: MOST_DAYS }, span.to);
  return span.from < first ? { ...span, from: first } : span;
}
