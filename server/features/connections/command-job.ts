import { canCommandJobs } from '#contract/connections/connection.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms, TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok, type Result } from '#contract/result.ts';
import { commandJob, type JobAction, makeVb365Client } from '#server/engine/public/veeam-client.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { Endpoint } from '#server/platform/systems/client.ts';
import { SourceError } from '#server/platform/systems/source-error.ts';
import { scheduleConnection } from './connection-job.ts';
import { getEndpoint } from './connections.ts';
import type { ConnectionRow } from './task.ts';

const TIMEOUT_MS: Ms = 20_000;
const BUSY_MS: Ms = 30_000;

export interface JobCommand {
  readonly id: string;
  readonly job: string;
  readonly action: JobAction;
}

/** Returns how to reach the server of a job that the connection has found. */
export async function findJobServer(
  tx: TenantTx,
  context: AppContext,
  row: ConnectionRow,
  { job }: JobCommand,
): Promise<Result<Endpoint>> {
  const found =
    canCommandJobs(row.kind) &&
    (await tx.sql
      .selectFrom('collected')
      .select('uid')
      .where('tenant_id', '=', tx.tenant)
      .where('connection_id', '=', row.id)
      .where('entity', '=', 'jobs')
      .where('uid', '=', job)
      .executeTakeFirst());
  if (!found) return failed({ kind: 'not-found', message: MESSAGES.notFound });
  if (!row.enabled) return failed({ kind: 'conflict', message: MESSAGES.connectionOff });
  return getEndpoint(tx, context, row).then(ok, (error: unknown) => failed(getFailure(error)));
}

/**
 * Sends a command to the server, outside of any transaction, and has the jobs and sessions of the
 * connection read again at once.
 */
export async function runJobCommand(
  context: AppContext,
  tenant: TenantId,
  endpoint: Endpoint,
  { id, job, action }: JobCommand,
): Promise<Result<Record<string, never>>> {
  try {
    await commandJob(makeVb365Client(context, endpoint, TIMEOUT_MS), job, action);
  } catch (error) {
    return failed(getFailure(error));
  }
  await context.store.tenant(tenant, async (tx) => {
    await tx.sql
      .updateTable('collection')
      .set({ next_at: 0 })
      .where('tenant_id', '=', tenant)
      .where('connection_id', '=', id)
      .where('entity', 'in', ['jobs', 'sessions'])
      .execute();
    await scheduleConnection(tx, id, context.clock.now());
  });
  return ok({});
}

/** The message is the one of the server. */
function getFailure(error: unknown): Failure {
  if (!(error instanceof SourceError)) throw error;
  const { kind, message, waitMs } = error;
  switch (kind) {
    case 'unreachable':
    case 'busy':
      return { kind: 'busy', message, retryAfterMs: waitMs ?? BUSY_MS };
    case 'missing':
      return { kind: 'not-found', message };
    case 'refused':
    case 'forbidden':
    case 'failed':
      return { kind: 'conflict', message };
    default:
      return kind satisfies never;
  }
}
