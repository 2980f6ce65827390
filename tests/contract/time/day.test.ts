import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test, vi } from 'vitest';
import { getDay, dayText, isTimeZone, startOfDay, worst } from '#contract/time/day.ts';
import type { RunState } from '#contract/runs/query.ts';

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

/** On the wall, which may go back a day while the clocks repeat an hour. */
const wallDay = (at: number, timeZone: string, begins: number): string => {
  const wall = DateTime.fromMillis(at, { zone: timeZone });
  return (wall.hour < begins ? wall.minus({ days: 1 }) : wall).toISODate() ?? '';
};
/** The latest day that has begun: where the clocks go back, a day does not begin twice. */
const slowDay = (at: number, timeZone: string, begins: number): string =>
  Array.from({ length: 13 }, (_, quarter) => wallDay(at - quarter * 900_000, timeZone, begins))
    .toSorted()
    .at(-1) ?? '';

test('RUN-7: an operational day is the one a calendar library finds, in any zone and from any hour', () => {
  fc.assert(
    fc.property(ms, zone, hour, (at, timeZone, begins) => {
      // Apia left out 2011-12-30 whole: "a day before" has no meaning within it.
      fc.pre(
        !(timeZone === 'Pacific/Apia' && Math.abs(at - Date.UTC(2011, 11, 30)) < 3 * 86_400_000),
      );
      expect(dayText(getDay(at, timeZone, begins))).toBe(slowDay(at, timeZone, begins));
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
        expect(dayText(getDay(at, timeZone, begins))).toBe(slowDay(at, timeZone, begins));
    }
  }
});

test('RUN-7: in every zone the days around each change of the clocks follow each other, from any hour', () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    for (const change of changesOf2026(timeZone)) {
      // Many zones have the same clocks.
      const clocks = [0, 86_400_000].map((later) =>
        getOffset(change - 43_200_000 + later, timeZone),
      );
      if (seen.has(`${change} ${clocks.join()}`)) continue;
      seen.add(`${change} ${clocks.join()}`);
      const quarters = Array.from({ length: 33 }, (_, i) => change + (i - 16) * 900_000);
      const walls = quarters.map((at) => DateTime.fromMillis(at, { zone: timeZone }));
      for (let begins = 0; begins < 24; begins += 1) {
        let latest = '';
        for (const [i, at] of quarters.entries()) {
          const wall = walls[i] ?? DateTime.now();
          const onWall = (wall.hour < begins ? wall.minus({ days: 1 }) : wall).toISODate() ?? '';
          if (onWall > latest) latest = onWall;
          const day = getDay(at, timeZone, begins);
          const from = startOfDay(day, timeZone, begins);
          const to = startOfDay(day + 1, timeZone, begins);
          if (from > at || to <= at || dayText(day) !== latest)
            wrong.push(`${timeZone} from ${begins}: ${new Date(at).toISOString()}`);
        }
      }
    }
  }
  expect(seen.size).toBeGreaterThan(30);
  expect(wrong).toEqual([]);
});

const getOffset = (at: number, zone: string): number => DateTime.fromMillis(at, { zone }).offset;

/** Moments, to the quarter of an hour, at which a zone changes its clocks. */
function changesOf2026(timeZone: string): readonly number[] {
  const found: number[] = [];
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 10 * 86_400_000) {
    let [before, after] = [at, at + 10 * 86_400_000];
    if (getOffset(before, timeZone) === getOffset(after, timeZone)) continue;
    while (after - before > 900_000) {
      const middle = Math.floor((before + after) / 1_800_000) * 900_000;
      if (getOffset(middle, timeZone) === getOffset(at, timeZone)) before = middle;
      else after = middle;
    }
    found.push(after);
  }
  return found;
}

test('RUN-7: a day holds its first moment and not the one before', () => {
  fc.assert(
    fc.property(ms, zone, hour, (at, timeZone, begins) => {
      const day = getDay(at, timeZone, begins);
      fc.pre(
        !(timeZone === 'Pacific/Apia' && Math.abs(at - Date.UTC(2011, 11, 30)) < 3 * 86_400_000),
      );
      const start = startOfDay(day, timeZone, begins);
      expect(getDay(start, timeZone, begins)).toBe(day);
      expect(getDay(start - 1, timeZone, begins)).toBe(day - 1);
      expect(start).toBeLessThanOrEqual(at);
    }),
    runs(300),
  );
});

test('RUN-7: the clocks of a zone are read twice a day, however many results a day has', () => {
  const reads = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  try {
    const morning = Date.UTC(2031, 3, 1, 6);
    for (let i = 0; i < 30_000; i += 1)
      getDay(morning + (i % 30) * 86_400_000 + i * 2_000, 'Asia/Dubai', 6);
    expect(reads).toHaveBeenCalledTimes(60);
  } finally {
    reads.mockRestore();
  }
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
