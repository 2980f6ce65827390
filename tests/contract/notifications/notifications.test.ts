import * as fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import {
  getCategories,
  isQuiet,
  notifyDefaults,
  NotifySchema,
  quietUntil,
  WebhookSchema,
} from '#contract/notifications/notifications.ts';

const valid = (settings: unknown): boolean => v.safeParse(NotifySchema, settings).success;
const fits = (url: string): boolean =>
  v.safeParse(WebhookSchema, { name: 'Desk', url, enabled: true, categories: ['failed'] }).success;
const at = (iso: string): number => Date.parse(iso);
const NIGHT = { on: true, from: '22:00', to: '06:30' };
const NOON = { on: true, from: '12:00', to: '13:00' };
const TWO = { on: true, from: '02:15', to: '02:45' };

test('NOTIFY-2: quiet hours go by the clock on the wall, over midnight and whatever the clocks do', () => {
  const berlin = 'Europe/Berlin';
  const table: readonly (readonly [
    quiet: typeof NIGHT,
    zone: string,
    when: string,
    quiet: boolean,
  ])[] = [
    [NIGHT, berlin, '2026-01-15T20:59:00Z', false],
    [NIGHT, berlin, '2026-01-15T21:00:00Z', true],
    [NIGHT, berlin, '2026-01-16T05:29:59Z', true],
    [NIGHT, berlin, '2026-01-16T05:30:00Z', false],
    // Summer: an hour earlier in UTC. The night in which the clocks go forward is an hour shorter.
    [NIGHT, berlin, '2026-07-15T20:00:00Z', true],
    [NIGHT, berlin, '2026-07-16T04:30:00Z', false],
    [NIGHT, berlin, '2026-03-29T04:29:00Z', true],
    [NIGHT, berlin, '2026-03-29T04:30:00Z', false],
    // 02:15 to 02:45 is not there on the 29th of March, and is there twice on the 25th of October.
    [TWO, berlin, '2026-03-29T01:20:00Z', false],
    [TWO, berlin, '2026-10-25T00:20:00Z', true],
    [TWO, berlin, '2026-10-25T00:50:00Z', false],
    [TWO, berlin, '2026-10-25T01:20:00Z', true],
    [TWO, berlin, '2026-10-25T01:50:00Z', false],
    [NOON, 'America/New_York', '2026-03-07T17:00:00Z', true],
    [NOON, 'America/New_York', '2026-03-09T16:00:00Z', true],
    [NOON, 'America/New_York', '2026-03-09T17:00:00Z', false],
    [NOON, 'Australia/Lord_Howe', '2026-01-10T01:00:00Z', true],
    [NOON, 'Australia/Lord_Howe', '2026-06-10T01:30:00Z', true],
    [NOON, 'Asia/Kathmandu', '2026-06-10T06:15:00Z', true],
    [NOON, 'Asia/Kathmandu', '2026-06-10T06:14:59Z', false],
    [{ ...NIGHT, on: false }, berlin, '2026-01-15T23:00:00Z', false],
  ];
  for (const [quiet, zone, when, expected] of table)
    expect([when, isQuiet(quiet, zone, at(when))]).toEqual([when, expected]);
  expect(new Date(quietUntil(NIGHT, berlin, at('2026-03-28T23:00:00Z'))).toISOString()).toBe(
    '2026-03-29T04:30:00.000Z',
  );
  expect(new Date(quietUntil(NIGHT, berlin, at('2026-10-24T22:00:00Z'))).toISOString()).toBe(
    '2026-10-25T05:30:00.000Z',
  );
  expect(quietUntil(NOON, berlin, at('2026-01-15T20:00:00Z'))).toBe(at('2026-01-15T20:00:00Z'));
});

test('NOTIFY-2: what waits for the end of quiet hours waits until the first moment that is not quiet, and no longer', () => {
  const clock = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([h, m]) => `${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`);
  const zone = fc.constantFrom(
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Sao_Paulo',
    'Asia/Kathmandu',
    'Africa/Casablanca',
    'UTC',
  );
  // About the days on which clocks change, minute by minute.
  const moment = fc
    .tuple(
      fc.constantFrom(
        '2026-03-29T00:00:00Z',
        '2026-10-25T00:00:00Z',
        '2026-03-08T06:00:00Z',
        '2026-11-01T06:00:00Z',
        '2026-04-04T15:00:00Z',
        '2026-10-03T15:00:00Z',
        '2026-06-01T00:00:00Z',
      ),
      fc.integer({ min: -1_440, max: 1_440 }),
    )
    .map(([iso, minutes]) => at(iso) + minutes * 60_000 + 17_000);
  fc.assert(
    fc.property(clock, clock, zone, moment, (from, to, timeZone, now) => {
      fc.pre(from !== to);
      const quiet = { on: true, from, to };
      const until = quietUntil(quiet, timeZone, now);
      expect(isQuiet(quiet, timeZone, until)).toBe(false);
      if (!isQuiet(quiet, timeZone, now)) {
        expect(until).toBe(now);
        return;
      }
      // A clock that goes forward can leave out the minutes of a day that are not quiet.
      expect(until - now).toBeLessThanOrEqual(48 * 3_600_000);
      for (let one = now; one < until; one += 60_000)
        expect(isQuiet(quiet, timeZone, one)).toBe(true);
    }),
    { examples: [['02:01', '02:00', 'Europe/Berlin', at('2026-03-28T22:59:17Z')]] },
  );
});

test('NOTIFY-2: settings that mean nothing are refused: no day, an unknown zone, quiet hours without a length', () => {
  const good = notifyDefaults('Europe/Berlin');
  expect(valid(good)).toBe(true);
  expect([
    valid({ ...good, timeZone: 'Mars/Olympus' }),
    valid({ ...good, quiet: { on: false, from: '06:00', to: '06:00' } }),
    valid({ ...good, digest: { ...good.digest, weekdays: [] } }),
    valid({ ...good, digest: { ...good.digest, weekdays: [1, 1] } }),
    valid({ ...good, digest: { ...good.digest, at: '24:00' } }),
    valid({ ...good, more: 1 }),
  ]).toEqual([false, false, false, false, false, false]);
});

test('NOTIFY-1: a user is notified of exactly what they may open', () => {
  const on = { reporting: { enabled: true, visibleFor: ['all' as const] } };
  const off = { reporting: { enabled: false, visibleFor: ['all' as const] } };
  expect(getCategories(['operator'], on)).toEqual([
    'failed',
    'missed',
    'sla',
    'repository',
    'ticket',
  ]);
  expect(getCategories(['operator'], off)).toEqual(['failed', 'missed', 'repository', 'ticket']);
  expect(getCategories(['admin', 'read-only'], on)).toContain('source');
  expect(getCategories(['sub-sp'], on)).toEqual([]);
});

test('NOTIFY-4: an address with a user name, or of another scheme, is none', () => {
  expect([
    fits('https://hooks.example.com/a?b=c'),
    fits('http://127.0.0.1:9000/x'),
    fits('https://hooks.example.com/@somebody'),
  ]).toEqual([true, true, true]);
  expect([
    fits('https://user:secret@hooks.example.com/'),
    fits('ftp://hooks.example.com/'),
    fits('hooks.example.com'),
    fits(''),
  ]).toEqual([false, false, false, false]);
});
