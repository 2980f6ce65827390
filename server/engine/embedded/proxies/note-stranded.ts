import { sql } from 'kysely';
import type { BackupRepositoryId, BackupSessionId, Ms, TaskId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { parseJobPlace } from '#server/platform/jobs/places.ts';
import { listStrandedJobs, type StrandedJob } from '#server/platform/jobs/proxy-processes.ts';
import { loadUpkeepRequests, storeRequest } from '../repositories/requests.ts';
import { addLog } from '../sessions/session-rows.ts';
import { proxyMessages as t } from './messages.en.ts';

/** How long work must have been due: proxies look for work every five seconds. */
const PATIENCE_MS: Ms = 15_000;

/**
 * Shows why work waits: its proxy or pool isn't available. Sessions say it in their log too, once.
 */
export const noteStranded =
  (context: AppContext): ((now: Ms) => Promise<void>) =>
  async (now) => {
    const { store } = context;
    const jobs = await store.system((db) => listStrandedJobs(db, store.kind, now - PATIENCE_MS));
    const byTenant = Map.groupBy(jobs, ({ tenant }) => tenant);
    for (const [tenant, all] of byTenant)
      await store.tenant(tenant, async (tx) => {
        for (const job of all) await noteOne(tx, job, now);
      });
  };

async function noteOne(tx: TenantTx, { type, key, place }: StrandedJob, now: Ms): Promise<void> {
  const reason = getReason(place);
  if (type === 'backup-session') return noteSession(tx, key as BackupSessionId, reason, now);
  if (type === 'restore-task') return noteTask(tx, key as TaskId, reason);
  if (type !== 'repository-clean-up' && type !== 'repository-verification') return;
  const repository = key as BackupRepositoryId;
  const name = type === 'repository-clean-up' ? 'cleanUp' : 'verification';
  const request = (await loadUpkeepRequests(tx, repository))?.[name];
  if (request !== undefined && request.endedAt === null && request.message !== reason)
    await storeRequest(tx, repository, { [name]: { ...request, message: reason } });
}

async function noteSession(
  tx: TenantTx,
  id: BackupSessionId,
  reason: string,
  now: Ms,
): Promise<void> {
  const { rows } = await sql`
    update backup_session set progress = progress || ${waitFor(reason)}::text::jsonb
    where tenant_id = ${tx.tenant} and id = ${id}::uuid and state in ('queued', 'running')
      and progress -> 'waiting' ->> 'reason' is distinct from ${reason}
    returning id`.execute(tx.sql);
  if (rows.length > 0) await addLog(tx, id, { at: now, level: 'warning', message: reason });
}

async function noteTask(tx: TenantTx, id: TaskId, reason: string): Promise<void> {
  await sql`
    update engine_task set progress = progress || ${waitFor(reason)}::text::jsonb
    where tenant_id = ${tx.tenant} and id = ${id}::uuid and state in ('queued', 'running')
      and progress -> 'waiting' ->> 'reason' is distinct from ${reason}`.execute(tx.sql);
}

const waitFor = (reason: string): string => JSON.stringify({ waiting: { until: null, reason } });

function getReason(place: string | null): string {
  if (place === null) return t.waitsForAny;
  const { kind, name } = parseJobPlace(place);
  return (kind === 'pool' ? t.waitsForPool : t.waitsForProxy)({ name });
}
