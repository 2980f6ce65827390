import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getDays, dayStartsAround } from '#workers/columns/days.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const DAY = 86_400_000;
/** Whole hours, half ones, both hemispheres, changes at midnight. */
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Pacific/Auckland',
];

test('RUN-7: days from cached day starts equal those of the calendar, inside and outside the cached range', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2027, 0) }),
      fc.array(fc.integer({ min: -30 * DAY, max: 30 * DAY }), { maxLength: 20 }),
      (zone, hour, now, aside) => {
        const calendar = getDays(zone, hour);
        const stored = getDays(zone, hour, dayStartsAround(zone, hour, now, 20, 10));
        for (const ms of [now, ...aside.map((by) => now + by)]) {
          expect(stored.of(ms)).toBe(calendar.of(ms));
          expect(stored.last(14, ms)).toEqual(calendar.last(14, ms));
        }
      },
    ),
    { numRuns: 60 * PROOF },
  );
});

test('RUN-7: cached day starts of another zone or hour are not used', () => {
  const now = Date.UTC(2026, 5, 1, 23);
  const starts = dayStartsAround('Asia/Tokyo', 0, now, 5, 5);
  expect(getDays('UTC', 0, starts).of(now)).toBe(getDays('UTC', 0).of(now));
  expect(getDays('Asia/Tokyo', 9, starts).of(now)).toBe(getDays('Asia/Tokyo', 9).of(now));
});
