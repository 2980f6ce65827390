import { expect, test } from 'vitest';
import { getRecoveryPointObjective } from '#contract/backup/objective.ts';
import {
  DAILY_TYPES,
  MONTHLY_DAYS,
  MONTHLY_NUMBERS,
  nextStart,
  PERIODICALLY_EVERY,
} from '#contract/backup/schedule.ts';
import type { Schedule } from '#contract/backup/schedule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = Date.UTC(2026, 0, 1);
const job = (schedule: Schedule, backupWindow: string | null = null, id = 'job') => ({
  id,
  schedulePolicy: { schedule, backupWindow },
});

/** The longest time between two starts, found by walking through them. */
function walkStarts(schedule: Schedule, count: number): number {
  let longest = 0;
  let at = nextStart(schedule, FROM, 'Europe/Berlin', null) ?? 0;
  for (let n = 0; n < count; n += 1) {
    const next = nextStart(schedule, at, 'Europe/Berlin', null) ?? 0;
    longest = Math.max(longest, next - at);
    at = next;
  }
  return longest;
}

test('SUITE-23: the objective is twice the longest wait between two starts', () => {
  const schedules: Schedule[] = [
    ...DAILY_TYPES.map((dailyType): Schedule => ({ type: 'Daily', dailyType, dailyTime: '22:00' })),
    ...MONTHLY_NUMBERS.flatMap((monthlyNumber) =>
      MONTHLY_DAYS.map((monthlyDay): Schedule => ({
        type: 'Monthly',
        monthlyNumber,
        monthlyDay,
        monthlyTime: '03:30',
      })),
    ),
    ...PERIODICALLY_EVERY.map((periodicallyEvery): Schedule => ({
      type: 'Periodically',
      periodicallyEvery,
    })),
  ];
  for (const schedule of schedules) {
    const longest = walkStarts(schedule, schedule.type === 'Monthly' ? 40 : 400);
    const wait = (getRecoveryPointObjective(job(schedule)) ?? 0) / 2;
    // Clocks change by an hour; months differ by some days.
    expect([schedule, wait >= longest - HOUR]).toEqual([schedule, true]);
    expect([schedule, wait <= longest + (schedule.type === 'Monthly' ? 5 * DAY : 0)]).toEqual([
      schedule,
      true,
    ]);
  }
});

const NIGHTLY: Schedule = { type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' };
// Open on weekdays from 00:00; closed on Saturday and Sunday, over the end of the week.
const WEEKDAYS_ONLY = '0'.repeat(24) + '1'.repeat(120) + '0'.repeat(24);

test('SUITE-23: hours in which a job may not work extend the objective', () => {
  expect([
    getRecoveryPointObjective(job(NIGHTLY)),
    getRecoveryPointObjective(job(NIGHTLY, WEEKDAYS_ONLY)),
    getRecoveryPointObjective(job({ type: 'Disabled' })),
  ]).toEqual([2 * DAY, 2 * (DAY + 48 * HOUR), null]);
});

test('SUITE-23, PLAN-4: a chained job waits as long as the first job of its chain, however long that is', () => {
  const after = (n: number, backupWindow: string | null = null) =>
    job({ type: 'Chained', chainedAfter: String(n - 1) }, backupWindow, String(n));
  const objective = (first: Schedule, window: string | null, length: number): number | null => {
    const jobs = [job(first, window, '0')];
    for (let n = 1; n <= length; n += 1) jobs.push(after(n));
    return getRecoveryPointObjective(
      jobs.at(-1) ?? after(0),
      new Map(jobs.map((one) => [one.id, one])),
    );
  };
  for (const length of [1, 2, 3, 50])
    expect([
      objective(NIGHTLY, null, length),
      objective(NIGHTLY, WEEKDAYS_ONLY, length),
      objective({ type: 'Disabled' }, null, length),
    ]).toEqual([2 * DAY, 2 * (DAY + 48 * HOUR), null]);
  // Jobs with the same hours wait for the same opening; each other one waits for its own.
  const jobs = [
    job(NIGHTLY, WEEKDAYS_ONLY, '0'),
    after(1, WEEKDAYS_ONLY),
    after(2, `${'0'.repeat(12)}${'1'.repeat(156)}`),
  ] as const;
  const byId = new Map(jobs.map((one) => [one.id, one]));
  expect([
    getRecoveryPointObjective(jobs[1], byId),
    getRecoveryPointObjective(jobs[2], byId),
  ]).toEqual([2 * (DAY + 48 * HOUR), 2 * (DAY + 60 * HOUR)]);
  // The first job isn't known, or there is none.
  const circle = [
    job({ type: 'Chained', chainedAfter: 'b' }, null, 'a'),
    job({ type: 'Chained', chainedAfter: 'c' }, null, 'b'),
    job({ type: 'Chained', chainedAfter: 'b' }, null, 'c'),
  ] as const;
  expect([
    getRecoveryPointObjective(after(1), new Map()),
    getRecoveryPointObjective(circle[0], new Map(circle.map((one) => [one.id, one]))),
  ]).toEqual([null, null]);
});
