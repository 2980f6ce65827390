import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullAt, FULL_WITHIN } from '#contract/repositories/capacity.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
const DAY = 86_400_000;
const TB = 1_000_000_000_000;
const FIRST = Date.parse('2026-01-01T00:00:00Z');
const dayAt = (index: number): string => new Date(FIRST + index * DAY).toISOString().slice(0, 10);

/** Used bytes of days in a row (null: not said), sampled at noon of the last. */
const repository = (
  used: readonly (number | null)[],
  capacityBytes: number | null = TB,
  at = used.length - 1,
) => ({
  days: used.map((usedBytes, index) => ({ day: dayAt(index), usedBytes, capacityBytes })),
  capacityBytes,
  sampledAt: FIRST + at * DAY + DAY / 2,
});
const grows = (from: number, daily: number, days: number): number[] =>
  Array.from({ length: days }, (_, index) => from + index * daily);

test('REPO-1: what grows evenly is full when what is left is used up', () => {
  const one = repository(grows(0.5 * TB, 0.01 * TB, 11)); // 0.6 used, 0.4 left
  expect(fullAt(one)).toBe(one.sampledAt + 40 * DAY);
  // The capacity was raised: what counts is the present one.
  expect(fullAt({ ...one, capacityBytes: 2 * TB })).toBe(one.sampledAt + 140 * DAY);
  // The last that was said of the capacity, where the last sample did not say it.
  expect(fullAt({ ...one, capacityBytes: null })).toBe(one.sampledAt + 40 * DAY);
});

test('REPO-1: there is no estimate for fewer than seven days, without growth or capacity, and beyond two years', () => {
  expect(fullAt(repository(grows(0, 0.01 * TB, 6)))).toBeNull();
  expect(fullAt(repository([...grows(0, 0.01 * TB, 6), null, null]))).toBeNull();
  expect(fullAt(repository(grows(0, 0.01 * TB, 7)))).not.toBeNull();
  expect(fullAt(repository(grows(0.5 * TB, 0, 30)))).toBeNull();
  expect(fullAt(repository(grows(0.5 * TB, -1, 30)))).toBeNull();
  for (const capacity of [null, 0])
    expect(fullAt(repository(grows(0, 0.01 * TB, 30), capacity))).toBeNull();
  const slow = repository(grows(0, TB / 1_000, 20)); // 981 days left
  expect(fullAt(slow)).toBeNull();
  expect(fullAt({ ...slow, capacityBytes: 0.5 * TB })).not.toBeNull();
  expect(fullAt({ days: [], capacityBytes: TB, sampledAt: FIRST })).toBeNull();
});

test('REPO-1: a growing repository that is full has been since its last report, and an estimate begins at the last report', () => {
  const full = repository(grows(0.9 * TB, 0.02 * TB, 10));
  expect(fullAt(full)).toBe(full.sampledAt);
  const silent = repository([...grows(0.5 * TB, 0.01 * TB, 11), null, null, null]);
  expect(fullAt(silent)).toBe(FIRST + 11 * DAY + 40 * DAY);
});

const daily = fc.integer({ min: 1, max: 20 }).map((n) => n * 1_000_000_000);
const length = fc.integer({ min: 7, max: 90 });

test('REPO-1: up to a quarter of the days may be anything at all, but the last', () => {
  fc.assert(
    fc.property(
      daily,
      fc.integer({ min: 12, max: 90 }),
      fc.array(
        fc.tuple(fc.nat(), fc.oneof(fc.integer({ min: 0, max: 5 * TB }), fc.constant(null))),
        { maxLength: 22 },
      ),
      (growth, days, wild) => {
        const clean = repository(grows(1_000_000_000, growth, days), 3 * TB);
        const spoilt = clean.days.map((one) => ({ ...one }));
        for (const [at, usedBytes] of wild.slice(0, Math.floor(days / 4) - 1)) {
          const one = spoilt[at % (days - 1)];
          if (one) one.usedBytes = usedBytes;
        }
        if (spoilt.filter(({ usedBytes }) => usedBytes !== null).length < 7) return;
        expect(fullAt({ ...clean, days: spoilt })).toBe(fullAt(clean));
      },
    ),
    runs(300),
  );
});

test('REPO-1: a time is never before what is known nor beyond two years; more room is never full earlier; the unit does not matter', () => {
  const used = fc.array(
    fc.option(
      fc.integer({ min: 0, max: 2_000 }).map((n) => n * 1_000_000_000),
      { freq: 8 },
    ),
    { minLength: 1, maxLength: 90 },
  );
  fc.assert(
    fc.property(
      used,
      fc.integer({ min: 1, max: 3_000 }),
      fc.integer({ min: 0, max: 1_000 }),
      (list, room, more) => {
        const capacity = room * 1_000_000_000;
        const [one, larger] = [
          repository(list, capacity),
          repository(list, capacity + more * 1_000_000_000),
        ];
        const at = fullAt(one);
        const later = fullAt(larger);
        if (at !== null) {
          const last = list.findLastIndex((value) => value !== null);
          expect(at).toBeGreaterThanOrEqual(Math.min(one.sampledAt, FIRST + (last + 1) * DAY));
          expect(at).toBeLessThanOrEqual(one.sampledAt + FULL_WITHIN);
          if (later !== null) expect(later).toBeGreaterThanOrEqual(at);
        } else expect(later).toBeNull();
        const scaled = fullAt(
          repository(
            list.map((value) => (value === null ? null : value * 2)),
            capacity * 2,
          ),
        );
        expect(scaled === null ? null : Math.round(scaled / 1_000)).toBe(
          at === null ? null : Math.round(at / 1_000),
        );
      },
    ),
    runs(500),
  );
});

test('REPO-1: the growth is the median of all growths between two days, found by sorting them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 7, maxLength: 40 }),
      (list) => {
        const slopes = list
          .flatMap((later, i) => list.slice(0, i).map((earlier, j) => (later - earlier) / (i - j)))
          .toSorted((a, b) => a - b);
        const half = slopes.length >> 1;
        const [below = 0, upper = 0] = slopes.slice(half - 1, half + 1);
        const growth = slopes.length % 2 === 1 ? upper : (below + upper) / 2;
        const one = repository(list, 500);
        const left = ((500 - (list.at(-1) ?? 0)) / growth) * DAY;
        const details = fullAt(one);
        if (growth <= 0 || left > FULL_WITHIN) expect(details).toBeNull();
        else expect(Math.abs((details ?? 0) - (one.sampledAt + left))).toBeLessThanOrEqual(1);
      },
    ),
    runs(1_000),
  );
});

test('REPO-1: growth that varies around a line is estimated by the line', () => {
  fc.assert(
    fc.property(
      daily,
      length,
      fc.array(fc.double({ min: -0.4, max: 0.4, noNaN: true }), { minLength: 90, maxLength: 90 }),
      (growth, days, noise) => {
        const even = grows(10 * growth, growth, days);
        const swinging = even.map((used, index) =>
          index === days - 1 ? used : Math.round(used + (noise[index] ?? 0) * growth),
        );
        const [line, swings] = [
          fullAt(repository(even, 200 * growth)),
          fullAt(repository(swinging, 200 * growth)),
        ];
        expect(line).not.toBeNull();
        const left = (line ?? 0) - repository(even).sampledAt;
        expect(Math.abs((swings ?? 0) - (line ?? 0))).toBeLessThanOrEqual(left * 0.25);
      },
    ),
    runs(300),
  );
});

test('REPO-1: five hundred repositories of ninety days take less than two seconds', () => {
  const all = Array.from({ length: 500 }, (_, index) =>
    repository(
      grows(index, 1_000 + index, 90).map((used, day) => used + ((day * 7919 + index) % 501)),
    ),
  );
  const begin = process.threadCpuUsage();
  for (const one of all) fullAt(one);
  expect(process.threadCpuUsage(begin).user / 1_000).toBeLessThan(2_000);
});
