import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DayTally, Tally } from '#contract/dashboard/overview.ts';
import {
  beginsLater,
  columnsOf,
  columnWords,
  daysAColumn,
  goodOf,
  traceOf,
} from '#src/features/shared/charts/day-columns.ts';
import {
  againstWords,
  countDelta,
  shareDelta,
  shareOf,
  shareWords,
} from '#src/features/shared/charts/deltas.ts';
import {
  CHART,
  CHART_TALL,
  columnAt,
  draw,
  labelled,
  roomFor,
  shortCount,
  topOf,
} from '#src/features/shared/charts/scales.ts';
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
const tallyOf = (of: Partial<Tally>): Tally => {
  const one = { ...NONE, ...of };
  const good = one.success + one.warning + one.anomaly;
  return {
    ...one,
    good,
    judged: good + one.failed + one.missed,
    runs: one.success + one.warning + one.failed + one.missed + one.anomaly + one.running,
  };
};
const beforeOf = (of: Partial<Tally>, whole = true) => ({ ...tallyOf(of), whole });
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
  .map(tallyOf);
const daysOf = (tallies: readonly Tally[]): readonly DayTally[] =>
  tallies.map((one, i) => ({ ...one, day: addDays('2026-01-01', i), from: i }));

test('DASH-4: a change is told in words, and which way is better', () => {
  expect(countDelta(tallyOf({ failed: 118 }), beforeOf({ failed: 77 }), 'failed')).toEqual({
    words: '+41',
    way: 'up',
    tone: 'bad',
  });
  expect(countDelta(tallyOf({ missed: 17 }), beforeOf({ missed: 20 }), 'missed')).toEqual({
    words: '−3',
    way: 'down',
    tone: 'good',
  });
  expect(countDelta(tallyOf({ failed: 1_500 }), beforeOf({ success: 1 }), 'failed').words).toBe(
    '+1,500',
  );
  expect(countDelta(tallyOf({ anomaly: 2 }), beforeOf({ anomaly: 2 }), 'anomaly')).toEqual({
    words: 'No change',
    way: null,
    tone: null,
  });
  expect(
    shareDelta(tallyOf({ success: 971, failed: 29 }), beforeOf({ success: 980, failed: 20 })),
  ).toEqual({ words: '−0.9 pts', way: 'down', tone: 'bad' });
  expect(shareDelta(tallyOf({ success: 1 }), beforeOf({ success: 99, failed: 1 }))).toEqual({
    words: '+1.0 pts',
    way: 'up',
    tone: 'good',
  });
});

test('DASH-4: nothing is compared with a time that is not wholly on this device, or in which nothing ran', () => {
  const now = tallyOf({ success: 5, failed: 3 });
  for (const before of [beforeOf({ success: 9, failed: 1 }, false), beforeOf({})]) {
    expect(countDelta(now, before, 'failed')).toEqual({
      words: 'No previous period',
      way: null,
      tone: null,
    });
    expect(shareDelta(now, before).tone).toBeNull();
  }
  expect(againstWords(7, beforeOf({ success: 1 }))).toBe('Compared with the previous 7 days');
  expect(againstWords(7, beforeOf({ success: 1 }, false))).toBe(
    'Not compared: the previous 7 days are only partly stored on this device',
  );
  expect(againstWords(1, beforeOf({}))).toBe('Not compared: nothing ran on the previous day');
});

test('DASH-4: a share is never rounded up to all', () => {
  expect([
    shareOf(tallyOf({ success: 99_999, failed: 1 })),
    shareOf(tallyOf({ success: 3 })),
    shareOf(NONE),
  ]).toEqual([999, 1000, null]);
  expect([shareWords(999), shareWords(1000), shareWords(0), shareWords(970)]).toEqual([
    '99.9',
    '100',
    '0.0',
    '97.0',
  ]);
});

test('DASH-5: every run of every day stands in one column, and there are never too many', () => {
  fc.assert(
    fc.property(fc.array(tally, { maxLength: 500 }), (tallies) => {
      const days = daysOf(tallies);
      const columns = columnsOf(days);
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

test('DASH-5: a column says its days and counts, and lines begin with the first result', () => {
  const [column] = columnsOf(
    daysOf([tallyOf({ success: 1_900, anomaly: 3, warning: 1, missed: 6, failed: 38 })]),
  );
  expect(column && columnWords(column)).toBe(
    '01/01/26: 38 failed, 6 did not run, 1 warning, 1,903 succeeded',
  );
  const days = daysOf([NONE, NONE, tallyOf({ failed: 2 }), NONE]);
  const columns = columnsOf(days);
  expect(columns[0] && columnWords(columns[0])).toBe('01/01/26: no results');
  expect(traceOf(columns, ({ failed }) => failed)).toEqual([null, null, 2, 0]);
  expect(traceOf(columnsOf(daysOf([NONE, NONE])), ({ failed }) => failed)).toEqual([null, null]);
  expect([beginsLater(days), beginsLater(days.slice(2)), beginsLater(daysOf([NONE]))]).toEqual([
    '2026-01-03',
    null,
    null,
  ]);
});

test('DASH-5: what is drawn stays in its storey, stands on the axis without holes, and shows even one', () => {
  fc.assert(
    fc.property(
      fc.array(tally, { minLength: 1, maxLength: 62 }),
      fc.integer({ min: 300, max: 1_200 }),
      (tallies, width) => {
        const columns = columnsOf(daysOf(tallies));
        const drawn = draw(columns, width);
        const floor = CHART_TALL - CHART.under;
        drawn.columns.forEach(({ good, failed, missed, warning }, i) => {
          const column = columns[i];
          if (!column) throw new Error('more drawn than there is');
          expect([good !== null, failed !== null, missed !== null, warning !== null]).toEqual([
            goodOf(column) > 0,
            column.failed > 0,
            column.missed > 0,
            column.warning > 0,
          ]);
          if (good) expect(good.y).toBeGreaterThanOrEqual(0);
          let at = floor;
          for (const box of [failed, missed, warning]) {
            if (!box) continue;
            expect(box.y + box.height).toBeCloseTo(at, 6);
            expect(box.height).toBeGreaterThanOrEqual(2);
            at = box.y;
          }
          expect(at).toBeGreaterThanOrEqual(CHART.upper);
          for (const box of [good, failed, missed, warning])
            if (box) expect(box.x >= CHART.left && box.x + box.width <= width + 1e-6).toBe(true);
          expect(columnAt(CHART.left + (i + 0.5) * drawn.step, drawn.step, columns.length)).toBe(i);
        });
      },
    ),
    RUNS,
  );
});

test('DASH-5: scales have whole steps and short labels, and days under the chart have room', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000_000 }), (most) => {
      expect(topOf(most)).toBeGreaterThanOrEqual(most);
      expect(topOf(most) % 4).toBe(0);
      expect(topOf(most)).toBeLessThanOrEqual(Math.max(4, most * 2));
      expect(roomFor(most)).toBeGreaterThanOrEqual(most);
    }),
    RUNS,
  );
  expect([
    topOf(0),
    topOf(77),
    topOf(93),
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
