import type { SessionResult } from '#contract/engine/sessions.ts';
import type { BackupSessionId, Ms } from '#contract/ids.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import type { Vb365Client } from './client.ts';
import { vb365Messages as t } from './messages.en.ts';
import {
  LogItemShape,
  ProcessedObjectShape,
  SessionShape,
  type Vb365Job,
  type Vb365LogItem,
  type Vb365Session,
} from './shapes.ts';
import { parseTime } from './times.ts';

/** How far back the sessions of a job are read for the first time. */
const FIRST_MS: Ms = 7 * 24 * HOUR_MS;
/** How much of the time before the last known end is read again. */
const AGAIN_MS: Ms = HOUR_MS;
const MAX_LOG_LINES = 1_000;
/** On the first page are the newest sessions, so also one that is running. */
const NEWEST_ROWS = 10;

/** What is already stored of a job's sessions. `ended`: ids. */
export interface StoredServerSessions {
  readonly running: BackupSessionId | null;
  readonly newestEnd: Ms | null;
  readonly ended: ReadonlySet<BackupSessionId>;
}

/** A session that is new or has changed. `counts`: objects by their state, if some didn't succeed. */
export interface ReadSession {
  readonly id: BackupSessionId;
  readonly startedAt: Ms;
  /** Null: it is running. */
  readonly end: { readonly at: Ms; readonly result: SessionResult } | null;
  readonly session: Vb365Session;
  readonly log: readonly Vb365LogItem[];
  readonly counts: { readonly warned: number; readonly failed: number };
}

/** A session that somebody stopped has no backup of everything. Others are still running. */
const RESULTS: Readonly<Record<string, SessionResult>> = {
  Success: 'success',
  Warning: 'warning',
  Failed: 'failed',
  Disconnected: 'failed',
  Stopped: 'cancelled',
};
const RUNNING: Readonly<Record<string, true>> = { Running: true, Queued: true };
const isRunningState = (status: string | null | undefined): boolean =>
  RUNNING[status ?? ''] ?? false;

/** Reads the sessions of a job since its last known one, the oldest first. */
export async function readSessions(
  client: Vb365Client,
  job: Vb365Job,
  known: StoredServerSessions,
  now: Ms,
): Promise<ReadSession[]> {
  const lastRun = parseTime(job.lastRun);
  const isRunning = isRunningState(job.lastStatus) || known.running !== null;
  if (!isRunning && (lastRun === null || lastRun <= (known.newestEnd ?? -1))) return [];
  const found = new Map<string, Vb365Session>();
  const of = `JobSessions?jobId=${encodeURIComponent(job.id)}`;
  const since = Math.max(now - FIRST_MS, (known.newestEnd ?? 0) - AGAIN_MS);
  const bound = encodeURIComponent(new Date(since).toISOString());
  for await (const rows of client.readPages(`${of}&endTimeLowerBound=${bound}`, SessionShape))
    for (const row of rows) found.set(row.id, row);
  // A running session has no end, so a list by end lacks it.
  if (isRunning)
    for await (const rows of client.readPages(of, SessionShape, NEWEST_ROWS)) {
      for (const row of rows) if (toEnd(row) === null) found.set(row.id, row);
      break;
    }
  const sessions: ReadSession[] = [];
  if (known.running !== null && !found.has(known.running)) {
    const session = await readServerSession(client, known.running);
    if (session) found.set(session.id, session);
    else sessions.push(endForgotten(known.running, now));
  }
  for (const session of found.values()) {
    if (known.ended.has(session.id as BackupSessionId)) continue;
    const read = await readDetails(client, session, now);
    if (read !== null) sessions.push(read);
  }
  return sessions.toSorted((a, b) => a.startedAt - b.startedAt);
}

/** Reads the log of a session, and how many objects failed. Null: its state has no meaning here. */
export async function readDetails(
  client: Vb365Client,
  session: Vb365Session,
  now: Ms,
): Promise<ReadSession | null> {
  const startedAt = parseTime(session.creationTime);
  if (startedAt === null || !isKnownState(session)) return null;
  const end = toEnd(session);
  return {
    id: session.id as BackupSessionId,
    startedAt: Math.min(startedAt, now),
    end: end && { ...end, at: Math.max(startedAt, Math.min(end.at, now)) },
    session,
    log: await readLog(client, session.id),
    counts:
      end === null || end.result === 'success'
        ? { warned: 0, failed: 0 }
        : await countObjects(client, session.id),
  };
}

/** The server no longer has a session that was running: nobody can tell how it ended. */
export const endForgotten = (id: BackupSessionId, now: Ms): ReadSession => ({
  id,
  startedAt: now,
  end: { at: now, result: 'cancelled' },
  session: {
    id,
    jobId: null,
    details: t.sessionGone,
    creationTime: null,
    endTime: null,
    status: null,
    jobSessionConfigType: null,
    retryCount: null,
    statistics: null,
  },
  log: [],
  counts: { warned: 0, failed: 0 },
});

const isKnownState = ({ status }: Vb365Session): boolean =>
  isRunningState(status) || RESULTS[status ?? ''] !== undefined;

function toEnd({ endTime, status }: Vb365Session): ReadSession['end'] {
  const [at, result] = [parseTime(endTime), RESULTS[status ?? '']];
  return at === null || result === undefined ? null : { at, result };
}

export async function readServerSession(
  client: Vb365Client,
  id: string,
): Promise<Vb365Session | null> {
  try {
    return await client.read(`JobSessions/${encodeURIComponent(id)}`, SessionShape);
  } catch (error) {
    if (error instanceof SourceError && error.kind === 'missing') return null;
    throw error;
  }
}

/** Reads the first lines of a session's log. */
export async function readLog(client: Vb365Client, id: string): Promise<Vb365LogItem[]> {
  const log: Vb365LogItem[] = [];
  for await (const rows of client.readPages(
    `JobSessions/${encodeURIComponent(id)}/LogItems`,
    LogItemShape,
  )) {
    log.push(...rows);
    if (log.length >= MAX_LOG_LINES) break;
  }
  return log.slice(0, MAX_LOG_LINES);
}

async function countObjects(client: Vb365Client, id: string): Promise<ReadSession['counts']> {
  let [warned, failed] = [0, 0];
  for await (const rows of client.readPages(
    `JobSessions/${encodeURIComponent(id)}/ProcessedObjects`,
    ProcessedObjectShape,
  ))
    for (const { status } of rows) {
      if (status === 'Warning') warned += 1;
      if (status === 'Failed') failed += 1;
    }
  return { warned, failed };
}
