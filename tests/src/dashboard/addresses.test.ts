import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RUN_STATES } from '#contract/runs/query.ts';
import { ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import { parseListAddress } from '#src/features/shared/runs/list-address.ts';
import {
  BOARD,
  boardAddress,
  parseDashboardAddress,
  formatDashboardQuery,
  STATS,
} from '#src/features/dashboard/address.ts';
import { resultsAddress, searchAddress } from '#src/features/shared/page-links/results.ts';
import type { DashboardBoard } from '#src/features/dashboard/address.ts';
import { companyComputersAddress } from '#src/features/dashboard/computers.ts';
import { besidePlace } from '#src/features/shared/lists/address.ts';
import { daysWords, getHistory, toDayRange } from '#src/features/shared/date-range/day-range.ts';
import { addDays, firstMomentOfDay } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
const day = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days));
const span: fc.Arbitrary<Span> = fc.oneof(
  fc.constantFrom<Span>(
    { kind: 'today' },
    { kind: 'yesterday' },
    { kind: 'this', unit: 'month' },
    { kind: 'before', unit: 'quarter' },
  ),
  fc.integer({ min: 1, max: 999 }).map((days): Span => ({ kind: 'last', days })),
  fc
    .tuple(day, fc.integer({ min: 0, max: 60 }))
    .map(([from, days]): Span => ({ kind: 'range', from, to: addDays(from, days) })),
);
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 9_999_999 }), { maxLength: 4 });
const groups = fc.subarray([...ENTITY_GROUPS]);
const board: fc.Arbitrary<DashboardBoard> = fc.record({
  span,
  companies: ids,
  instructionTypes: groups,
  own: fc.dictionary(fc.constantFrom(...STATS), span),
});
const RULE = { zone: 'Europe/Berlin', hour: 6 };
const of = (address: string): string => address.slice(address.indexOf('?') + 1);

test('DASH-1: the address has the whole dashboard, and a plain address is the last seven days of everything', () => {
  fc.assert(
    fc.property(board, (one) => {
      expect(parseDashboardAddress(formatDashboardQuery(one))).toEqual({
        ...one,
        own: { ...one.own },
      });
    }),
    RUNS,
  );
  expect(parseDashboardAddress('')).toEqual(BOARD);
  expect(boardAddress(BOARD)).toBe('/monitoring/dashboard');
  expect(BOARD.span).toEqual({ kind: 'last', days: 7 });
});

test('DASH-1: invalid values in an address fall back one by one', () => {
  expect(
    parseDashboardAddress(
      '?date=last-0&company=4,x,-2,4&instructionType=tape,office365&failed-date=never&missed-date=last-30',
    ),
  ).toEqual({
    ...BOARD,
    companies: [4],
    instructionTypes: ['office365'],
    own: { missed: { kind: 'last', days: 30 } },
  });
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      expect(parseDashboardAddress(formatDashboardQuery(parseDashboardAddress(text)))).toEqual(
        parseDashboardAddress(text),
      );
    }),
    RUNS,
  );
});

test('DASH-2: a title opens the list with from, to and instructionType, and the list reads exactly these', () => {
  fc.assert(
    fc.property(
      fc.tuple(day, fc.integer({ min: 0, max: 90 })),
      ids,
      groups,
      fc.subarray([...RUN_STATES]),
      ([from, more], companies, instructionTypes, states) => {
        const days = [from, addDays(from, more)] as const;
        const address = resultsAddress({ days, companies, instructionTypes, states });
        const params = new URLSearchParams(of(address));
        expect([params.get('from'), params.get('to'), params.get('instructionType')]).toEqual([
          days[0],
          days[1],
          instructionTypes.length === 0 ? 'all' : instructionTypes.join(),
        ]);
        expect(parseListAddress(of(address))).toMatchObject({
          span: { kind: 'range', from: days[0], to: days[1] },
          companies,
          instructionTypes,
          states,
          review: null,
          rows: 'runs',
        });
      },
    ),
    RUNS,
  );
});

const companyName = (n: number): string => `Company ${n}`;
const openCard = (
  companies: readonly number[],
  instructionTypes: DashboardBoard['instructionTypes'],
): string =>
  companyComputersAddress(companies, companyName, {
    days: ['2026-11-14', '2026-11-20'],
    instructionTypes,
  });

test('DASH-2: the card of computers passes on from, to and instructionType too, and still finds the one company', () => {
  expect(openCard([], [])).toBe(
    '/monitoring/daily-checks/computers?from=2026-11-14&to=2026-11-20&instructionType=all',
  );
  expect(openCard([3], ['office365', 'managed-agents'])).toBe(
    '/monitoring/daily-checks/computers?from=2026-11-14&to=2026-11-20&instructionType=office365,managed-agents&q=Company+3',
  );
  expect(besidePlace(of(openCard([3], [])))).toEqual({ text: 'Company 3', ignored: false });
});

test('DASH-2: a job opens with its runs, newest first; attention items open as pending', () => {
  const request = {
    days: ['2026-11-14', '2026-11-20'] as const,
    companies: [],
    instructionTypes: [],
  };
  expect(parseListAddress(of(resultsAddress({ ...request, job: 7 })))).toMatchObject({
    jobs: [7],
    order: 'newest',
    review: null,
    rows: 'runs',
  });
  expect(
    parseListAddress(of(resultsAddress({ ...request, cause: 0, pending: true }))),
  ).toMatchObject({
    causes: [0],
    review: 'pending',
    rows: 'jobs',
    open: null,
  });
  expect(parseListAddress(of(resultsAddress({ ...request, run: 9, pending: true })))).toMatchObject(
    {
      open: 9,
      review: 'pending',
    },
  );
  expect(parseListAddress(of(searchAddress(' a & b ')))).toMatchObject({
    text: 'a & b',
    review: null,
  });
});

test('DASH-3: future days are no part of a figure, and the chart shows at least thirty days', () => {
  const today = '2026-11-20';
  expect(toDayRange({ kind: 'this', unit: 'month' }, today, RULE)).toMatchObject({
    days: ['2026-11-01', today],
    count: 20,
    to: firstMomentOfDay('2026-11-21', RULE),
  });
  expect(toDayRange({ kind: 'last', days: 7 }, today, RULE)).toMatchObject({
    days: ['2026-11-14', today],
    count: 7,
    from: firstMomentOfDay('2026-11-14', RULE),
  });
  expect(
    toDayRange({ kind: 'range', from: '2026-12-01', to: '2026-12-05' }, today, RULE).days,
  ).toEqual(['2026-12-01', '2026-12-01']);
  expect(getHistory(toDayRange({ kind: 'last', days: 7 }, today, RULE), RULE)).toMatchObject({
    days: ['2026-10-22', today],
    count: 30,
  });
  expect(getHistory(toDayRange({ kind: 'last', days: 90 }, today, RULE), RULE).count).toBe(90);
  expect([
    daysWords(['2026-11-20', '2026-11-20']),
    daysWords(['2026-11-14', '2026-11-20']),
  ]).toEqual(['11/20/26', '11/14/26 to 11/20/26']);
});
