import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { dayOf, dayText, isTimeZone, startOfDay, worst } from '#contract/monitoring/day.ts';
import type { RunState } from '#contract/monitoring/query.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Atlantic/Azores',
  'America/St_Johns',
);
const ms = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2040, 0, 1) });
const hour = fc.integer({ min: 0, max: 23 });

const slowDay = (at: number, timeZone: string, begins: number): string => {
  const wall = DateTime.fromMillis(at, { zone: timeZone });
  return (wall.hour < begins ? wall.minus({ days: 1 }) : wall).toISODate() ?? '';
};

test('RUN-7: an operational day is the one a calendar library finds, in any zone and from any hour', () => {
  fc.assert(
    fc.property(ms, zone, hour, (at, timeZone, begins) => {
      // Apia left out 2011-12-30 whole: "a day before" has no meaning within it.
      fc.pre(
        !(timeZone === 'Pacific/Apia' && Math.abs(at - Date.UTC(2011, 11, 30)) < 3 * 86_400_000),
      );
      expect(dayText(dayOf(at, timeZone, begins))).toBe(slowDay(at, timeZone, begins));
    }),
    runs(400),
  );
});

test('RUN-7: around every change of the clocks, to the minute', () => {
  for (const [timeZone, around] of [
    ['Europe/Berlin', '2026-03-29T01:00:00Z'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['America/New_York', '2026-11-01T06:00:00Z'],
  ] as const) {
    for (let minute = -180; minute <= 180; minute += 1) {
      const at = Date.parse(around) + minute * 60_000;
      for (const begins of [0, 2, 3, 6])
        expect(dayText(dayOf(at, timeZone, begins))).toBe(slowDay(at, timeZone, begins));
    }
  }
});

test('RUN-7: a day holds its first moment and not the one before', () => {
  fc.assert(
    fc.property(ms, zone, hour, (at, timeZone, begins) => {
      const day = dayOf(at, timeZone, begins);
      fc.pre(
        !(timeZone === 'Pacific/Apia' && Math.abs(at - Date.UTC(2011, 11, 30)) < 3 * 86_400_000),
      );
      const start = startOfDay(day, timeZone, begins);
      expect(dayOf(start, timeZone, begins)).toBe(day);
      expect(dayOf(start - 1, timeZone, begins)).toBe(day - 1);
      expect(start).toBeLessThanOrEqual(at);
    }),
    runs(300),
  );
});

test('RUN-7: half a million days take less than a second', () => {
  const begin = performance.now();
  let sum = 0;
  for (let i = 0; i < 500_000; i += 1)
    sum += dayOf(1_760_000_000_000 + (i % 30) * 86_400_000 + i * 37, 'Europe/Berlin', 6);
  expect(sum).toBeGreaterThan(0);
  expect(performance.now() - begin).toBeLessThan(1_000);
});

test('RUN-7: several results of a day come to the worst, the best, the last, or a warning where they are mixed', () => {
  const day: RunState[] = ['Failed', 'Running', 'Success'];
  expect(worst(day, 'worst')).toBe('Failed');
  expect(worst(day, 'best')).toBe('Success');
  expect(worst(day, 'last')).toBe('Success');
  expect(worst(day, 'warning-if-mixed')).toBe('Warning');
  expect(worst(['Failed', 'Missed'], 'warning-if-mixed')).toBe('Failed');
  expect(worst(['Success', 'Anomaly'], 'warning-if-mixed')).toBe('Anomaly');
  expect(worst(['Success', 'Running'], 'worst')).toBe('Running');
  expect(worst(['Running'], 'best')).toBe('Running');
  for (const how of ['worst', 'best', 'last', 'warning-if-mixed'] as const)
    expect(worst([], how)).toBeNull();
  for (const [worse, better] of [
    ['Failed', 'Error'],
    ['Error', 'Missed'],
    ['Missed', 'Warning'],
    ['Warning', 'Anomaly'],
    ['Anomaly', 'Success'],
  ] as const) {
    expect(worst([better, worse], 'worst')).toBe(worse);
    expect(worst([worse, better], 'best')).toBe(better);
  }
});

test('RUN-7: a name that is no time zone is known as such', () => {
  expect(isTimeZone('Europe/Berlin')).toBe(true);
  expect(isTimeZone('Europe/Nowhere')).toBe(false);
});
