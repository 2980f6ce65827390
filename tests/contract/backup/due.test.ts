import { expect, test } from 'vitest';
import type { Event, Logged } from '#contract/events.ts';
import { fold, memoryRows } from '#contract/fold.ts';
import { dueAt, type BackupJobRow } from '#contract/backup/jobs.ts';
import type { Schedule } from '#contract/backup/schedule.ts';

const JOB = '00000000-0000-4000-8000-000000000001';
const SECOND_JOB = '00000000-0000-4000-8000-000000000002';
const ORGANIZATION = '00000000-0000-4000-8000-000000000003';
const REPOSITORY = '00000000-0000-4000-8000-000000000004';
const session = (n: number): string => `00000000-0000-4000-9000-00000000000${n}`;
const at = (time: string): number => Date.parse(`2026-06-01T${time}:00Z`);

const created = (id: string, schedule: Schedule, retryNumber = 0): Event => ({
  type: 'backupjob.created@1',
  data: {
    id,
    company: 1,
    organization: ORGANIZATION,
    enabled: true,
    name: 'Mail',
    description: '',
    isTeamsChatsEnabled: false,
    backupType: 'EntireOrganization',
    selectedItems: [],
    excludedItems: [],
    repository: REPOSITORY,
    proxy: null,
    schedulePolicy: { schedule, backupWindow: null, retryNumber, retryWaitInterval: 10 },
  },
});
const started = (n: number, reason: 'schedule' | 'retry' = 'schedule', job = JOB): Event => ({
  type: 'backupsession.started@1',
  data: { id: session(n), job, reason },
});
const ended = (n: number, result: 'success' | 'failed' = 'success', job = JOB): Event => ({
  type: 'backupsession.ended@1',
  data: {
    id: session(n),
    job,
    result,
    counts: { objects: 3, succeeded: 3, warned: 0, failed: 0 },
    bytesRead: 100,
    bytesStored: 10,
    point: result === 'success' ? session(9) : null,
    message: null,
  },
});

function history(): {
  readonly job: (id?: string) => BackupJobRow;
  readonly add: (time: string, ...events: Event[]) => void;
} {
  const rows = memoryRows();
  const log: Logged[] = [];
  return {
    job: (id = JOB) => {
      const row = rows.backupJob.get(id);
      if (row === undefined) throw new Error('no job');
      return row;
    },
    add: (time, ...events) => {
      for (const event of events) {
        log.push({
          event,
          company: 1,
          entity: `backupjob:${JOB}`,
          seq: log.length + 1,
          at: at(time),
          actor: { kind: 'clock' },
          subject: null,
          commandId: null,
        });
        fold(rows, log.at(-1) as Logged);
      }
    },
  };
}
const HOURLY = { type: 'Periodically', periodicallyEvery: 'Hours1' } as const;

test('PLAN-3: a job is due after its last start, once for all missed starts, and not while it runs', () => {
  const { job, add } = history();
  add('08:20', created(JOB, HOURLY));
  expect(dueAt(job(), 'UTC')).toBe(at('09:00'));
  add('09:00', started(1));
  expect(dueAt(job(), 'UTC')).toBeNull();
  add('11:30', ended(1));
  // 10:00 and 11:00 were missed: it is due now, and then at noon.
  expect(dueAt(job(), 'UTC')).toBe(at('10:00'));
  add('11:31', started(2));
  add('11:40', ended(2));
  expect(dueAt(job(), 'UTC')).toBe(at('12:00'));
});

test('PLAN-3: a disabled job is never due, and starts that it missed are not made up for', () => {
  const { job, add } = history();
  add('08:20', created(JOB, HOURLY));
  add('08:30', { type: 'backupjob.disabled@1', data: { id: JOB } });
  expect(dueAt(job(), 'UTC')).toBeNull();
  add('11:30', { type: 'backupjob.enabled@1', data: { id: JOB } });
  expect(dueAt(job(), 'UTC')).toBe(at('12:00'));
});

test('PLAN-3: what failed is repeated before the next start, as often as set', () => {
  const { job, add } = history();
  add('08:20', created(JOB, HOURLY, 1));
  add('09:00', started(1));
  add('09:05', ended(1, 'failed'));
  expect(dueAt(job(), 'UTC')).toBe(at('09:15'));
  add('09:15', started(2, 'retry'));
  add('09:16', ended(2, 'failed'));
  expect(dueAt(job(), 'UTC')).toBe(at('10:00'));
  add('10:00', started(3));
  add('10:05', ended(3, 'failed'));
  expect(dueAt(job(), 'UTC')).toBe(at('10:15'));
});

test('PLAN-4: a chained job is due once, when the job before it has ended', () => {
  const { job, add } = history();
  add('08:20', created(JOB, HOURLY), created(SECOND_JOB, { type: 'Chained', chainedAfter: JOB }));
  const due = (): number | null => dueAt(job(SECOND_JOB), 'UTC', job());
  expect(due()).toBeNull();
  add('09:00', started(1));
  add('09:10', ended(1));
  expect(due()).toBe(at('09:10'));
  add('09:11', started(2, 'schedule', SECOND_JOB));
  add('09:12', ended(2, 'success', SECOND_JOB));
  expect(due()).toBeNull();
  expect(dueAt(job(SECOND_JOB), 'UTC')).toBeNull();
});

test('SUITE-1: a job has its running session, its last fourteen, newest first, and when its last point was made', () => {
  const { job, add } = history();
  add('08:20', created(JOB, HOURLY));
  add('09:00', started(1));
  expect(job()).toMatchObject({ running: { id: session(1), startedAt: at('09:00') }, recent: [] });
  add('09:10', ended(1));
  expect(job()).toMatchObject({
    running: null,
    lastPointAt: at('09:10'),
    recent: [{ id: session(1), startedAt: at('09:00'), endedAt: at('09:10'), result: 'success' }],
  });
  add('09:20', started(2));
  add('09:30', ended(2, 'failed'));
  expect(job()).toMatchObject({
    lastPointAt: at('09:10'),
    recent: [{ id: session(2), point: null }, { id: session(1) }],
  });
  for (let n = 0; n < 20; n += 1) add('09:40', started(3), ended(3));
  expect(job().recent).toHaveLength(14);
});
