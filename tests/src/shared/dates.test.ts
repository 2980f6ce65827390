import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addDays,
  dayAt,
  getDays,
  SHORTCUTS,
  spanLabel,
  firstMomentOfDay,
  getTimes,
} from '#src/features/shared/date-range/dates.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
const ZONES = Intl.supportedValuesOf('timeZone');
const rule = fc.record({
  zone: fc.constantFrom(...ZONES),
  hour: fc.constantFrom(0, 0, 2, 3, 6, 18),
});
const day = fc.integer({ min: 0, max: 6_000 }).map((days) => addDays('2015-01-01', days));

test('DAY-5: a day has every moment from its start to the start of the next, in any zone, over every clock change', () => {
  fc.assert(
    fc.property(day, rule, fc.double({ min: 0, max: 1, noNaN: true }), (one, by, part) => {
      const from = firstMomentOfDay(one, by);
      const to = firstMomentOfDay(addDays(one, 1), by);
      expect(to).toBeGreaterThan(from);
      expect(to - from).toBeLessThanOrEqual(26 * 3_600_000);
      expect(dayAt(from, by)).toBe(one);
      expect(dayAt(Math.min(to - 1, Math.floor(from + part * (to - from))), by)).toBe(one);
      expect(dayAt(from - 1, by) < one).toBe(true);
    }),
    RUNS,
  );
});

test("DAY-5: the shortcuts run from the start of their first day to the end of their last, in the provider's time zone", () => {
  const by = { zone: 'America/New_York', hour: 0 };
  const today = dayAt(Date.parse('2026-11-20T03:00:00Z'), by);
  expect(today).toBe('2026-11-19');
  expect(SHORTCUTS.map(spanLabel)).toEqual([
    'Today',
    'Yesterday',
    'Last 2 Days',
    'Last 3 Days',
    'Last 4 Days',
    'Last 5 Days',
    'Last 7 Days',
    'Last 14 Days',
    'Last 30 Days',
    'Last 90 Days',
    'This Month',
    'Last Month',
    'This Quarter',
    'Last Quarter',
    'This Year',
    'Last Year',
  ]);
  expect(SHORTCUTS.map((span) => getDays(span, today))).toEqual([
    ['2026-11-19', '2026-11-19'],
    ['2026-11-18', '2026-11-18'],
    ['2026-11-18', '2026-11-19'],
    ['2026-11-17', '2026-11-19'],
    ['2026-11-16', '2026-11-19'],
    ['2026-11-15', '2026-11-19'],
    ['2026-11-13', '2026-11-19'],
    ['2026-11-06', '2026-11-19'],
    ['2026-10-21', '2026-11-19'],
    ['2026-08-22', '2026-11-19'],
    ['2026-11-01', '2026-11-30'],
    ['2026-10-01', '2026-10-31'],
    ['2026-10-01', '2026-12-31'],
    ['2026-07-01', '2026-09-30'],
    ['2026-01-01', '2026-12-31'],
    ['2025-01-01', '2025-12-31'],
  ]);
  expect(getTimes({ kind: 'last', days: 2 }, today, by)).toEqual({
    from: Date.parse('2026-11-18T05:00:00Z'),
    to: Date.parse('2026-11-20T05:00:00Z'),
  });
  // the clock goes back on 11/01
  expect(getTimes({ kind: 'range', from: '2026-10-31', to: '2026-11-01' }, today, by)).toEqual({
    from: Date.parse('2026-10-31T04:00:00Z'),
    to: Date.parse('2026-11-02T05:00:00Z'),
  });
});

test('DAY-5: if the day starts at another hour, the small hours belong to the day before', () => {
  const by = { zone: 'Europe/Berlin', hour: 6 };
  expect(dayAt(Date.parse('2026-11-20T04:30:00Z'), by)).toBe('2026-11-19');
  expect(dayAt(Date.parse('2026-11-20T05:00:00Z'), by)).toBe('2026-11-20');
  expect(firstMomentOfDay('2026-11-20', by)).toBe(Date.parse('2026-11-20T05:00:00Z'));
});
