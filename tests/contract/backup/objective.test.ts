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
const policy = (schedule: Schedule, backupWindow: string | null = null) => ({
  schedule,
  backupWindow,
  retryNumber: 0,
  retryWaitInterval: 10,
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
    const wait = (getRecoveryPointObjective(policy(schedule)) ?? 0) / 2;
    // Clocks change by an hour; months differ by some days.
    expect([schedule, wait >= longest - HOUR]).toEqual([schedule, true]);
    expect([schedule, wait <= longest + (schedule.type === 'Monthly' ? 5 * DAY : 0)]).toEqual([
      schedule,
      true,
    ]);
  }
});

test('SUITE-23: hours in which a job may not work extend the objective, and a chained job follows another', () => {
  const nightly: Schedule = { type: 'Daily', dailyType: 'Everyday', dailyTime: '22:00' };
  const chained: Schedule = {
    type: 'Chained',
    chainedAfter: '20000000-0000-4000-8000-000000000009',
  };
  // Open on weekdays from 00:00; closed on Saturday and Sunday, over the end of the week.
  const weekdays = '0'.repeat(24) + '1'.repeat(120) + '0'.repeat(24);
  expect([
    getRecoveryPointObjective(policy(nightly)),
    getRecoveryPointObjective(policy(nightly, weekdays)),
    getRecoveryPointObjective(policy(chained), policy(nightly)),
    getRecoveryPointObjective(policy(chained)),
    getRecoveryPointObjective(policy({ type: 'Disabled' })),
  ]).toEqual([2 * DAY, 2 * (DAY + 48 * HOUR), 2 * DAY, null, null]);
});
