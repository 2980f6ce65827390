import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { OrganizationRow } from '#contract/backup/organizations.ts';
import type {
  SessionLogLine,
  BackupSession,
  SessionObject,
  SessionResult,
} from '#contract/engine/sessions.ts';
import type { EventOf } from '#contract/events.ts';
import type { Ms } from '#contract/ids.ts';
import type { ExecutionIn } from '#contract/ingest/calls.ts';
import { LIMITS } from '#contract/limits.ts';
import type { TaskIn } from '#contract/runs/task.ts';
import { cutText } from '#contract/stored-text.ts';
import { backupMessages as t } from './messages.en.ts';
import { expectedSchedule } from './monitoring-schedule.ts';

/** The end of a session as the log has it. */
export type EndedSession = EventOf<'backupsession.ended@1'>['data'] & { readonly at: Ms };

/** What the engine knows of the session besides; null if it no longer has it. */
export interface SessionDetails {
  readonly session: Pick<
    BackupSession,
    'startedAt' | 'endedAt' | 'reason' | 'progress' | 'objects' | 'isAccessDenied'
  >;
  readonly log: readonly SessionLogLine[];
}

const iso = (at: Ms): string => new Date(at).toISOString();

/** A session that somebody stopped has no backup of everything, so it isn't a success. */
const STATUS = {
  success: 'Success',
  warning: 'Warning',
  failed: 'Failed',
  cancelled: 'Error',
} as const satisfies Record<SessionResult, ExecutionIn['status']>;

/** What an ended session hadn't finished won't be finished. */
const TASK_STATUS: Readonly<Record<SessionObject['state'], TaskIn['status']>> = {
  queued: 'Error',
  waiting: 'Error',
  running: 'Error',
  success: 'Success',
  warning: 'Warning',
  failed: 'Failed',
  cancelled: 'Error',
};

/** Returns a backup job as Monitoring has it. Its id there is its own id. `jobs`: all of the provider. */
export const jobFacts = (
  job: BackupJobRow,
  organization: Pick<OrganizationRow, 'name'>,
  timeZone: string,
  jobs: ReadonlyMap<string, BackupJobRow>,
) =>
  ({
    job: job.name,
    jobInstanceUid: job.id,
    server: cutText(organization.name, LIMITS.nameChars),
    source: 'office365',
    type: 'M365',
    entityGroup: 'office365',
    managed: true,
    enabled: job.enabled && job.removedAt === null,
    schedule: expectedSchedule(job, timeZone, jobs),
  }) as const satisfies Partial<ExecutionIn>;

/** The same as a job without a result. */
export const toReportedJob = ({
  job,
  jobInstanceUid,
  entityGroup,
  ...facts
}: ReturnType<typeof jobFacts>) => ({
  ...facts,
  uid: jobInstanceUid,
  name: job,
  group: entityGroup,
});

/**
 * Returns a finished session as a result in Monitoring, identified by the session's id. Mailboxes
 * and drives are its tasks.
 */
export function sessionExecution(
  facts: ReturnType<typeof jobFacts>,
  ended: EndedSession,
  startedAt: Ms,
  details: SessionDetails | null,
): ExecutionIn {
  const { counts } = ended;
  const objects = details?.session.objects ?? [];
  const message = getMessage(ended, objects);
  const items = details?.session.progress.items.done;
  return {
    ...facts,
    externalId: ended.id,
    status: STATUS[ended.result],
    startTime: iso(startedAt),
    endTime: iso(Math.max(startedAt, details?.session.endedAt ?? ended.at)),
    // A session in which nothing had changed transfers nothing, which is not unusual.
    bytesTransferred: ended.bytesStored || null,
    bytesProcessed: ended.bytesRead || null,
    errorCount: counts.failed,
    warningCount: counts.warned,
    message,
    log: details === null ? null : logText(details.log),
    tasks: objects.slice(0, LIMITS.tasks).map(makeTask),
    detail: {
      objects: counts.objects,
      ...(items !== undefined && { items }),
      ...(details !== null && { startedBy: details.session.reason }),
      ...(ended.message !== null &&
        ended.message !== message && { summary: cutText(ended.message, 1_000) }),
    },
  };
}

/**
 * Returns why a session didn't succeed: the most frequent message of its objects, so that the same
 * cause is one cause in every job. The session's own message only counts objects, unless it failed
 * as a whole.
 */
function getMessage(
  { result, counts, message }: EndedSession,
  objects: readonly SessionObject[],
): string | null {
  const isAboutObjects =
    result === 'warning' || (result === 'failed' && counts.failed === counts.objects);
  if (!isAboutObjects) return message;
  const state = counts.failed > 0 ? 'failed' : 'warning';
  const times = new Map<string, number>();
  for (const one of objects)
    if (one.state === state && one.message !== null)
      times.set(one.message, (times.get(one.message) ?? 0) + 1);
  const [max] = [...times].sort(([, a], [, b]) => b - a);
  return max?.[0] ?? message;
}

const makeTask = ({ name, kind, state, bytes, message }: SessionObject): TaskIn => ({
  name: cutText(t[kind]({ name }), LIMITS.nameChars),
  status: TASK_STATUS[state],
  bytesProcessed: bytes,
  message: message === null ? null : cutText(message, LIMITS.messageChars),
});

function logText(lines: readonly SessionLogLine[]): string | null {
  const text = lines
    .map(({ at, level, message }) => `${iso(at)} ${level.padEnd(7)} ${message}`)
    .join('\n');
  return text === '' ? null : cutText(text, 200_000);
}
