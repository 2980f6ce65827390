import { expect, test } from 'vitest';
import type { ReportSchedule } from '#contract/reports/setting.ts';
import { lastDue } from '#server/features/reports/reports-job.ts';
import { timeOfPeriod } from '#server/features/reports/period.ts';
import { dueAfter } from '#server/features/reports/schedule.ts';

const at = (iso: string): number => Date.parse(iso);
const next = (schedule: ReportSchedule, after: string, times: number): readonly string[] => {
  const found: string[] = [];
  for (let now = at(after); found.length < times;) {
    const due = dueAfter(schedule, now);
    if (due === null) throw new Error('never due');
    found.push(new Date(due).toISOString().slice(0, 16));
    now = due;
  }
  return found;
};

test('REPORT-3: a time of day is local to its zone, also over clock changes', () => {
  const daily: ReportSchedule = { every: 'day', at: '08:00', timeZone: 'Europe/Berlin' };
  expect(next(daily, '2026-03-27T12:00:00Z', 3)).toEqual([
    '2026-03-28T07:00',
    '2026-03-29T06:00',
    '2026-03-30T06:00',
  ]);
  expect(next(daily, '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T07:00', '2026-10-26T07:00']);
  // 02:30 is skipped in March: the first moment after the gap. In October it comes twice: once is
  // enough.
  const night: ReportSchedule = { ...daily, at: '02:30' };
  expect(next(night, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
  expect(next(night, '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
});

test('REPORT-3: weeks and months keep their day, and the last of a month is its last', () => {
  expect(
    next(
      { every: 'week', weekday: 7, at: '23:59', timeZone: 'America/New_York' },
      '2026-03-01T12:00:00Z',
      2,
    ),
  ).toEqual(['2026-03-02T04:59', '2026-03-09T03:59']);
  expect(
    next({ every: 'month', day: 31, at: '06:00', timeZone: 'UTC' }, '2026-01-15T00:00:00Z', 3),
  ).toEqual(['2026-01-31T06:00', '2026-02-28T06:00', '2026-03-31T06:00']);
  expect(
    next(
      { every: 'month', day: 1, at: '06:00', timeZone: 'Asia/Tokyo' },
      '2026-01-15T00:00:00Z',
      1,
    ),
  ).toEqual(['2026-01-31T21:00']);
  expect(dueAfter({ every: 'day', at: '08:00', timeZone: 'Nowhere/At-all' }, 0)).toBeNull();
});

test('REPORT-3: of missed times the last counts', () => {
  const daily: ReportSchedule = { every: 'day', at: '08:00', timeZone: 'UTC' };
  expect(lastDue(daily, at('2026-05-01T08:00:00Z'), at('2026-05-04T07:59:00Z'))).toBe(
    at('2026-05-03T08:00:00Z'),
  );
  expect(lastDue(daily, at('2026-05-01T08:00:00Z'), at('2026-05-01T08:00:00Z'))).toBe(
    at('2026-05-01T08:00:00Z'),
  );
});

test('REPORT-4: a period ends when the report is due, and months are whole days of the provider', () => {
  const wall = { timeZone: 'Europe/Berlin', dayBeginsHour: 6 };
  const due = at('2026-03-29T06:00:00Z');
  expect(timeOfPeriod('last-7', due, wall)).toEqual({
    from: at('2026-03-23T05:00:00Z'),
    to: due + 1,
  });
  expect(timeOfPeriod('yesterday', due, wall)).toEqual({
    from: at('2026-03-28T05:00:00Z'),
    to: at('2026-03-29T04:00:00Z'),
  });
  // Before the day begins it is still the day before.
  expect(timeOfPeriod('yesterday', at('2026-03-29T03:00:00Z'), wall).from).toBe(
    at('2026-03-27T05:00:00Z'),
  );
  expect(timeOfPeriod('last-month', due, wall)).toEqual({
    from: at('2026-02-01T05:00:00Z'),
    to: at('2026-03-01T05:00:00Z'),
  });
  expect(timeOfPeriod('this-month', due, wall)).toEqual({
    from: at('2026-03-01T05:00:00Z'),
    to: due + 1,
  });
});
