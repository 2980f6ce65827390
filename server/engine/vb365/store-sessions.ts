import type {
  SessionLogLine,
  SessionProgress,
  SessionResult,
  StartReason,
} from '#contract/engine/sessions.ts';
import type { NewEvent } from '#contract/events.ts';
import type {
  BackupJobId,
  BackupRepositoryId,
  CompanyN,
  Ms,
  OrganizationId,
  PointId,
} from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { cutText, storable } from '#contract/stored-text.ts';
import { byClock, type EventMeta, type TenantTx } from '#server/platform/db/store.ts';
import type { ReadSession } from './read-sessions.ts';
import { getMessage } from './session-message.ts';
import type { Vb365LogItem } from './shapes.ts';
import { parseTime } from './times.ts';

/** The job that sessions are of. */
interface OfJob {
  readonly id: OrganizationId;
  readonly company: CompanyN;
  readonly job: BackupJobId;
  readonly repository: BackupRepositoryId;
}

/**
 * Stores the sessions of a job, the oldest first, with their log. Each start and end is in the event
 * log at the time that the server says, once. `startedBy`: why one that is running was started.
 * Returns whether none has to wait for the end of another one.
 */
export async function storeSessions(
  tx: TenantTx,
  of: OfJob,
  sessions: readonly ReadSession[],
  startedBy: StartReason = 'schedule',
): Promise<boolean> {
  const { sql: db, tenant } = tx;
  let isComplete = true;
  // One session of a job runs at a time, so ends come before the start of another one.
  const ordered = sessions.toSorted(
    (a, b) => Number(a.end === null) - Number(b.end === null) || a.startedAt - b.startedAt,
  );
  for (const session of ordered) {
    const stored = await db
      .selectFrom('backup_session')
      .select(['job_id', 'state', 'reason'])
      .where('tenant_id', '=', tenant)
      .where('id', '=', session.id)
      .executeTakeFirst();
    if (stored !== undefined && (stored.job_id !== of.job || stored.state === 'done')) continue;
    const drafts: [NewEvent, EventMeta][] = [];
    if (stored === undefined) {
      const reason = getReason(session, startedBy);
      if (!(await insertSession(tx, of, session, reason))) {
        isComplete = false;
        continue;
      }
      drafts.push(getStart(of, session, reason));
    }
    await updateSession(tx, session);
    if (session.end !== null) drafts.push(getEnd(of, session, session.end));
    if (drafts.length > 0)
      await tx.append(
        drafts.map(([draft]) => draft),
        drafts.map(([, by]) => by),
      );
  }
  return isComplete;
}

/** A retry of the server is a session of its own. The API doesn't tell why others started. */
const getReason = ({ session, end }: ReadSession, startedBy: StartReason): StartReason =>
  (session.retryCount ?? 0) > 0 ? 'retry' : end === null ? startedBy : 'schedule';

/** Returns whether it was inserted: the job may have a running session that has not ended here. */
async function insertSession(
  { sql: db, tenant }: TenantTx,
  of: OfJob,
  session: ReadSession,
  reason: StartReason,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('backup_session')
    .values({
      tenant_id: tenant,
      id: session.id,
      job_id: of.job,
      organization_id: of.id,
      repository_id: of.repository,
      state: session.end === null ? 'running' : 'done',
      reason,
      started_at: session.startedAt,
    })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

const getStart = (of: OfJob, session: ReadSession, reason: StartReason): [NewEvent, EventMeta] => [
  {
    company: of.company,
    entity: `backupjob:${of.job}`,
    event: {
      type: 'backupsession.started@1',
      data: { id: session.id, job: of.job, reason },
    },
  },
  byClock(session.startedAt),
];

function getEnd(
  of: OfJob,
  { id, session, log, counts: { warned, failed } }: ReadSession,
  end: { readonly at: Ms; readonly result: SessionResult },
): [NewEvent, EventMeta] {
  const objects = Math.max(whole(session.statistics?.processedObjects), warned + failed);
  const bytes = whole(session.statistics?.transferredDataBytes);
  const hasPoint = end.result === 'success' || end.result === 'warning';
  return [
    {
      company: of.company,
      entity: `backupjob:${of.job}`,
      event: {
        type: 'backupsession.ended@1',
        data: {
          id,
          job: of.job,
          result: end.result,
          counts: { objects, succeeded: objects - warned - failed, warned, failed },
          bytesRead: bytes,
          bytesStored: bytes,
          // The server makes one restore point in each session.
          point: hasPoint ? (id as string as PointId) : null,
          message: end.result === 'success' ? null : toMessage(getMessage(session, log)),
        },
      },
    },
    byClock(end.at),
  ];
}

async function updateSession(
  { sql: db, tenant }: TenantTx,
  { id, session, end, log }: ReadSession,
): Promise<void> {
  const bytes = whole(session.statistics?.transferredDataBytes);
  const objects = whole(session.statistics?.processedObjects);
  const progress: Partial<SessionProgress> = {
    objects: { done: objects, total: end === null ? null : objects },
    bytes: { done: bytes, total: end === null ? null : bytes },
    storedBytes: bytes,
  };
  await db
    .updateTable('backup_session')
    .set({
      progress: JSON.stringify(progress),
      ...(end !== null && {
        state: 'done' as const,
        result: end.result,
        ended_at: end.at,
        message: end.result === 'success' ? null : toMessage(getMessage(session, log)),
      }),
    })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
  if (log.length === 0) return;
  await db
    .deleteFrom('backup_log')
    .where('tenant_id', '=', tenant)
    .where('session_id', '=', id)
    .execute();
  await db
    .insertInto('backup_log')
    .values(
      log.map((item, i) => ({ tenant_id: tenant, session_id: id, n: i + 1, ...toLine(item) })),
    )
    .execute();
}

const LEVELS: Readonly<Record<string, SessionLogLine['level']>> = {
  Error: 'error',
  Warning: 'warning',
};

const toLine = ({
  type,
  message,
  title,
  creationTime,
}: Vb365LogItem): Omit<SessionLogLine, 'n'> => ({
  at: parseTime(creationTime) ?? 0,
  level: LEVELS[type ?? ''] ?? 'info',
  message: cutText(storable((message ?? title ?? '').trim()), MAX_LINE_CHARS),
});
const MAX_LINE_CHARS = 2_000;

const toMessage = (text: string): string => cutText(storable(text), LIMITS.messageChars);
const whole = (size: number | null | undefined): number =>
  size == null || !(size >= 0) ? 0 : Math.floor(size);
