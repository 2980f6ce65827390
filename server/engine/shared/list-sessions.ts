import { sql } from 'kysely';
import type {
  EngineResult,
  EngineScope,
  EngineId,
  EnginePage,
  PageInput,
} from '#contract/engine/engine.ts';
import type { SessionLogLine, BackupSession, SessionObject } from '#contract/engine/sessions.ts';
import type { BackupJobId, BackupSessionId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { ok } from '../result.ts';
import { cursorAfter, readCursor } from './cursor.ts';

/** Lists the sessions of a job, or one of them, newest first, each with its objects. */
export async function listSessions(
  tx: TenantTx,
  { organization }: EngineScope,
  { job, session, cursor, limit }: ListSessions,
): Promise<EngineResult<EnginePage<BackupSession>>> {
  const after = readCursor(cursor);
  if (!after.ok) return after;
  const [key, id] = [after.value?.key ?? null, after.value?.n ?? null];
  const { rows } = await sql<SessionRow>`
    select id, job_id as job, state, result, reason, started_at as "startedAt", ended_at as "endedAt", progress, message
    from backup_session where tenant_id = ${tx.tenant} and organization_id = ${organization} and job_id = ${job}
      and (${session ?? null}::uuid is null or id = ${session ?? null}::uuid)
      and (${key}::bigint is null or (started_at, id) < (${key}::bigint, ${id}::uuid))
    order by started_at desc, id desc limit ${limit + 1}`.execute(tx.sql);
  const page = rows.slice(0, limit);
  const objects = await loadObjects(
    tx,
    page.map(({ id }) => id),
  );
  const last = page.at(-1);
  return ok({
    rows: page.map((row) => ({
      ...row,
      progress: getProgress(row),
      isAccessDenied: row.progress.isAccessDenied === true,
      objects: objects.get(row.id) ?? [],
    })),
    next: rows.length > limit && last ? cursorAfter({ key: last.startedAt, n: last.id }) : null,
    count: null,
  });
}

interface ListSessions extends PageInput {
  readonly job: BackupJobId;
  readonly session?: BackupSessionId;
}
type SessionRow = Omit<BackupSession, 'progress' | 'objects' | 'isAccessDenied'> & {
  readonly progress: Partial<BackupSession['progress']> & { readonly isAccessDenied?: boolean };
};
const UNKNOWN = { done: 0, total: null };
const NOTHING_DONE: BackupSession['progress'] = {
  objects: UNKNOWN,
  items: UNKNOWN,
  bytes: UNKNOWN,
  storedBytes: 0,
  waiting: null,
};
/** Without what the server notes for itself. */
function getProgress({ progress }: SessionRow): BackupSession['progress'] {
  const { objects, items, bytes, storedBytes, waiting } = { ...NOTHING_DONE, ...progress };
  return { objects, items, bytes, storedBytes, waiting };
}
/** Of one session: those with something to say come first. */
const MAX_OBJECTS = 500;

async function loadObjects(
  { sql: db, tenant }: TenantTx,
  sessions: readonly EngineId[],
): Promise<Map<EngineId, SessionObject[]>> {
  const objects = new Map<EngineId, SessionObject[]>();
  for (const session of sessions) {
    const { rows } = await sql<SessionObject>`
      select o.name, o.kind, w.state, w.items, w.bytes, coalesce(w.waiting ->> 'reason', w.message) as message
      from backup_work as w join backup_object as o on o.tenant_id = w.tenant_id and o.n = w.object_n
      where w.tenant_id = ${tenant} and w.session_id = ${session}
      order by w.state = 'success', w.object_n limit ${MAX_OBJECTS}`.execute(db);
    objects.set(session, rows);
  }
  return objects;
}

export async function listLog(
  tx: TenantTx,
  { organization }: EngineScope,
  {
    session,
    isNewest = false,
    offset = 0,
    cursor,
    limit,
  }: {
    readonly session: BackupSessionId;
    readonly isNewest?: boolean;
    readonly offset?: number;
  } & PageInput,
): Promise<EngineResult<EnginePage<SessionLogLine>>> {
  const after = readCursor(cursor);
  if (!after.ok) return after;
  const { rows } = await sql<SessionLogLine>`
    select l.n, l.at, l.level, l.message from backup_log as l
    join backup_session as s on s.tenant_id = l.tenant_id and s.id = l.session_id
    where l.tenant_id = ${tx.tenant} and l.session_id = ${session} and s.organization_id = ${organization}
      and l.n > ${after.value?.n ?? 0}::int
    order by case when ${isNewest} then -l.n else l.n end limit ${isNewest ? limit : limit + 1} offset ${offset}`.execute(
    tx.sql,
  );
  const page = isNewest ? rows.toReversed() : rows.slice(0, limit);
  const last = page.at(-1);
  return ok({
    rows: page,
    next: rows.length > limit && last ? cursorAfter({ key: '', n: last.n }) : null,
    count: null,
  });
}
