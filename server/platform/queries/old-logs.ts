import { sql } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import type { AppContext } from '../app-context.ts';
import type { TenantTx } from '../db/store.ts';

const DAY: Ms = 86_400_000;
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
    const before = now - days * DAY;
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
