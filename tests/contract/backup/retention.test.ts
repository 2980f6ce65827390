import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import {
  isShorter,
  policyAt,
  retainedSince,
  retainedUntil,
  retainsPoint,
  retainsVersion,
} from '#contract/backup/retention.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
/** The options of the specification, with their years. */
const YEARS = {
  Year1: 1,
  Years2: 2,
  Years3: 3,
  Years5: 5,
  Years7: 7,
  Years10: 10,
  Years25: 25,
} as const;
const years = fc.constantFrom(...(Object.keys(YEARS) as (keyof typeof YEARS)[]));
const zone = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
);
const HOUR = 3_600_000;
const now = fc.oneof(
  fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }),
  fc.integer({ min: -30, max: 30 }).map((hours) => Date.UTC(2028, 1, 29) + hours * HOUR),
);

test('RETAIN-1: what is retained is what a calendar leaves of a list, and Keep retains everything', () => {
  fc.assert(
    fc.property(
      years,
      zone,
      now,
      fc.array(fc.integer({ min: -30, max: 30 }), { minLength: 1, maxLength: 8 }),
      (retentionPolicy, timeZone, at, hours) => {
        const limit = DateTime.fromMillis(at, { zone: timeZone }).minus({
          years: YEARS[retentionPolicy],
        });
        // A calendar may take the second of two equal local times, an hour later.
        fc.pre([-1, 1].every((by) => limit.offset === limit.plus({ hours: by * 2 }).offset));
        const points = hours.map((by) => limit.toMillis() + by * HOUR);
        const expected = points.filter((one) => one >= limit.toMillis());
        const loadStored = (how: (one: number) => boolean): number[] => points.filter(how);
        const policy = { retentionPolicy };
        expect(
          loadStored((one) =>
            retainsPoint({ ...policy, retentionType: 'SnapshotBased' }, one, at, timeZone),
          ),
        ).toEqual(expected);
        expect(
          loadStored((one) =>
            retainsVersion({ ...policy, retentionType: 'ItemLevel' }, one, at, timeZone),
          ),
        ).toEqual(expected);
        // Points of an item-level repository stay, and so do versions in the points of the other.
        expect(
          loadStored((one) =>
            retainsPoint({ ...policy, retentionType: 'ItemLevel' }, one, at, timeZone),
          ),
        ).toEqual(points);
        expect(
          loadStored((one) =>
            retainsVersion({ ...policy, retentionType: 'SnapshotBased' }, one, at, timeZone),
          ),
        ).toEqual(points);
        const keep = { retentionPolicy: 'Keep', retentionType: 'SnapshotBased' } as const;
        expect(loadStored((one) => retainsPoint(keep, one, at, timeZone))).toEqual(points);
      },
    ),
    runs(150),
  );
});

const since = (policy: 'Year1' | 'Keep', now: string, zone: string): string | null => {
  const at = retainedSince(policy, Date.parse(now), zone);
  return at === null ? null : new Date(at).toISOString();
};
test('RETAIN-1: a year counts by the local calendar, with leap days', () => {
  expect(since('Year1', '2028-02-29T12:00:00Z', 'UTC')).toBe('2027-02-28T12:00:00.000Z');
  expect(since('Year1', '2029-02-28T12:00:00Z', 'UTC')).toBe('2028-02-28T12:00:00.000Z');
  // 00:30 on March 1 in Berlin is still February in UTC.
  expect(since('Year1', '2028-02-29T23:30:00Z', 'Europe/Berlin')).toBe('2027-02-28T23:30:00.000Z');
  expect(since('Keep', '2028-02-29T12:00:00Z', 'UTC')).toBeNull();
});

test('G73: a shortened retention applies from its date on', () => {
  const row = {
    retentionPolicy: 'Years5',
    shortened: { retentionPolicy: 'Year1', appliesAt: 1_000 },
  } as const;
  expect([999, 1_000].map((now) => policyAt(row, now))).toEqual(['Years5', 'Year1']);
  expect(policyAt({ ...row, shortened: null }, 5_000)).toBe('Years5');
  expect(isShorter('Year1', 'Years5')).toBe(true);
  expect(isShorter('Years25', 'Keep')).toBe(true);
  expect(isShorter('Keep', 'Keep')).toBe(false);
});

test('OBJ-7: a lock ends when a calendar no longer retains a restore point, a day later after a February 29, and never with Keep', () => {
  fc.assert(
    fc.property(years, zone, now, (retentionPolicy, timeZone, at) => {
      const until = retainedUntil(retentionPolicy, at, timeZone) ?? 0;
      const made = DateTime.fromMillis(at, { zone: timeZone });
      const end = made.plus({ years: YEARS[retentionPolicy] });
      const isLeapDay = made.month === 2 && made.day === 29 && !end.isInLeapYear;
      const expected = end.plus({ days: isLeapDay ? 1 : 0 }).toMillis();
      // An hour that a change of the clocks skips or repeats.
      expect(Math.abs(until - expected)).toBeLessThanOrEqual(HOUR);
      const policy = { retentionType: 'SnapshotBased', retentionPolicy } as const;
      expect(retainsPoint(policy, at, until + HOUR + 1, timeZone)).toBe(false);
    }),
    runs(1_000),
  );
  expect(retainedUntil('Keep', 0, 'UTC')).toBeNull();
});
