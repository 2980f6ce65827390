import { sql } from 'kysely';
import type { BackupSessionId, Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { AppContext } from '../app-context.ts';
import type { TenantTx } from '../db/store.ts';

/** So that nobody waits for long: the rest goes an hour later. */
const PIECE_ROWS = 5_000;

/**
 * LOG-14: deletes the logs and objects of results, and the lines of sessions' logs, that are older than the
 * configured number of days, the oldest first. Results and sessions stay. A log whose result is older than
 * those of many earlier logs waits for these.
 */
export const deleteOldLogs =
  ({ config }: Pick<AppContext, 'config'>, pieceRows = PIECE_ROWS) =>
  async ({ sql: db, tenant }: TenantTx, now: Ms): Promise<void> => {
    const days = config.deleteLogsAfterDays ?? 0;
    if (days === 0) return;
    const before = now - days * DAY_MS;
    // Only the first rows are compared with their results: no index has the logs by time.
    for (const table of ['run_log', 'run_task'] as const)
      await sql`
        delete from ${sql.table(table)} where tenant_id = ${tenant} and run_n in (
          select first.run_n from (
            select run_n from ${sql.table(table)} where tenant_id = ${tenant} order by run_n limit ${pieceRows}
          ) as first join run on run.tenant_id = ${tenant} and run.n = first.run_n
          where run.started_at < ${before})`.execute(db);
    await sql`
      delete from backup_log as l using (
        select session_id, n from backup_log where tenant_id = ${tenant} and at < ${before} order by at limit ${pieceRows}
      ) as old
      where l.tenant_id = ${tenant} and l.session_id = old.session_id and l.n = old.n`.execute(db);
  };

/**
 * LOG-14: whether the log of a session that has ended, or its first lines, were deleted because of their
 * age. Lines are numbered from 1. A session without lines had some if the server deletes logs and it
 * ended long enough ago.
 */
export async function isSessionLogDeleted(
  { sql: db, tenant }: TenantTx,
  { config, clock }: Pick<AppContext, 'config' | 'clock'>,
  session: BackupSessionId,
): Promise<boolean> {
  const days = config.deleteLogsAfterDays ?? 0;
  const { rows } = await sql<{ first: number | null; ended: Ms | null }>`
    select (select min(n) from backup_log where tenant_id = ${tenant} and session_id = ${session}) as first,
      (select ended_at from backup_session where tenant_id = ${tenant} and id = ${session}) as ended`.execute(
    db,
  );
  const { first = null, ended = null } = rows[0] ?? {};
  if (ended === null) return false;
  return first === null ? days > 0 && ended < clock.now() - days * DAY_MS : first > 1;
}
