import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  hourName,
  periodName,
  stepSpan,
  getSpanUnit,
  unitShown,
} from '#src/features/calendar/steps.ts';
import { addDays, getDays } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';

const RUNS = { numRuns: 200 * Number(process.env['PROOF'] ?? 1) };
const TODAY = '2026-11-20';
const back = (span: Span): readonly string[] => getDays(stepSpan(span, TODAY, -1) ?? span, TODAY);

test('CALV-4: a step goes to the month, quarter or year before, or to as many days', () => {
  expect(back({ kind: 'this', unit: 'month' })).toEqual(['2026-10-01', '2026-10-31']);
  expect(back({ kind: 'before', unit: 'month' })).toEqual(['2026-09-01', '2026-09-30']);
  expect(back({ kind: 'this', unit: 'quarter' })).toEqual(['2026-07-01', '2026-09-30']);
  expect(back({ kind: 'range', from: '2026-01-01', to: '2026-03-31' })).toEqual([
    '2025-10-01',
    '2025-12-31',
  ]);
  expect(back({ kind: 'this', unit: 'year' })).toEqual(['2025-01-01', '2025-12-31']);
  expect(back({ kind: 'last', days: 30 })).toEqual(['2026-09-22', '2026-10-21']);
  // 31 days before the last 31 are January: the step after is February.
  const january = stepSpan({ kind: 'last', days: 31 }, '2026-03-03', -1);
  expect(january && getDays(january, '2026-03-03')).toEqual(['2026-01-01', '2026-01-31']);
  expect(january && stepSpan(january, '2026-03-03', 1)).toEqual({ kind: 'before', unit: 'month' });
});

test('CALV-4: steps join without a day missing or repeated, a step there and back returns, and none leads past today', () => {
  const span = fc.oneof(
    fc.constantFrom<Span>(
      { kind: 'this', unit: 'month' },
      { kind: 'before', unit: 'month' },
      { kind: 'this', unit: 'quarter' },
      { kind: 'before', unit: 'quarter' },
      { kind: 'this', unit: 'year' },
    ),
    fc.integer({ min: 1, max: 366 }).map((days): Span => ({ kind: 'last', days })),
  );
  const today = fc.integer({ min: 0, max: 9_000 }).map((days) => addDays('2010-01-01', days));
  fc.assert(
    fc.property(span, today, (one, at) => {
      const before = stepSpan(one, at, -1);
      if (!before) throw new Error('there is always a day before');
      expect(addDays(getDays(before, at)[1], 1)).toBe(getDays(one, at)[0]);
      const home = stepSpan(before, at, 1);
      if (!home) throw new Error('there was a way from there');
      expect(getDays(home, at)[0]).toBe(getDays(one, at)[0]);
      // As many days as a month, quarter or year that they happen to be are that from then on, and
      // so is what comes after.
      const became = one.kind === 'last' ? getSpanUnit(before, at) : null;
      if (became) expect(getSpanUnit(home, at)).toBe(became);
      else expect(getDays(home, at)).toEqual(getDays(one, at));
      expect(getDays(one, at)[1] >= at ? stepSpan(one, at, 1) : null).toBeNull();
    }),
    RUNS,
  );
});

test('CALV-4: days are named as the month, quarter or year that they are, and changing from month to quarter stays in place', () => {
  expect(periodName({ kind: 'this', unit: 'month' }, TODAY)).toBe('November 2026');
  expect(periodName({ kind: 'range', from: '2026-04-01', to: '2026-06-30' }, TODAY)).toBe(
    'Q2 2026',
  );
  expect(periodName({ kind: 'this', unit: 'year' }, TODAY)).toBe('2026');
  expect(periodName({ kind: 'last', days: 30 }, TODAY)).toBe('10/22/26 to 11/20/26');
  expect(periodName({ kind: 'yesterday' }, TODAY)).toBe('11/19/26');
  // The 30 days to the 30th are November as well: but they move on with today.
  expect(getSpanUnit({ kind: 'last', days: 30 }, '2026-11-30')).toBeNull();
  expect(
    unitShown({ kind: 'range', from: '2026-05-01', to: '2026-05-31' }, 'quarter', TODAY),
  ).toEqual({ kind: 'range', from: '2026-04-01', to: '2026-06-30' });
  expect(unitShown({ kind: 'this', unit: 'quarter' }, 'month', TODAY)).toEqual({
    kind: 'this',
    unit: 'month',
  });
});

test('CALV-5: the hour at which days start is shown as a time', () => {
  expect([0, 6, 12, 18].map(hourName)).toEqual(['12:00 AM', '06:00 AM', '12:00 PM', '06:00 PM']);
});
