import { CompiledQuery } from 'kysely';
import { LIMITS } from '#contract/limits.ts';
import type { Bytes } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { clampLog } from './clamp-log.ts';
import type { PostedResults, RunLog, TasksOf } from './decide.ts';
import { logBytes, RECORD_BYTES } from './quota.ts';

/**
 * Stores the full log of a run outside the event log, because it is large and can be deleted. For a
 * run that has ended, the longer log is kept (RUN-10).
 */
export async function keepLogs(tx: TenantTx, logs: readonly RunLog[]): Promise<void> {
  for (const longest of [false, true]) {
    const bodies = new Map(
      logs
        .filter((log) => (log.longest ?? false) === longest)
        .map(({ run, body }) => [run, clampLog(body, LIMITS.logBytes)]),
    );
    if (bodies.size === 0) continue;
    tx.send(
      CompiledQuery.raw(
        `insert into run_log (tenant_id, run_n, body)
      select h.tenant_id, run_n, body from json_to_recordset($2::text::json) as x(run_n bigint, body text) join head as h on h.tenant_id = $1::uuid
      on conflict (tenant_id, run_n) do update set body = excluded.body${longest ? ' where length(run_log.body) < length(excluded.body)' : ''}`,
        [tx.tenant, JSON.stringify([...bodies].map(([run_n, body]) => ({ run_n, body })))],
      ),
    );
  }
}

/**
 * TASK-1: the results of a run's objects are stored outside the event log, like logs. The last
 * report replaces earlier ones.
 */
export async function keepTasks(tx: TenantTx, details: readonly TasksOf[]): Promise<void> {
  if (details.length === 0) return;
  const last = new Map(details.map(({ run, tasks }) => [run, tasks]));
  tx.send(
    CompiledQuery.raw(
      `insert into run_task (tenant_id, run_n, tasks)
    select h.tenant_id, run_n, tasks from json_to_recordset($2::text::json) as x(run_n bigint, tasks json) join head as h on h.tenant_id = $1::uuid
    on conflict (tenant_id, run_n) do update set tasks = excluded.tasks`,
      [tx.tenant, JSON.stringify([...last].map(([run_n, tasks]) => ({ run_n, tasks })))],
    ),
  );
}

/** Returns how much results count towards the quota. */
export const storedBytes = ({ accepted, logs, tasks }: PostedResults): Bytes =>
  accepted * RECORD_BYTES +
  logs.reduce((sum, { body }) => sum + logBytes(body), 0) +
  tasks.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one.tasks)), 0);
