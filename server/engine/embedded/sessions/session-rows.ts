import { sql } from 'kysely';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { SessionLogLine, StartReason } from '#contract/engine/sessions.ts';
import type { BackupJobId, BackupSessionId, Ms, PointId, UserId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { findRoute } from '#server/platform/jobs/places.ts';
import { scheduleRouted } from '#server/platform/jobs/schedule.ts';
import { sessionMessages as t } from '../../shared/sessions.messages.en.ts';

/** Starts a session of a job, unless one is running, in the caller's transaction. */
export async function startSession(
  tx: TenantTx,
  job: BackupJobRow,
  start: {
    readonly id: BackupSessionId;
    readonly point: PointId;
    readonly reason: StartReason;
    readonly user: UserId | null;
    readonly at: Ms;
  },
): Promise<EngineResult<BackupSessionId>> {
  const { sql: db, tenant } = tx;
  const place = {
    tenant_id: tenant,
    organization_id: job.organization,
    repository_id: job.repository,
    job_id: job.id,
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('backup_session')
    .values({
      ...place,
      id: start.id,
      state: 'queued',
      reason: start.reason,
      started_at: start.at,
    })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 0n)
    return { ok: false, error: { kind: 'conflict', message: t.running } };
  await db
    .insertInto('restore_point')
    .values({ ...place, id: start.point, session_id: start.id, at: start.at })
    .execute();
  await addLog(tx, start.id, { at: start.at, level: 'info', message: t.started });
  await tx.append(
    [
      {
        company: job.company,
        entity: `backupjob:${job.id}`,
        event: {
          type: 'backupsession.started@1',
          data: { id: start.id, job: job.id, reason: start.reason },
        },
      },
    ],
    {
      actor: start.user === null ? { kind: 'clock' } : { kind: 'user', id: start.user },
      subject: null,
      commandId: null,
      at: start.at,
    },
  );
  const route = await findRoute(tx, job.repository, job.proxy);
  await scheduleRouted(tx, 'backup-session', start.id, { session: start.id }, start.at, route);
  return { ok: true, value: start.id };
}

/** Dates the restore point of a session, once: what it waited for before is no part of it. */
export async function beginPoint(
  { sql: db, tenant }: TenantTx,
  session: { readonly id: BackupSessionId; readonly point: PointId; readonly pointAt: Ms },
  at: Ms,
): Promise<Ms> {
  const begun = await db
    .updateTable('backup_session')
    .set({ state: 'running' })
    .where('tenant_id', '=', tenant)
    .where('id', '=', session.id)
    .where('state', '=', 'queued')
    .returning('id')
    .executeTakeFirst();
  if (begun === undefined) return session.pointAt;
  await db
    .updateTable('restore_point')
    .set({ at })
    .where('tenant_id', '=', tenant)
    .where('id', '=', session.point)
    .execute();
  return at;
}

/** Asks the running session of a job to stop. Returns whether there is one. */
export async function stopSession(tx: TenantTx, job: BackupJobId, at: Ms): Promise<boolean> {
  const session = await tx.sql
    .updateTable('backup_session')
    .set({ state: 'stopping' })
    .where('tenant_id', '=', tx.tenant)
    .where('job_id', '=', job)
    .where('state', '<>', 'done')
    .returning(['id', 'repository_id as repository'])
    .executeTakeFirst();
  if (session === undefined) return false;
  // Any proxy can end one that waits for its own.
  const route = { ...(await findRoute(tx, session.repository)), place: null };
  await scheduleRouted(tx, 'backup-session', session.id, { session: session.id }, at, route);
  return true;
}

/** Adds a line to a session's log. */
export async function addLog(
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
  { at, level, message }: Omit<SessionLogLine, 'n'>,
): Promise<void> {
  for (;;) {
    // Two lines at once get the same number: the second tries again.
    const { rows } = await sql`
      insert into backup_log (tenant_id, session_id, n, at, level, message)
      select h.tenant_id, ${session}, (select coalesce(max(n), 0) + 1 from backup_log where tenant_id = ${tenant} and session_id = ${session}), ${at}, ${level}, ${message}
      from head as h where h.tenant_id = ${tenant}
      on conflict do nothing returning n`.execute(db);
    if (rows.length > 0) return;
  }
}
