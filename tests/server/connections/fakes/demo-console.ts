import type { Ms } from '#contract/ids.ts';
import { getDay, offsetAt } from '#contract/time/day.ts';
import type { JobType } from '#contract/runs/vocabulary.ts';
import type { JobPlan, ProviderPlan } from '#server/demo/plan.ts';
import { type PlannedRun, getRuns, usedShare } from '#server/demo/make-runs.ts';
import { isOn } from '#server/demo/times.ts';
import {
  aComputer,
  aCompany,
  aJob,
  aLicence,
  anAgent,
  anAgentJob,
  anAlarm,
  anOffice365Job,
  aRepository,
  aServer,
  aSession,
  formatVspcTime,
} from './vspc-estate.ts';
import { type Console, type Row, refused, uid } from './vspc.ts';

/** The provider's own server, on which jobs of many companies are hosted. */
const CLOUD = 'CBS-01';
const DAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;
const DAY: Ms = 86_400_000;
/** A console keeps the sessions of so many days. */
const STORED_MS: Ms = 8 * DAY;

/** What kind of job of a backup server it is there; a few of ours have no word of their own. */
const TYPES: Readonly<Partial<Record<JobType, string>>> = {
  Backup: 'BackupVm',
  BackupCopy: 'SimpleBackupCopy',
  Replication: 'ReplicationVM',
  Tape: 'BackupToTape',
  FileShare: 'BackupFile',
  ObjectStorage: 'ObjectStorageBackup',
  SureBackup: 'SureBackup',
  LogBackup: 'SqlLogBackup',
  Copy: 'CopyVm',
  Sync: 'CopyFile',
};

/** The runs of a job that began from one moment to another, in order. */
export function runsBetween(plan: ProviderPlan, job: JobPlan, from: Ms, to: Ms): PlannedRun[] {
  const runs: PlannedRun[] = [];
  for (let day = getDay(from, job.when.tz, 0) - 1; day <= getDay(to, job.when.tz, 0); day += 1)
    runs.push(
      ...getRuns(plan, job, day).filter(({ startedAt }) => startedAt >= from && startedAt <= to),
    );
  return runs.toSorted((a, b) => a.startedAt - b.startedAt);
}

/**
 * In which list a job stands: of Microsoft 365, of an agent on a machine, or of a backup server.
 */
export const getList = ({ group }: JobPlan): 'office365Jobs' | 'agentJobs' | 'jobs' =>
  group === 'office365'
    ? 'office365Jobs'
    : group === 'managed-agents' || group === 'monitored-agents'
      ? 'agentJobs'
      : 'jobs';

/** What the console says of how a run ended: it has no word for an error of the tool itself. */
const getResult = ({ status }: Pick<PlannedRun, 'status'>): 'Success' | 'Warning' | 'Failed' =>
  status === 'Error' ? 'Failed' : status;

/**
 * Has the console tell of a provider of the demo estate as it stands at a moment, in the console's
 * own words: its companies, their servers and agents, every job with its last session, the sessions
 * of the last days, repositories, machines without a backup, licences. The same plan and moment
 * tell the same.
 */
export function serveDemo(console: Console, plan: ProviderPlan, at: Ms): void {
  const names = plan.companies.map(({ name }) => name);
  const own = plan.companies.map(({ code }) => `${code}-VBR01`);
  const cloud = `365 ${plan.id}`;
  const lists = { jobs: [] as Row[], agentJobs: [] as Row[], office365Jobs: [] as Row[] };
  const sessions: Row[] = [];
  const agents = new Map<number, Row>();
  for (const job of plan.jobs) {
    const company = names[job.company] ?? '';
    const hosted = job.server === CLOUD;
    const server = hosted ? CLOUD : (own[job.company] ?? '');
    const list = getList(job);
    const of = { company, server, name: job.name };
    const { last, history } = getStand(plan, job, at);
    const agent =
      list === 'office365Jobs'
        ? uid(`agent ${cloud}`)
        : list === 'agentJobs'
          ? uid(`agent machine ${plan.id} ${job.machine}`)
          : uid(`agent ${server}`);
    for (const run of history)
      if (run.endedAt <= at)
        sessions.push(aSession(of, run.startedAt, getSession(job, run, agent)));
    if (list === 'jobs')
      lists.jobs.push(
        aJob(of, last?.startedAt ?? at, {
          ...getJob(job, last, at),
          type: TYPES[job.type] ?? 'Unknown',
          ...(hosted
            ? {
                organizationUid: uid(`company ${plan.id}`),
                mappedOrganizationUid: uid(`company ${company}`),
              }
            : {}),
          ...getSchedule(job, at),
        }),
      );
    else if (list === 'agentJobs') {
      const name = plan.machines[job.machine]?.name ?? '';
      agents.set(job.machine, {
        ...anAgent(company, name),
        instanceUid: uid(`backup agent ${plan.id} ${job.machine}`),
        managementAgentUid: agent,
        managementMode: job.group === 'monitored-agents' ? 'UnManaged' : 'ManagedByConsole',
      });
      const { transferredData: _none, uniqueUid: _other, ...said } = getJob(job, last, at);
      lists.agentJobs.push(
        anAgentJob(company, job.name, last?.startedAt ?? at, {
          ...said,
          name: job.name,
          backupAgentUid: uid(`backup agent ${plan.id} ${job.machine}`),
        }),
      );
    } else
      lists.office365Jobs.push(
        anOffice365Job(company, job.name, last?.startedAt ?? at, {
          instanceUid: job.uid,
          managementAgentUid: agent,
          lastRun: last === undefined ? null : formatVspcTime(last.startedAt),
          isEnabled: isEnabled(job, at),
          lastStatus: getStatus(last, at) ?? 'NotConfigured',
          lastStatusDetails: getMessage(last, at),
        }),
      );
  }
  const bare = plan.machines
    .filter((machine) => machine.bare)
    .map((machine) => aComputer(names[machine.company] ?? '', machine.name));
  Object.assign(console, {
    companies: names.map(aCompany),
    servers: [
      {
        ...aServer('', CLOUD),
        organizationUid: uid(`company ${plan.id}`),
        backupServerRoleType: 'CloudConnect',
      },
      ...own.map((name, place) => aServer(names[place] ?? '', name)),
    ],
    agents: [...agents.values()],
    ...lists,
    sessions,
    repositories: plan.repositories.map((one) => ({
      ...aRepository(
        own[one.company] ?? '',
        one.name,
        one.capacity,
        Math.round(one.capacity * (1 - usedShare(plan, one, at))),
      ),
      instanceUid: one.uid,
    })),
    managementAgents: bare.map(({ agent }) => agent),
    computers: bare.map(({ computer }) => computer),
    alarms: [anAlarm(names[0] ?? '', own[0] ?? '', at - DAY)],
    licences: names.map((name, place) =>
      aLicence(name, plan.jobs.filter(({ company }) => company === place).length),
    ),
  } satisfies Partial<Console>);
}

function getStand(
  plan: ProviderPlan,
  job: JobPlan,
  at: Ms,
): { readonly last: PlannedRun | undefined; readonly history: readonly PlannedRun[] } {
  const history = runsBetween(plan, job, at - STORED_MS, at);
  // A job of one day a month is the rarest there is.
  for (let back = 1; history.length === 0 && back <= 4; back += 1) {
    const last = runsBetween(plan, job, at - STORED_MS * (back + 1), at - STORED_MS * back).at(-1);
    if (last) return { last, history };
  }
  return { last: history.at(-1), history };
}

const isEnabled = ({ habit }: JobPlan, at: Ms): boolean =>
  !(habit.kind === 'forgotten' && habit.at <= at);
const getStatus = (run: PlannedRun | undefined, at: Ms): string | null =>
  run === undefined ? null : run.endedAt > at ? 'Running' : getResult(run);
const getMessage = (run: PlannedRun | undefined, at: Ms): string | null =>
  run === undefined || run.endedAt > at ? null : run.message;

function getJob(job: JobPlan, last: PlannedRun | undefined, at: Ms): Row {
  const ended = last !== undefined && last.endedAt <= at;
  return {
    instanceUid: job.uid,
    uniqueUid: uid(`unique ${job.uid}`),
    status: getStatus(last, at) ?? 'None',
    lastRun: last === undefined ? null : formatVspcTime(last.startedAt),
    lastEndTime: ended ? formatVspcTime(last.endedAt) : null,
    lastDuration: ended ? last.durationSec : null,
    transferredData: ended ? last.bytes : null,
    failureMessage: getMessage(last, at),
    isEnabled: isEnabled(job, at),
  };
}

const getSession = (job: JobPlan, run: PlannedRun, agent: string): Row => ({
  sessionUid: uid(`session ${job.uid} ${run.startedAt}`),
  managementAgentUid: agent,
  endTime: formatVspcTime(run.endedAt),
  duration: run.durationSec,
  result: getResult(run),
  failureMessage: run.message,
  ...(job.group === 'office365' ? { workloadType: 'User', platformType: 'Microsoft365' } : {}),
});

const time = (ms: Ms): string => `${new Date(ms).toISOString().slice(11, 19)}.0000000`;

/** The schedule as the server keeps it: days and time on its own wall, and the time in UTC. */
function getSchedule({ when }: JobPlan, at: Ms): Row {
  const [first = 0, second] = when.times;
  if (second !== undefined)
    return {
      scheduleType: 'Periodically',
      schedule: { periodicallyScheduleOptions: { kind: 'Minutes', fullPeriod: second - first } },
    };
  const day = getDay(at, when.tz, 0);
  const midnight = day * DAY;
  const wall = midnight + first * 60_000;
  const utc = wall - offsetAt(at, when.tz);
  const days = DAYS.filter((_name, weekday) =>
    isOn(when, day + ((weekday - new Date(midnight).getUTCDay() + 7) % 7)),
  );
  return {
    scheduleType: 'Daily',
    schedule: {
      startDateTimeUtc: formatVspcTime(utc + DAY),
      dailyScheduleOptions: {
        kind: days.length === 7 ? 'Everyday' : 'SelectedDays',
        days: days.length === 7 ? null : days,
        time: time(wall),
        timeUtc: time(utc),
      },
    },
  };
}

/**
 * A console that allows so many questions a minute, and says then how long it wants to be left
 * alone.
 */
export function atMost(
  perMinute: number,
  now: () => Ms,
): Pick<Console, 'fault'> & { refusals: number } {
  let window = 0;
  let request = 0;
  const limit: Pick<Console, 'fault'> & { refusals: number } = {
    refusals: 0,
    fault() {
      const minute = Math.floor(now() / 60_000);
      if (minute !== window) {
        window = minute;
        request = 0;
      }
      request += 1;
      if (request <= perMinute) return null;
      limit.refusals += 1;
      const details = refused('Too many requests.', 429);
      return {
        ...details,
        headers: {
          ...details.headers,
          'retry-after': String(Math.ceil(((minute + 1) * 60_000 - now()) / 1000)),
        },
      };
    },
  };
  return limit;
}
