import { CALENDAR_MODES } from '#contract/calendar/calendar.ts';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import { isDay, spanKey, spanOfKey } from '#src/features/shared/date-range/dates.ts';
import { bounded, DEFAULT_BOARD } from './board.ts';
import type { CalendarBoard, Fold, OpenDay } from './board.ts';

const TEXT_CHARS = 200;

/** Returns the query of an address without `?`. Default values are left out. */
export function formatCalendarQuery(board: CalendarBoard): string {
  const params = new URLSearchParams();
  const put = (key: string, value: string, byDefault: string): void => {
    if (value !== byDefault) params.set(key, value);
  };
  put('date', spanKey(board.span), spanKey(DEFAULT_BOARD.span));
  put('show', board.mode, DEFAULT_BOARD.mode);
  put('company', board.companies.join(), '');
  put('source', board.sources.join(), '');
  put('type', board.types.join(), '');
  put('instructionType', board.instructionTypes.join(), '');
  put('problems', board.problemsOnly ? 'only' : '', '');
  put('q', board.text, '');
  put('folded', [...(board.fold.all ? ['all'] : []), ...board.fold.except].join(), '');
  put('cell', board.open === null ? '' : `${board.open.of}-${board.open.n},${board.open.day}`, '');
  return params.toString().replaceAll('%2C', ',');
}

/** Parses any query. Unknown, repeated or invalid values fall back to their defaults one by one. */
export function parseCalendarAddress(query: string): CalendarBoard {
  const params = new URLSearchParams(query);
  const words = (key: string): readonly string[] => [
    ...new Set((params.get(key) ?? '').split(',').filter((word) => word !== '')),
  ];
  const among = <T extends string>(key: string, all: readonly T[]): readonly T[] =>
    words(key).filter((word): word is T => (all as readonly string[]).includes(word));
  const numbers = (key: string): readonly number[] =>
    words(key)
      .filter((word) => /^[1-9]\d{0,9}$/.test(word))
      .map(Number);
  const span = spanOfKey(params.get('date') ?? '');
  const fold: Fold = { all: words('folded')[0] === 'all', except: numbers('folded') };
  return {
    span: span === null ? DEFAULT_BOARD.span : bounded(span),
    mode: CALENDAR_MODES.find((mode) => mode === params.get('show')) ?? DEFAULT_BOARD.mode,
    companies: numbers('company'),
    sources: among('source', SOURCES),
    types: among('type', JOB_TYPES),
    instructionTypes: among('instructionType', ENTITY_GROUPS),
    problemsOnly: params.get('problems') === 'only',
    text: (params.get('q') ?? '').slice(0, TEXT_CHARS),
    fold,
    open: parseOpened(params.get('cell') ?? ''),
  };
}

function parseOpened(text: string): OpenDay | null {
  const found = /^(job|company)-([1-9]\d{0,9}),(.+)$/.exec(text);
  const day = found?.[3] ?? '';
  return found && isDay(day)
    ? { of: found[1] === 'job' ? 'job' : 'company', n: Number(found[2]), day }
    : null;
}

/**
 * Returns the address of the run list for an open cell: all runs of the day, whatever their review.
 */
export function dayListAddress({ of, n, day }: OpenDay, run: number | null = null): string {
  const whose = of === 'job' ? `job=${n}` : `company=${n}&state=Failed,Error,Missed`;
  return `/monitoring/daily-checks?date=${day}..${day}&rows=runs&review=any&${whose}${run === null ? '' : `&run=${run}`}`;
}
