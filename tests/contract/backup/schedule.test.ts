import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { makesCycle } from '#contract/backup/chains.ts';
import {
  isWithinHours,
  nextOpen,
  nextRetry,
  nextRuns,
  nextStart,
  type Schedule,
} from '#contract/backup/schedule.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
const MINUTE = 60_000;
const DAY = 86_400_000;

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Antarctica/Troll',
] as const;
const zone = fc.constantFrom(...ZONES);
/** Around changes of the clocks, and anywhere. */
const moment = fc
  .oneof(
    fc.constantFrom(
      Date.parse('2026-03-29T01:00:00Z'),
      Date.parse('2026-10-25T01:00:00Z'),
      Date.parse('2026-03-08T07:00:00Z'),
      Date.parse('2026-11-01T06:00:00Z'),
      Date.parse('2026-04-04T15:00:00Z'),
      Date.parse('2026-10-03T15:30:00Z'),
      Date.parse('2026-09-26T14:00:00Z'),
      Date.parse('2026-04-04T14:00:00Z'),
      Date.parse('2018-11-04T03:00:00Z'),
      Date.parse('2028-02-28T12:00:00Z'),
    ),
    fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2035, 0, 1) }),
  )
  .chain((at) => fc.integer({ min: -2 * DAY, max: 2 * DAY }).map((by) => at + by));
const timeOfDay = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(
    ([hours, minutes]) => `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`,
  );

const WEEK = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;
const daily = fc.record({
  type: fc.constant('Daily' as const),
  dailyType: fc.constantFrom(
    'Everyday' as const,
    'Workdays' as const,
    'Weekends' as const,
    ...WEEK,
  ),
  dailyTime: timeOfDay,
});
const monthly = fc.record({
  type: fc.constant('Monthly' as const),
  monthlyNumber: fc.constantFrom(
    'First' as const,
    'Second' as const,
    'Third' as const,
    'Fourth' as const,
    'Last' as const,
  ),
  monthlyDay: fc.constantFrom(...WEEK, 'Day' as const),
  monthlyTime: timeOfDay,
});
const MINUTES = {
  Minutes5: 5,
  Minutes10: 10,
  Minutes15: 15,
  Minutes30: 30,
  Hours1: 60,
  Hours2: 120,
  Hours4: 240,
  Hours8: 480,
  Hours12: 720,
} as const;
const periodic = fc.record({
  type: fc.constant('Periodically' as const),
  periodicallyEvery: fc.constantFrom(...(Object.keys(MINUTES) as (keyof typeof MINUTES)[])),
});

/** Whether a calendar would mark this day for the job. */
function isMarked(schedule: Schedule, day: DateTime): boolean {
  if (schedule.type === 'Daily')
    return schedule.dailyType === 'Everyday'
      ? true
      : schedule.dailyType === 'Workdays'
        ? day.weekday <= 5
        : schedule.dailyType === 'Weekends'
          ? day.weekday >= 6
          : day.weekday === WEEK.indexOf(schedule.dailyType) + 1;
  if (schedule.type !== 'Monthly') return false;
  const dates = Array.from({ length: day.daysInMonth ?? 0 }, (_, index) =>
    day.set({ day: index + 1 }),
  ).filter(
    (one) => schedule.monthlyDay === 'Day' || one.weekday === WEEK.indexOf(schedule.monthlyDay) + 1,
  );
  const chosen = {
    First: dates[0],
    Second: dates[1],
    Third: dates[2],
    Fourth: dates[3],
    Last: dates.at(-1),
  }[schedule.monthlyNumber];
  return chosen?.day === day.day;
}

/** The local time as if it were UTC. */
const getWall = (at: number, timeZone: string): number =>
  at + DateTime.fromMillis(at, { zone: timeZone }).offset * MINUTE;

/**
 * Goes from minute to minute and watches a clock on the wall: a job starts when the clock reaches
 * its time, or passes over it, for the first time. Returns the first start after `after`.
 */
function watchClock(schedule: Schedule, after: number, timeZone: string): number | null {
  const from = Math.floor(after / MINUTE) * MINUTE - 2 * DAY;
  const days = schedule.type === 'Monthly' ? 70 : 12;
  let reached = getWall(from, timeZone);
  let dayBegan = Number.NaN;
  for (let at = from + MINUTE; at < from + days * DAY; at += MINUTE) {
    const wall = getWall(at, timeZone);
    if (wall <= reached) {
      if (isPeriodic(schedule, at, dayBegan) && at > after) return at;
      continue;
    }
    if (Math.floor(wall / DAY) > Math.floor(reached / DAY)) dayBegan = at;
    if (schedule.type === 'Periodically') {
      if (isPeriodic(schedule, at, dayBegan) && at > after) return at;
    } else {
      const time =
        schedule.type === 'Daily'
          ? schedule.dailyTime
          : schedule.type === 'Monthly'
            ? schedule.monthlyTime
            : '';
      for (let passed = reached + MINUTE; passed <= wall; passed += MINUTE) {
        const clock = DateTime.fromMillis(passed, { zone: 'UTC' });
        if (clock.toFormat('HH:mm') === time && at > after && isMarked(schedule, clock)) return at;
      }
    }
    reached = wall;
  }
  return null;
}
const isPeriodic = (schedule: Schedule, at: number, dayBegan: number): boolean =>
  schedule.type === 'Periodically' &&
  ((at - dayBegan) / MINUTE) % MINUTES[schedule.periodicallyEvery] === 0;

test('PLAN-1: every daily and periodic start is the one that a watched clock finds, in any zone and at any change of the clocks', () => {
  fc.assert(
    fc.property(fc.oneof(daily, periodic), moment, zone, (schedule, after, timeZone) => {
      expect(nextStart(schedule, after, timeZone, null)).toBe(
        watchClock(schedule, after, timeZone),
      );
    }),
    runs(120),
  );
});

test('PLAN-1: every monthly start is the one that a watched clock finds', () => {
  fc.assert(
    fc.property(monthly, moment, zone, (schedule, after, timeZone) => {
      expect(nextStart(schedule, after, timeZone, null)).toBe(
        watchClock(schedule, after, timeZone),
      );
    }),
    runs(6),
  );
});

const everyDay = (dailyTime: string): Schedule => ({
  type: 'Daily',
  dailyType: 'Everyday',
  dailyTime,
});
const berlin = (schedule: Schedule, after: string): string =>
  new Date(nextStart(schedule, Date.parse(after), 'Europe/Berlin', null) ?? 0).toISOString();
test('PLAN-1: days around changes of the clocks, by hand', () => {
  // 02:30 is skipped on March 29, 2026, and comes twice on October 25.
  expect(berlin(everyDay('02:30'), '2026-03-28T20:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(berlin(everyDay('02:30'), '2026-03-29T01:00:00Z')).toBe('2026-03-30T00:30:00.000Z');
  expect(berlin(everyDay('02:30'), '2026-10-24T20:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(berlin(everyDay('02:30'), '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
  const lastFriday: Schedule = {
    type: 'Monthly',
    monthlyNumber: 'Last',
    monthlyDay: 'Friday',
    monthlyTime: '22:00',
  };
  expect(berlin(lastFriday, '2026-02-01T00:00:00Z')).toBe('2026-02-27T21:00:00.000Z');
  expect(berlin(lastFriday, '2026-02-27T21:00:00Z')).toBe('2026-03-27T21:00:00.000Z');
  expect(
    berlin({ ...lastFriday, monthlyDay: 'Day', monthlyNumber: 'Last' }, '2028-02-10T00:00:00Z'),
  ).toBe('2028-02-29T21:00:00.000Z');
});

test('PLAN-1: a continuous job starts five minutes after its end; chained and manual jobs have no start of their own', () => {
  const now = Date.UTC(2026, 5, 1, 12);
  const next = (schedule: Schedule, lastEnd: number | null): number | null =>
    nextStart(schedule, now, 'Europe/Berlin', lastEnd);
  expect(next({ type: 'Continuously' }, now - MINUTE)).toBe(now + 4 * MINUTE);
  expect(next({ type: 'Continuously' }, now - DAY)).toBe(now);
  expect(next({ type: 'Continuously' }, null)).toBe(now);
  expect(next({ type: 'Disabled' }, null)).toBeNull();
  expect(
    next({ type: 'Chained', chainedAfter: '0b7e2a3c-1111-4222-8333-444455556666' }, null),
  ).toBeNull();
});

const getWindow = (open: (day: number, hour: number) => boolean): string =>
  Array.from({ length: 168 }, (_, index) =>
    open(Math.floor(index / 24), index % 24) ? '1' : '0',
  ).join('');

test('PLAN-2: an hour of the week is open by the clock on the wall, and a closed one opens at the first open minute', () => {
  const window = fc
    .array(fc.integer({ min: 0, max: 167 }), { maxLength: 6 })
    .map((open) => getWindow((day, hour) => open.includes(day * 24 + hour)));
  fc.assert(
    fc.property(window, moment, zone, (hours, at, timeZone) => {
      const open = (ms: number): boolean => {
        const wall = DateTime.fromMillis(ms, { zone: timeZone });
        return hours[(wall.weekday % 7) * 24 + wall.hour] === '1';
      };
      expect(isWithinHours(hours, at, timeZone)).toBe(open(at));
      const found = nextOpen(hours, at, timeZone);
      if (found === null) {
        expect(hours).not.toContain('1');
        return;
      }
      expect(open(found)).toBe(true);
      const minutes = Math.ceil(at / MINUTE);
      for (let minute = minutes; minute * MINUTE < found; minute += 1)
        if (open(minute * MINUTE)) throw new Error(`open before: ${minute * MINUTE}`);
      expect(isWithinHours(null, at, timeZone)).toBe(true);
    }),
    runs(25),
  );
});

test('PLAN-2: Sunday at midnight is the first hour of the window', () => {
  const sunday = getWindow((day, hour) => day === 0 && hour === 0);
  expect(isWithinHours(sunday, Date.parse('2026-11-22T00:59:00Z'), 'UTC')).toBe(true);
  expect(isWithinHours(sunday, Date.parse('2026-11-22T01:00:00Z'), 'UTC')).toBe(false);
  expect(isWithinHours(sunday, Date.parse('2026-11-23T00:00:00Z'), 'UTC')).toBe(false);
});

test('PLAN-3: starts that a closed window holds back, and starts that were missed, are one run', () => {
  const night = getWindow((_, hour) => hour === 1);
  const policy = {
    schedule: { type: 'Periodically', periodicallyEvery: 'Hours4' } as const,
    backupWindow: night,
  };
  const from = Date.parse('2026-06-01T02:30:00Z');
  expect(nextRuns(policy, from, 'UTC', 3)).toEqual([
    Date.parse('2026-06-02T01:00:00Z'),
    Date.parse('2026-06-03T01:00:00Z'),
    Date.parse('2026-06-04T01:00:00Z'),
  ]);
  expect(nextRuns({ ...policy, backupWindow: null }, from, 'UTC', 2)).toEqual([
    Date.parse('2026-06-01T04:00:00Z'),
    Date.parse('2026-06-01T08:00:00Z'),
  ]);
  expect(nextRuns({ ...policy, backupWindow: getWindow(() => false) }, from, 'UTC', 2)).toEqual([]);
  expect(nextRuns({ ...policy, schedule: { type: 'Disabled' } }, from, 'UTC', 5)).toEqual([]);
  expect(
    nextRuns({ schedule: { type: 'Continuously' }, backupWindow: null }, from, 'UTC', 5),
  ).toEqual([from]);
  // After a week of downtime the next start is one, and later.
  const week = Date.parse('2026-06-08T05:00:00Z');
  expect(nextStart(policy.schedule, week, 'UTC', from)).toBe(Date.parse('2026-06-08T08:00:00Z'));
});

test('PLAN-3: what failed is repeated as often as set, after the minutes set', () => {
  const policy = { retryNumber: 2, retryWaitInterval: 10 };
  const end = Date.UTC(2026, 0, 1);
  expect([0, 1, 2].map((attempt) => nextRetry(policy, end, attempt))).toEqual([
    end + 600_000,
    end + 600_000,
    null,
  ]);
  expect(nextRetry({ ...policy, retryNumber: 0 }, end, 0)).toBeNull();
});

const after = (chainedAfter: string): Schedule => ({ type: 'Chained', chainedAfter });
test('PLAN-4: a job never runs after itself, directly or through other jobs', () => {
  const jobs = [
    { id: 'a', schedulePolicy: { schedule: { type: 'Continuously' } as const } },
    { id: 'b', schedulePolicy: { schedule: after('a') } },
    { id: 'c', schedulePolicy: { schedule: after('b') } },
  ];
  expect(makesCycle('a', after('a'), jobs)).toBe(true);
  expect(makesCycle('a', after('c'), jobs)).toBe(true);
  expect(makesCycle('c', after('a'), jobs)).toBe(false);
  expect(makesCycle('d', after('c'), jobs)).toBe(false);
  expect(makesCycle('a', { type: 'Disabled' }, jobs)).toBe(false);
});
