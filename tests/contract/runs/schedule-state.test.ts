import { Cron } from 'croner';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getScheduleState } from '#contract/runs/schedule-state.ts';
import { getExportColumns } from '#src/features/shared/export/columns.ts';
import { getRow } from '#src/features/daily-checks/run-panel/from-execution.ts';
import { getFacts } from '#server/features/connections/vbr.ts';
import { agentJob, getVspcSchedule, serverJob } from '#server/features/connections/vspc-jobs.ts';
import { groupJob } from '#server/features/connections/zerto.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const cron = (line: string) =>
  getScheduleState({ enabled: true, schedule: { type: 'cron', cron: line, tz: 'UTC' } });

test('SCHED-1: the console’s own words are ours, a backup window is periodical, and a job without a schedule has none', () => {
  // Column scheduleType of its BackupServerJob, and what becomes of each word.
  const words = {
    Daily: 'Daily',
    Monthly: 'Monthly',
    Periodically: 'Periodically',
    Continuously: 'Continuously',
    Chained: 'Chained',
    BackupWindow: 'Periodically',
    NotScheduled: null,
    Unknown: null,
  } as const;
  for (const [said, word] of Object.entries(words)) {
    const schedule = getVspcSchedule(said, null);
    expect([said, getScheduleState({ enabled: true, schedule })]).toEqual([said, word]);
    expect(getScheduleState({ enabled: false, schedule })).toBe('Disabled');
  }
  // Also where its times are known.
  expect(
    getScheduleState({
      enabled: true,
      schedule: getVspcSchedule('Daily', {
        dailyScheduleOptions: { kind: 'WeekDays', time: '22:00', timeUtc: '22:00' },
      }),
    }),
  ).toBe('Daily');
  expect(
    getScheduleState({
      enabled: true,
      schedule: getVspcSchedule('Periodically', {
        periodicallyScheduleOptions: { kind: 'Days', fullPeriod: 1 },
      }),
    }),
  ).toBe('Periodically');
});

test('SCHED-1: a cron line is daily, monthly or periodical by the days on which it comes', () => {
  const lines: Readonly<Record<string, string>> = {
    '0 22 * * *': 'Daily',
    '30 1 * * 1-5': 'Daily',
    '0 3 * * 0': 'Daily',
    '@daily': 'Daily',
    '@weekly': 'Daily',
    '0 3 1 * *': 'Monthly',
    '0 3 1,15 * *': 'Monthly',
    '0 3 l * *': 'Monthly',
    '0 3 * 1 *': 'Monthly',
    '0 3 * * 1#1': 'Monthly',
    '@monthly': 'Monthly',
    '@yearly': 'Monthly',
    '*/5 * * * *': 'Periodically',
    '0 */4 * * *': 'Periodically',
    '0 6,18 * * *': 'Periodically',
    '15 * * * *': 'Periodically',
    '0 2 */2 * *': 'Periodically',
    '@hourly': 'Periodically',
    ' 0  22 * * MON,WED ': 'Daily',
  };
  for (const [line, word] of Object.entries(lines))
    expect([line, cron(line)]).toEqual([line, word]);
});

const at = (max: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max }).map(String) },
    fc.constantFrom('*/6', '0,10', '2-4'),
  );

test('SCHED-1: a cron line is named as its times of a year say', () => {
  const fields = fc.tuple(
    at(59),
    at(23),
    fc.constantFrom('*', '*', '1', '15', '1,15', '28'),
    fc.constantFrom('*', '*', '*', '1', '1,7', '*/3'),
    fc.constantFrom('*', '*', '1', '1-5', '0,6'),
  );
  fc.assert(
    fc.property(fields, (parts) => {
      const line = parts.join(' ');
      const runs = new Cron(line, { timezone: 'UTC' });
      const days = new Map<number, number>();
      for (
        let next = runs.nextRun(new Date('2026-12-31T23:59:59Z'));
        next !== null && next.getUTCFullYear() === 2027 && days.size < 370;
        next = runs.nextRun(next)
      ) {
        const day = Math.floor(next.getTime() / 86_400_000);
        days.set(day, (days.get(day) ?? 0) + 1);
        if ((days.get(day) ?? 0) > 1) break;
      }
      const first = Math.floor(Date.UTC(2027, 0, 1) / 86_400_000);
      const weekly = Array.from(
        { length: 365 - 7 },
        (_, i) => days.has(first + i) === days.has(first + i + 7),
      ).every(Boolean);
      const word = [...days.values()].some((count) => count > 1)
        ? 'Periodically'
        : weekly
          ? 'Daily'
          : 'Monthly';
      expect([line, cron(line)]).toEqual([line, word]);
    }),
    { numRuns: 60 * PROOF },
  );
});

const state = (nextRunPolicy: string | null, status = 'Inactive') =>
  getScheduleState(
    getFacts({ id: 'a', name: 'A', type: 'VSphereBackup', status, nextRunPolicy }) as never,
  );

test('SCHED-2: a source without times has its own schedule label', () => {
  const job = { instanceUid: 'a', name: 'A', isEnabled: true };
  expect(getScheduleState(serverJob({ ...job, scheduleType: 'Chained' }, '').facts as never)).toBe(
    'Chained',
  );
  expect(
    getScheduleState(agentJob({ ...job, scheduleType: 'Monthly' }, undefined).facts as never),
  ).toBe('Monthly');
  expect(
    getScheduleState(
      agentJob({ ...job, isEnabled: false, scheduleType: 'Monthly' }, undefined).facts as never,
    ),
  ).toBe('Disabled');
  expect([
    state('After [Backup Job 1]'),
    state('<Continuous>'),
    state('Not scheduled'),
    state(null),
    state(null, 'Disabled'),
  ]).toEqual(['Chained', 'Continuously', null, null, 'Disabled']);
  // Replication never ends: that we look once a day is not its schedule.
  expect(
    getScheduleState(
      groupJob({ vpgIdentifier: 'v', vpgName: 'V', status: 1 }, 1, undefined, 0).facts as never,
    ),
  ).toBe('Continuously');
});

test('SCHED-2: a file of a list has the schedule next to the job, and the panel shows the server’s label', () => {
  expect(
    getExportColumns(['co', 'job'])
      .slice(0, 3)
      .map(({ id }) => id),
  ).toEqual(['company', 'job', 'schedule']);
  expect(
    getRow(1, {
      status: 'Failed',
      startTime: '2026-11-20T01:30:00.000Z',
      anomaly: [],
      problem: null,
      scheduleState: 'Chained',
    } as never).scheduleState,
  ).toBe('Chained');
});
