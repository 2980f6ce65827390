import { expect, test } from 'vitest';
import { ABILITIES } from '#contract/abilities.ts';
import { CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { keyAccess } from '#contract/key-access.ts';
import { getExpiry, getWord } from '#src/features/auth/api-keys/labels.ts';

const NOON = Date.parse('2026-03-02T12:00:00Z');
const at = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

test('KEY-10: every permission that a key can have has a label', () => {
  const request = new Set((Object.keys(CALLS) as CallName[]).map((name) => keyAccess(name)));
  expect(
    ABILITIES.filter((ability) => request.has(ability) && getWord(ability) === ability),
  ).toEqual([]);
});

test("KEY-10: a key ends with the last minute of its day, in the portal's time zone and within a year", () => {
  expect([
    at(getExpiry('30', '', NOON, 'UTC')),
    at(getExpiry('30', '', NOON, 'America/New_York')),
  ]).toEqual(['2026-04-01T23:59:59.999Z', '2026-04-02T03:59:59.999Z']);
  expect(at(getExpiry('365', '', NOON, 'UTC'))).toBe('2027-03-02T23:59:59.999Z');
  expect([
    at(getExpiry('own', '2026-03-02', NOON, 'UTC')),
    at(getExpiry('own', '2027-03-02', NOON, 'Pacific/Kiritimati')),
  ]).toEqual(['2026-03-02T23:59:59.999Z', '2027-03-02T09:59:59.999Z']);
  expect(
    ['', '2026-03-01', '2027-03-03', 'soon', '2026-02-30'].map((day) =>
      getExpiry('own', day, NOON, 'UTC'),
    ),
  ).toEqual([null, null, null, null, null]);
});
