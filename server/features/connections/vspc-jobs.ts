import type { InferOutput } from 'valibot';
import type { ExecutionIn } from '#contract/ingest/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import type { JobSchedule } from '#contract/runs/rows.ts';
import type { ScheduleKind } from '#contract/runs/schedule-state.ts';
import type { EntityGroup, JobType } from '#contract/runs/vocabulary.ts';
import type { JobFacts, RunFacts } from './deliver.ts';
import type {
  AgentJob,
  HeatmapSession,
  Office365Job,
  ScheduleShape,
  VspcServerJob,
} from './vspc-shapes.ts';
import { cutText } from '#contract/stored-text.ts';

type Status = ExecutionIn['status'];
const text = (said: string | null | undefined, max: number = LIMITS.nameChars): string =>
  cutText((said ?? '').trim(), max).trim();
const whole = (count: number | null | undefined): number | null =>
  count == null || !(count >= 0) ? null : Math.floor(count);

/** The console's job states. A state that is not listed means that there is no run to report. */
const STATUS: Readonly<Record<string, Status>> = {
  Success: 'Success',
  Warning: 'Warning',
  Failed: 'Failed',
  Running: 'Running',
  Starting: 'Running',
  Stopping: 'Running',
  WaitingRepository: 'Running',
  WaitingTape: 'Running',
  Queued: 'Running',
  Stopped: 'Failed',
};

const SERVER_TYPES: Readonly<Record<string, JobType>> = {
  BackupVm: 'Backup',
  AgentBackupJob: 'Agent',
  AgentPolicy: 'Agent',
  BackupCopy: 'BackupCopy',
  SimpleBackupCopy: 'BackupCopy',
  ReplicationVM: 'Replication',
  CdpReplicationVM: 'Replication',
  BackupFile: 'FileShare',
  BackupFileCopy: 'BackupCopy',
  CopyFile: 'Copy',
  CopyVm: 'Copy',
  BackupToTape: 'Tape',
  FileToTape: 'Tape',
  ObjectStorageBackup: 'ObjectStorage',
  ObjectStorageBackupCopy: 'BackupCopy',
  SqlLogBackup: 'LogBackup',
  OracleLogBackup: 'LogBackup',
  PostgreSqlLogBackup: 'LogBackup',
  SureBackup: 'SureBackup',
  AwsBackupJob: 'Backup',
  AzureBackupJob: 'Backup',
  GoogleBackupJob: 'Backup',
  AhvStorageSnapshotJob: 'Snapshot',
  SobrMaintenance: 'Other',
};
const GROUPS: Readonly<Record<string, EntityGroup>> = {
  AgentBackupJob: 'monitored-agents',
  AgentPolicy: 'monitored-agents',
  BackupFile: 'file-share-jobs',
  BackupFileCopy: 'file-share-jobs',
  ObjectStorageBackup: 'file-share-jobs',
  ObjectStorageBackupCopy: 'file-share-jobs',
  AwsBackupJob: 'public-cloud-vms',
  AzureBackupJob: 'public-cloud-vms',
  GoogleBackupJob: 'public-cloud-vms',
};

/**
 * Returns a time cut to the second; null if there is none. The console reports times of the same
 * run with and without fractions, and the start identifies a run.
 */
export function getSecond(said: string | null | undefined): string | null {
  const at = Math.floor(Date.parse(said ?? '') / 1000) * 1000;
  return at > 0 ? new Date(at).toISOString() : null;
}

export function serverJob(
  job: VspcServerJob,
  server: string,
): { readonly facts: JobFacts; readonly run: RunFacts | null } {
  const kind = job.type ?? 'Unknown';
  const schedule = getVspcSchedule(job.scheduleType, job.schedule);
  const facts: JobFacts = {
    ...named(job.name, job.instanceUid),
    ...(server === '' ? {} : { server }),
    source: 'vac',
    type: SERVER_TYPES[kind] ?? 'Other',
    entityGroup: GROUPS[kind] ?? 'managed-servers',
    managed: true,
    enabled: job.isEnabled ?? true,
    schedule,
    graceSec: getGracePeriod(schedule),
  };
  const run = getRun(job.status, job);
  return {
    facts,
    run: run && {
      ...run,
      bytesTransferred: whole(job.transferredData),
      ...getTasks(job),
      detail: getDetail({
        kind,
        destination: job.destination,
        bottleneck: job.bottleneck,
        target: job.targetType,
        chainBytes: whole(job.backupChainSize),
      }),
    },
  };
}

export function agentJob(
  job: AgentJob,
  agent: { readonly name: string; readonly managed: boolean | null } | undefined,
): { readonly facts: JobFacts; readonly run: RunFacts | null } {
  const facts: JobFacts = {
    ...named(job.name, job.instanceUid),
    ...(agent === undefined || agent.name === '' ? {} : { computer: agent.name }),
    source: 'vac',
    type: 'Agent',
    entityGroup: 'managed-agents',
    managed: agent?.managed ?? null,
    enabled: job.isEnabled ?? true,
    schedule: getVspcSchedule(job.scheduleType, null),
    graceSec: null,
  };
  const run = getRun(job.status, job);
  return {
    facts,
    run: run && {
      ...run,
      detail: getDetail({
        system: job.systemType,
        mode: job.backupMode,
        destination: job.destination,
        target: job.targetType,
        restorePoints: whole(job.restorePoints),
        chainBytes: whole(job.backedUpSize),
      }),
    },
  };
}

export function office365Job(job: Office365Job): {
  readonly facts: JobFacts;
  readonly run: RunFacts | null;
} {
  const facts: JobFacts = {
    ...named(job.name, job.instanceUid),
    ...(text(job.vb365ServerName) === '' ? {} : { server: text(job.vb365ServerName) }),
    source: 'vac',
    type: job.jobType === 'CopyJob' ? 'BackupCopy' : 'M365',
    entityGroup: 'office365',
    managed: true,
    enabled: job.isEnabled ?? true,
    schedule: null,
    graceSec: null,
  };
  const run = getRun(job.lastStatus, {
    lastRun: job.lastRun,
    failureMessage: job.lastStatusDetails,
  });
  return { facts, run: run && { ...run, detail: getDetail({ repository: job.repositoryName }) } };
}

/** Returns a session of the history as a run of its known job. */
export function sessionRun(session: HeatmapSession): RunFacts | null {
  const run = getRun(session.result, {
    lastRun: session.startTime,
    lastEndTime: session.endTime,
    lastDuration: session.duration,
    failureMessage: session.failureMessage,
  });
  return (
    run && {
      ...run,
      detail: getDetail({
        session: session.sessionUid,
        workload: session.workloadType,
        platform: session.platformType,
      }),
    }
  );
}

const named = (
  name: string | null | undefined,
  uid: string,
): Pick<JobFacts, 'job' | 'jobInstanceUid'> => ({ job: text(name) || uid, jobInstanceUid: uid });

interface JobDetails {
  readonly lastRun?: string | null | undefined;
  readonly lastEndTime?: string | null | undefined;
  readonly lastDuration?: number | null | undefined;
  readonly failureMessage?: string | null | undefined;
}

function getRun(
  said: string | null | undefined,
  { lastRun, lastEndTime, lastDuration, failureMessage }: JobDetails,
): Pick<RunFacts, 'status' | 'startTime' | 'endTime' | 'durationSec' | 'message' | 'log'> | null {
  const status = STATUS[said ?? ''];
  const startTime = getSecond(lastRun);
  if (status === undefined || startTime === null) return null;
  if (status === 'Running') return { status, startTime };
  const ended = getSecond(lastEndTime);
  const durationSec = whole(lastDuration);
  const lines = text(failureMessage, 20_000)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    status,
    startTime,
    ...(ended === null || ended < startTime ? {} : { endTime: ended }),
    ...(durationSec === null ? {} : { durationSec }),
    ...(lines.length === 0
      ? said === 'Stopped'
        ? { message: 'The job was stopped.' }
        : {}
      : { message: lines[0] ?? '', ...(lines.length > 1 && { log: lines.join('\n') }) }),
  };
}

const TASKS: Readonly<Record<string, NonNullable<ExecutionIn['tasks']>[number]['status']>> = {
  Success: 'Success',
  Warning: 'Warning',
  Failed: 'Failed',
  Running: 'Running',
};

function getTasks({ lastSessionTasks }: VspcServerJob): Pick<RunFacts, 'tasks'> {
  const tasks = (lastSessionTasks ?? []).slice(0, LIMITS.tasks).flatMap((task) => {
    const status = TASKS[task.status ?? ''];
    const name = text(task.objectName);
    if (status === undefined || name === '') return [];
    const message = text(task.failureMessages?.join('\n'), LIMITS.messageChars);
    return [
      {
        name,
        status,
        startTime: getSecond(task.startTime),
        durationSec: whole(task.duration),
        bytesTransferred: whole(task.transferredDataSize),
        bytesProcessed: whole(task.readDataSize),
        ...(message === '' ? {} : { message }),
      },
    ];
  });
  return tasks.length === 0 ? {} : { tasks };
}

function getDetail(
  fields: Readonly<Record<string, string | number | null | undefined>>,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      value == null || value === '' || value === 'None' || value === 'Unknown'
        ? []
        : [[name, typeof value === 'string' ? cutText(value, 500) : value]],
    ),
  );
}

const UNIT_SEC: Readonly<Record<string, number>> = { Days: 86_400, Hours: 3_600, Minutes: 60 };

/** The console's names of schedules. A job with a backup window runs repeatedly within it. */
const KINDS: Readonly<Record<string, ScheduleKind>> = {
  Daily: 'Daily',
  Monthly: 'Monthly',
  Periodically: 'Periodically',
  Continuously: 'Continuously',
  Chained: 'Chained',
  BackupWindow: 'Periodically',
};

/**
 * Returns the job's schedule as the console reports it: its times, or only its kind if they are
 * unknown. Null if the job has none.
 */
export function getVspcSchedule(
  kind: string | null | undefined,
  said: InferOutput<typeof ScheduleShape> | null | undefined,
): JobSchedule | null {
  const known = KINDS[kind ?? ''];
  return known === undefined ? null : (getTimes(kind, said) ?? { type: 'kind', kind: known });
}

/**
 * Returns the schedule's times if they are exact enough to expect runs by. Otherwise Daybook learns
 * them from past runs.
 */
function getTimes(
  kind: string | null | undefined,
  said: InferOutput<typeof ScheduleShape> | null | undefined,
): JobSchedule | null {
  if (kind === 'Periodically') {
    const { kind: unit, fullPeriod } = said?.periodicallyScheduleOptions ?? {};
    const everySec = Math.floor((UNIT_SEC[unit ?? ''] ?? 0) * (fullPeriod ?? 0));
    return everySec >= 60 ? { type: 'every', everySec } : null;
  }
  if (kind !== 'Daily') return null;
  const { kind: which, days, time, timeUtc } = said?.dailyScheduleOptions ?? {};
  const utc = getMinute(timeUtc);
  if (utc === null) return null;
  if (which === 'Everyday') return cronAt(utc, '*');
  const on =
    which === 'WeekDays' ? [1, 2, 3, 4, 5] : which === 'SelectedDays' ? getWeekdays(days) : [];
  const shift = dayShift(getMinute(time), utc, said?.startDateTime);
  // Weekdays are in the server's time zone. If its offset from UTC is unknown, so are the days.
  return on.length === 0 || shift === null
    ? null
    : cronAt(
        utc,
        on.length === 7
          ? '*'
          : on
              .map((day) => (day + shift + 7) % 7)
              .toSorted((a, b) => a - b)
              .join(),
      );
}

const cronAt = (minute: number, weekdays: string): JobSchedule => ({
  type: 'cron',
  cron: `${minute % 60} ${Math.floor(minute / 60)} * * ${weekdays}`,
  tz: 'UTC',
});

const WEEK: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
];
/** Returns weekday numbers, Sunday 0; empty if a name is unknown. */
function getWeekdays(days: readonly string[] | null | undefined): readonly number[] {
  const numbers = [...new Set((days ?? []).map((day) => WEEK.indexOf(day)))];
  return numbers.includes(-1) ? [] : numbers;
}

/** Returns the minute of the day: `22:05`, `22:05:00.0000000`. */
function getMinute(said: string | null | undefined): number | null {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})/.exec(said ?? '') ?? [];
  return hour === undefined || minute === undefined || Number(hour) > 23 || Number(minute) > 59
    ? null
    : Number(hour) * 60 + Number(minute);
}

const DAY_MIN = 1_440;
/**
 * Almost no time zone is further ahead of UTC than 13 hours, and only islands are more than eleven
 * hours behind.
 */
const MAX_AHEAD = 13 * 60;

/**
 * Returns by how many days the day in UTC differs from the server's local day, computed from both
 * times. The offset comes from the next start if it includes one.
 */
function dayShift(
  local: number | null,
  utc: number,
  start: string | null | undefined,
): -1 | 0 | 1 | null {
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})$/.exec(start ?? '') ?? [];
  const details =
    sign === undefined ? null : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const apart = local === null ? null : (local - utc + DAY_MIN) % DAY_MIN;
  // A start in UTC does not reveal the offset if the two times do.
  const ahead =
    details !== null && (apart === null || (details + DAY_MIN) % DAY_MIN === apart)
      ? details
      : apart === null
        ? null
        : apart > MAX_AHEAD
          ? apart - DAY_MIN
          : apart;
  if (ahead === null) return null;
  const wall = utc + ahead;
  return wall < 0 ? 1 : wall >= DAY_MIN ? -1 : 0;
}

/**
 * The console learns of a run late, so a frequent job gets at least half an hour before it counts
 * as missed.
 */
const getGracePeriod = (schedule: JobSchedule | null): number | null =>
  schedule?.type === 'every' && schedule.everySec < 7_200 ? 1_800 : null;
