import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DayTally, Tally } from '#contract/dashboard/overview.ts';
import {
  beginsLater,
  getDayColumns,
  columnWords,
  daysAColumn,
  getTrace,
} from '#src/features/shared/charts/day-columns.ts';
import {
  againstWords,
  countDelta,
  shareDelta,
  getSuccessRate,
  formatShare,
} from '#src/features/shared/charts/deltas.ts';
import {
  columnAt,
  getDrawnValues,
  getStep,
  labelled,
  LEFT,
  roomFor,
  shortCount,
  roundUpScale,
} from '#src/ui/charts/scales.ts';
import { addDays } from '#src/features/shared/date-range/dates.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
const NONE: Tally = {
  runs: 0,
  success: 0,
  warning: 0,
  failed: 0,
  missed: 0,
  anomaly: 0,
  running: 0,
  bytes: 0,
  judged: 0,
  good: 0,
};
const getTally = (of: Partial<Tally>): Tally => {
  const one = { ...NONE, ...of };
  const good = one.success + one.warning + one.anomaly;
  return {
    ...one,
    good,
    judged: good + one.failed + one.missed,
    runs: one.success + one.warning + one.failed + one.missed + one.anomaly + one.running,
  };
};
const getBefore = (of: Partial<Tally>, whole = true) => ({ ...getTally(of), whole });
const count = fc.integer({ min: 0, max: 20_000 });
const tally = fc
  .record({
    success: count,
    warning: count,
    failed: count,
    missed: count,
    anomaly: count,
    running: count,
  })
  .map(getTally);
const getDays = (tallies: readonly Tally[]): readonly DayTally[] =>
  tallies.map((one, i) => ({ ...one, day: addDays('2026-01-01', i), from: i }));

test('DASH-4: a change has a label and a direction that is good or bad', () => {
  expect(countDelta(getTally({ failed: 118 }), getBefore({ failed: 77 }), 'failed')).toEqual({
    label: '+41',
    way: 'up',
    tone: 'bad',
  });
  expect(countDelta(getTally({ missed: 17 }), getBefore({ missed: 20 }), 'missed')).toEqual({
    label: '−3',
    way: 'down',
    tone: 'good',
  });
  expect(countDelta(getTally({ failed: 1_500 }), getBefore({ success: 1 }), 'failed').label).toBe(
    '+1,500',
  );
  expect(countDelta(getTally({ anomaly: 2 }), getBefore({ anomaly: 2 }), 'anomaly')).toEqual({
    label: 'No change',
    way: null,
    tone: null,
  });
  expect(
    shareDelta(getTally({ success: 971, failed: 29 }), getBefore({ success: 980, failed: 20 })),
  ).toEqual({ label: '−0.9 pts', way: 'down', tone: 'bad' });
  expect(shareDelta(getTally({ success: 1 }), getBefore({ success: 99, failed: 1 }))).toEqual({
    label: '+1.0 pts',
    way: 'up',
    tone: 'good',
  });
});

test('DASH-4: periods without runs or only partly stored on this device are not compared', () => {
  const now = getTally({ success: 5, failed: 3 });
  for (const before of [getBefore({ success: 9, failed: 1 }, false), getBefore({})]) {
    expect(countDelta(now, before, 'failed')).toEqual({
      label: 'No previous period',
      way: null,
      tone: null,
    });
    expect(shareDelta(now, before).tone).toBeNull();
  }
  expect(againstWords(7, getBefore({ success: 1 }))).toBe('Compared with the previous 7 days');
  expect(againstWords(7, getBefore({ success: 1 }, false))).toBe(
    'Not compared: the previous 7 days are only partly stored on this device',
  );
  expect(againstWords(1, getBefore({}))).toBe('Not compared: nothing ran on the previous day');
});

test('DASH-4: a share is never rounded up to 100 percent', () => {
  expect([
    getSuccessRate(getTally({ success: 99_999, failed: 1 })),
    getSuccessRate(getTally({ success: 3 })),
    getSuccessRate(NONE),
  ]).toEqual([999, 1000, null]);
  expect([formatShare(999), formatShare(1000), formatShare(0), formatShare(970)]).toEqual([
    '99.9',
    '100',
    '0.0',
    '97.0',
  ]);
});

test('DASH-5: every run of every day is in one column, and the number of columns is limited', () => {
  fc.assert(
    fc.property(fc.array(tally, { maxLength: 500 }), (tallies) => {
      const days = getDays(tallies);
      const columns = getDayColumns(days);
      expect(columns.reduce((sum, { runs }) => sum + runs, 0)).toBe(
        days.reduce((sum, { runs }) => sum + runs, 0),
      );
      expect(columns.length).toBe(Math.ceil(days.length / daysAColumn(days.length)));
      expect(columns.length).toBeLessThanOrEqual(62);
      expect(columns.at(-1)?.days[1]).toBe(days.at(-1)?.day);
      expect(columns[0]?.days[0]).toBe(days[0]?.day);
      for (const [
        i,
        {
          days: [first],
        },
      ] of columns.entries())
        if (i > 0) expect(first).toBe(addDays(columns[i - 1]?.days[1] ?? '', 1));
    }),
    RUNS,
  );
});

test('DASH-5: a column names its days and counts, and lines begin with the first result', () => {
  const [column] = getDayColumns(
    getDays([getTally({ success: 1_900, anomaly: 3, warning: 1, missed: 6, failed: 38 })]),
  );
  expect(column && columnWords(column)).toBe(
    '01/01/26: 38 failed, 6 did not run, 1 warning, 1,903 succeeded',
  );
  const days = getDays([NONE, NONE, getTally({ failed: 2 }), NONE]);
  const columns = getDayColumns(days);
  expect(columns[0] && columnWords(columns[0])).toBe('01/01/26: no results');
  expect(getTrace(columns, ({ failed }) => failed)).toEqual([null, null, 2, 0]);
  expect(getTrace(getDayColumns(getDays([NONE, NONE])), ({ failed }) => failed)).toEqual([
    null,
    null,
  ]);
  expect([beginsLater(days), beginsLater(days.slice(2)), beginsLater(getDays([NONE]))]).toEqual([
    '2026-01-03',
    null,
    null,
  ]);
});

test('DASH-5: each part of a bar is drawn in proportion, but at least two pixels, and no bar leaves its scale', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 30, max: 400 }),
      fc.integer({ min: 0, max: 200_000 }),
      (values, height, more) => {
        const total = values.reduce((sum, value) => sum + value, 0);
        const top = roundUpScale(total + more);
        const px = getDrawnValues(values, top, height).map((value) => (value * height) / top);
        for (const [i, value] of values.entries()) {
          const [drawn, exact] = [px[i] ?? -1, (value * height) / top];
          expect(drawn > 0).toBe(value > 0);
          if (value > 0) expect(drawn).toBeGreaterThanOrEqual(2 - 1e-9);
          // Two others can take at most their own two pixels.
          expect(Math.abs(drawn - exact)).toBeLessThanOrEqual(4);
        }
        expect(px.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(height + 1e-6);
      },
    ),
    RUNS,
  );
  expect(getDrawnValues([51, 10, 16], 80, 186)).toEqual([51, 10, 16]);
});

test('DASH-5: a position in the chart leads to the column drawn there', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 62 }),
      fc.integer({ min: 300, max: 1_200 }),
      fc.constantFrom(LEFT, 64),
      (count, width, left) => {
        const step = getStep(width, count, left);
        expect(left + count * step).toBeCloseTo(width, 6);
        for (let i = 0; i < count; i += 1)
          expect(columnAt(left + (i + 0.5) * step, step, count, left)).toBe(i);
        expect([columnAt(0, step, count, left), columnAt(width, step, count, left)]).toEqual([
          0,
          count - 1,
        ]);
      },
    ),
    RUNS,
  );
});

test('DASH-5: scales have whole steps and short labels, and the days below the chart do not overlap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000_000 }), (max) => {
      expect(roundUpScale(max)).toBeGreaterThanOrEqual(max);
      expect(roundUpScale(max) % 4).toBe(0);
      expect(roundUpScale(max)).toBeLessThanOrEqual(Math.max(4, max * 2));
      expect(roomFor(max)).toBeGreaterThanOrEqual(max);
    }),
    RUNS,
  );
  expect([
    roundUpScale(0),
    roundUpScale(77),
    roundUpScale(93),
    roomFor(1_240),
    shortCount(999),
    shortCount(1_500),
    shortCount(2_000_000),
  ]).toEqual([4, 80, 100, 1_500, '999', '1.5k', '2M']);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 62 }),
      fc.integer({ min: 4, max: 60 }),
      (columns, step) => {
        const at = labelled(columns, step);
        expect(at.at(-1)).toBe(columns - 1);
        for (const [i, one] of at.entries())
          if (i > 0) expect((one - (at[i - 1] ?? 0)) * step).toBeGreaterThanOrEqual(56);
      },
    ),
    RUNS,
  );
});
