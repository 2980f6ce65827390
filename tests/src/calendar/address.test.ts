import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CALENDAR_MODES } from '#contract/calendar/calendar.ts';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import {
  parseCalendarAddress,
  dayListAddress,
  formatCalendarQuery,
} from '#src/features/calendar/address.ts';
import {
  getCalendarInput,
  bounded,
  clearedBoard,
  DEFAULT_BOARD,
  foldToggled,
  hasCalendarFilter,
  MAX_DAYS,
} from '#src/features/calendar/board.ts';
import type { CalendarBoard } from '#src/features/calendar/board.ts';
import { parseListAddress } from '#src/features/shared/runs/list-address.ts';
import { addDays, getDays } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
const some = <T>(all: readonly T[]): fc.Arbitrary<T[]> =>
  fc.uniqueArray(fc.constantFrom(...all), { maxLength: 4 });
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 9_999_999 }), { maxLength: 4 });
const day = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days));
const span: fc.Arbitrary<Span> = fc.oneof(
  fc.constantFrom<Span>(
    { kind: 'today' },
    { kind: 'yesterday' },
    { kind: 'this', unit: 'quarter' },
    { kind: 'before', unit: 'month' },
  ),
  fc.integer({ min: 1, max: MAX_DAYS }).map((days): Span => ({ kind: 'last', days })),
  fc
    .tuple(day, fc.integer({ min: 0, max: MAX_DAYS - 1 }))
    .map(([from, days]): Span => ({ kind: 'range', from, to: addDays(from, days) })),
);
const board: fc.Arbitrary<CalendarBoard> = fc.record({
  span,
  mode: fc.constantFrom(...CALENDAR_MODES),
  companies: ids,
  sources: some(SOURCES),
  types: some(JOB_TYPES),
  instructionTypes: some(ENTITY_GROUPS),
  problemsOnly: fc.boolean(),
  text: fc.string({ maxLength: 60, unit: 'binary' }).map((text) => text.toWellFormed()),
  fold: fc.record({ all: fc.boolean(), except: ids }),
  open: fc.option(
    fc.record({
      of: fc.constantFrom('job' as const, 'company' as const),
      n: fc.integer({ min: 1, max: 9_999_999 }),
      day,
    }),
  ),
});

test("CALV-1: the address has the calendar's whole state, and reads back the same", () => {
  fc.assert(
    fc.property(board, (one) => {
      expect(parseCalendarAddress(formatCalendarQuery(one))).toEqual(one);
    }),
    RUNS,
  );
});

test('CALV-1: a plain address is the last 30 days of all jobs, the worst of each day', () => {
  expect(parseCalendarAddress('')).toEqual(DEFAULT_BOARD);
  expect(formatCalendarQuery(DEFAULT_BOARD)).toBe('');
  expect(DEFAULT_BOARD).toMatchObject({
    span: { kind: 'last', days: 30 },
    mode: 'worst',
    companies: [],
    problemsOnly: false,
  });
});

test('CALV-2: invalid values of an address fall back one by one, and no calendar is longer than a leap year', () => {
  fc.assert(
    fc.property(fc.string(), (query) => {
      parseCalendarAddress(query);
    }),
    RUNS,
  );
  const read = parseCalendarAddress(
    'date=last-999&show=nonsense&company=3,x,-1,3&source=restic,none&problems=yes&folded=all,7,q&cell=job-0,2026-11-18',
  );
  expect(read).toEqual({
    ...DEFAULT_BOARD,
    span: { kind: 'last', days: MAX_DAYS },
    companies: [3],
    sources: ['restic'],
    fold: { all: true, except: [7] },
  });
  const [from, to] = getDays(
    bounded({ kind: 'range', from: '1990-01-01', to: '2026-11-20' }),
    '2026-11-20',
  );
  expect([from, to]).toEqual(['2025-11-20', '2026-11-20']);
});

test('CALV-1: clearing shows all jobs again and keeps days, mode and folding', () => {
  fc.assert(
    fc.property(board, (one) => {
      expect(hasCalendarFilter(clearedBoard(one))).toBe(false);
      expect(clearedBoard(one)).toMatchObject({ span: one.span, mode: one.mode, fold: one.fold });
    }),
    RUNS,
  );
});

test('CALV-3: a company folds and unfolds, whether some are folded or all but some', () => {
  const rule = { zone: 'UTC', hour: 0 };
  const every = [1, 2, 3];
  const rows = { first: 0, count: 10 };
  const folded = (one: CalendarBoard): readonly number[] =>
    getCalendarInput(one, '2026-11-20', rule, rows, every).folded;
  expect(folded({ ...DEFAULT_BOARD, fold: foldToggled(DEFAULT_BOARD.fold, 2) })).toEqual([2]);
  expect(
    folded({ ...DEFAULT_BOARD, fold: foldToggled(foldToggled(DEFAULT_BOARD.fold, 2), 2) }),
  ).toEqual([]);
  expect(folded({ ...DEFAULT_BOARD, fold: { all: true, except: [] } })).toEqual([1, 2, 3]);
  expect(folded({ ...DEFAULT_BOARD, fold: foldToggled({ all: true, except: [] }, 2) })).toEqual([
    1, 3,
  ]);
});

const of = (address: string): ReturnType<typeof parseListAddress> =>
  parseListAddress(address.slice(address.indexOf('?')));

test("CALV-8: a cell links to the list of its day and job, every run whatever its review; a company's to its failures", () => {
  expect(of(dayListAddress({ of: 'job', n: 12, day: '2026-11-18' }))).toMatchObject({
    span: { kind: 'range', from: '2026-11-18', to: '2026-11-18' },
    rows: 'runs',
    review: null,
    jobs: [12],
  });
  expect(of(dayListAddress({ of: 'job', n: 12, day: '2026-11-18' }, 77))).toMatchObject({
    jobs: [12],
    open: 77,
  });
  expect(of(dayListAddress({ of: 'company', n: 3, day: '2026-11-18' }))).toMatchObject({
    companies: [3],
    jobs: [],
    states: ['Failed', 'Error', 'Missed'],
  });
});
