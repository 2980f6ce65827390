import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import {
  formatAge,
  formatBytes,
  formatDate,
  formatDay,
  formatDuration,
  formatSpan,
  formatTime,
  formatTimeSeconds,
  formatUtc,
  formatWhen,
} from '#src/ui/format.ts';

const runs = { numRuns: 200 * Number(process.env['PROOF'] ?? 1) };
const zones = [
  'UTC',
  'America/Chicago',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/St_Johns',
  'Africa/Casablanca',
] as const;
const moment = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2060, 0, 1) });

test("PAGE-1: a time is shown as MM/DD/YY hh:mm A in the provider's zone, as luxon formats it", () => {
  fc.assert(
    fc.property(moment, fc.constantFrom(...zones), (at, zone) => {
      const there = DateTime.fromMillis(at, { zone, locale: 'en-US' });
      expect(formatWhen(at, zone)).toBe(there.toFormat('MM/dd/yy hh:mm a'));
      expect(formatDate(at, zone)).toBe(there.toFormat('MM/dd/yy'));
      expect(formatTime(at, zone)).toBe(there.toFormat('hh:mm a'));
      expect(formatDay(at, zone)).toBe(there.toFormat('cccc MM/dd/yy'));
      expect(formatUtc(at)).toBe(
        `${DateTime.fromMillis(at, { zone: 'UTC' }).toFormat('yyyy-MM-dd HH:mm:ss')} UTC`,
      );
    }),
    runs,
  );
});

test('PAGE-1: midnight and noon are twelve, and an unknown zone is UTC', () => {
  expect(formatTime(Date.UTC(2026, 10, 20, 0, 5), 'UTC')).toBe('12:05 AM');
  expect(formatTime(Date.UTC(2026, 10, 20, 12, 5), 'UTC')).toBe('12:05 PM');
  expect(formatTimeSeconds(Date.UTC(2026, 10, 20, 12, 5, 9), 'UTC')).toBe('12:05:09 PM');
  expect(formatWhen(Date.UTC(2026, 10, 20, 12, 5), 'Mars/Olympus')).toBe('11/20/26 12:05 PM');
});

test('PAGE-1: an age is one unit, rounded down, and never in the future', () => {
  const now = Date.UTC(2026, 10, 20);
  const ago = (ms: number): string => formatAge(now - ms, now);
  expect([
    ago(-5_000),
    ago(59_999),
    ago(60_000),
    ago(3_599_999),
    ago(3_600_000),
    ago(86_399_999),
    ago(86_400_000),
    ago(259_200_000),
  ]).toEqual([
    'just now',
    'just now',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '23 h ago',
    '1 day ago',
    '3 days ago',
  ]);
  expect([formatSpan(now, now), formatSpan(now - 86_400_000 * 1_200, now)]).toEqual([
    null,
    '1,200 d',
  ]);
});

test('PAGE-1: a duration is two units at most and never carries over', () => {
  expect(
    [0, 45, 59.6, 125, 599, 600, 1_860, 3_599, 5_880, 7_440, 86_399, 183_600].map((s) =>
      formatDuration(s),
    ),
  ).toEqual([
    '0 s',
    '45 s',
    '1 min',
    '2 min 05 s',
    '9 min 59 s',
    '10 min',
    '31 min',
    '1 h',
    '1 h 38 min',
    '2 h 04 min',
    '1 d',
    '2 d 03 h',
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40_000_000 }), (seconds) => {
      const text = formatDuration(seconds);
      const details = [...text.matchAll(/(\d+) (d|h|min|s)/g)].map(
        ([, n, unit]) => Number(n) * ({ d: 86_400, h: 3_600, min: 60, s: 1 }[unit as 'd'] ?? 0),
      );
      expect(details.length).toBeLessThanOrEqual(2);
      expect(Math.abs(details.reduce((sum, one) => sum + one, 0) - seconds)).toBeLessThanOrEqual(
        seconds < 600 ? 0 : seconds < 86_400 ? 30 : 1_830,
      );
      expect(text).not.toMatch(/\b60 (?:s|min)|\b24 h/);
    }),
    runs,
  );
});

test('PAGE-1: bytes have about three digits, and the next unit starts before a thousand', () => {
  expect(
    [
      0, 512, 999, 1_000, 9_640, 96_400_000_000, 999_499, 999_500, 1_200_000_000_000,
      340_000_000_000_000,
    ].map((n) => formatBytes(n)),
  ).toEqual([
    '0 B',
    '512 B',
    '999 B',
    '1 kB',
    '9.6 kB',
    '96.4 GB',
    '999 kB',
    '1 MB',
    '1.2 TB',
    '340 TB',
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (bytes) => {
      const [value, unit] = formatBytes(bytes).split(' ');
      const scale = 1_000 ** ['B', 'kB', 'MB', 'GB', 'TB', 'PB'].indexOf(unit ?? '');
      expect(Number(value)).toBeLessThan(1_000);
      expect(Math.abs(Number(value) * scale - bytes)).toBeLessThanOrEqual(
        Math.max(1, bytes) * 0.051,
      );
    }),
    runs,
  );
});
