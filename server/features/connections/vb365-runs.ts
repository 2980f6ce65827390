import type { CompanyN } from '#contract/ids.ts';
import type { ExecutionIn } from '#contract/ingest/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText } from '#contract/stored-text.ts';
import {
  getMessage,
  parseTime,
  type Vb365Job,
  type Vb365LogItem,
  type Vb365Session,
} from '#server/engine/public/veeam-client.ts';
import type { JobFacts, JobFound, RunFacts } from './deliver.ts';

/** Returns a job without a run: its sessions are read for themselves. */
export const getJob = (
  job: Vb365Job,
  organization: { readonly id: string; readonly name: string } | undefined,
  company: CompanyN | null,
): JobFound => ({
  uid: job.id,
  company,
  facts: {
    job: short(job.name, LIMITS.nameChars) ?? job.id,
    jobInstanceUid: job.id,
    ...(organization === undefined || organization.name.trim() === ''
      ? {}
      : { server: cutText(organization.name, LIMITS.nameChars) }),
    source: 'office365',
    type: 'M365',
    entityGroup: 'office365',
    managed: true,
    enabled: job.isEnabled ?? true,
    schedule: getVb365Schedule(job),
    graceSec: null,
  },
  run: null,
  more: {
    organization: organization?.id ?? null,
    repository: job.repositoryId ?? null,
    lastRun: job.lastRun ?? null,
    lastStatus: job.lastStatus ?? null,
  },
});

const PERIOD_SEC: Readonly<Record<string, number>> = {
  Minutes5: 300,
  Minutes10: 600,
  Minutes15: 900,
  Minutes30: 1_800,
  Hours1: 3_600,
  Hours2: 7_200,
  Hours4: 14_400,
  Hours8: 28_800,
  Hours12: 43_200,
};

/**
 * A daily time is one of the server's own clock, whose zone the API doesn't tell, so the times are
 * learned from the runs. Null: only people start the job.
 */
export function getVb365Schedule({ schedulePolicy }: Vb365Job): JobFacts['schedule'] {
  const { type, scheduleEnabled, periodicallyEvery } = schedulePolicy ?? {};
  if (scheduleEnabled === false) return null;
  if (type === 'Daily') return { type: 'kind', kind: 'Daily' };
  if (type !== 'Periodically') return null;
  const everySec = PERIOD_SEC[periodicallyEvery ?? ''];
  return everySec === undefined
    ? { type: 'kind', kind: 'Periodically' }
    : { type: 'every', everySec, kind: 'Periodically' };
}

/** A session that somebody stopped has no backup of everything, so it isn't a success. */
const STATUS: Readonly<Record<string, ExecutionIn['status']>> = {
  Success: 'Success',
  Warning: 'Warning',
  Failed: 'Failed',
  Disconnected: 'Failed',
  Stopped: 'Error',
  Running: 'Running',
  Queued: 'Running',
};

const LEVELS: Readonly<Record<string, 'Full' | 'Incremental'>> = {
  Full: 'Full',
  Incremental: 'Incremental',
};

export const hasEnded = ({ endTime, status }: Vb365Session): boolean =>
  parseTime(endTime) !== null && STATUS[status ?? ''] !== 'Running';

/** Returns a session as a run with the session's id; null if its state is unknown. */
export function getVb365Run(session: Vb365Session, log: readonly Vb365LogItem[]): RunFacts | null {
  const [started, ended] = [parseTime(session.creationTime), parseTime(session.endTime)];
  const status = STATUS[session.status ?? ''];
  if (started === null || status === undefined) return null;
  const startTime = new Date(started).toISOString();
  if (status === 'Running' || ended === null)
    return { externalId: session.id, status: 'Running', startTime };
  const statistics = session.statistics ?? {};
  const message = status === 'Success' ? null : getMessage(session, log);
  const text = log.map(logLine).join('\n');
  return {
    externalId: session.id,
    status,
    startTime,
    endTime: new Date(Math.max(started, ended)).toISOString(),
    level: LEVELS[session.jobSessionConfigType ?? ''] ?? null,
    // A session in which nothing had changed transfers nothing, which is not unusual.
    bytesTransferred: whole(statistics.transferredDataBytes) || null,
    errorCount: countType(log, 'Error'),
    warningCount: countType(log, 'Warning'),
    ...(message !== null && { message }),
    ...(text !== '' && { log: cutText(text, 200_000) }),
    detail: {
      objects: whole(statistics.processedObjects),
      bottleneck: short(statistics.bottleneck, LIMITS.nameChars),
    },
  };
}

const countType = (log: readonly Vb365LogItem[], wanted: string): number =>
  log.filter(({ type }) => type === wanted).length;

function logLine({ creationTime, type, message, title }: Vb365LogItem): string {
  const at = parseTime(creationTime);
  return [at === null ? null : new Date(at).toISOString(), type?.padEnd(7), message ?? title]
    .filter((part) => part != null)
    .join(' ');
}

const short = (said: string | null | undefined, max: number): string | null =>
  cutText((said ?? '').trim(), max).trim() || null;
const whole = (size: number | null | undefined): number | null =>
  size == null || !(size >= 0) ? null : Math.floor(size);
