import type { Ms, TenantId } from '#contract/ids.ts';
import { ENTITIES_OF } from '#contract/connections/connection.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { LeaseHandler } from '#server/platform/jobs/job-types.ts';
import { hasNoJob, scheduleJob } from '#server/platform/jobs/schedule.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Client } from '#server/platform/systems/client.ts';
import { clientFor } from './clients.ts';
import { connectionRow, getEndpoint } from './connections.ts';
import { collectRound, Stopped } from './collect.ts';
import type { ConnectionRow } from './task.ts';

/** The pause before a connection that is still due, because it was changed meanwhile. */
const PAUSE_MS: Ms = 5_000;

/**
 * COLLECT-4: reads one connection, independently of others and on one server at a time. Who runs the
 * job has the connection; the next one continues where it was interrupted (JOB-11).
 */
export function connection(context: AppContext, timeoutMs?: Ms): LeaseHandler<'connection'> {
  const clients = new Map<string, { readonly changedAt: Ms; readonly client: Client }>();

  async function loadClient(tenant: TenantId, row: ConnectionRow): Promise<Client> {
    const known = clients.get(row.id);
    if (known && known.changedAt === row.changed_at) return known.client;
    const client = clientFor(
      context,
      row.kind,
      await context.store.tenant(tenant, (tx) => getEndpoint(tx, context, row), { readOnly: true }),
      timeoutMs,
    );
    clients.set(row.id, { changedAt: row.changed_at, client });
    return client;
  }

  return async ({ tenant, payload: { connection: id }, now, lease, signal }) => {
    const row = await context.store.tenant(tenant, (tx) => connectionRow(tx, id), {
      readOnly: true,
    });
    if (!row?.enabled) {
      clients.delete(id);
      return null;
    }
    if (await take(context, tenant, row, lease))
      try {
        await collectRound(context, tenant, row, () => loadClient(tenant, row), {
          id: lease,
          stopped: () => signal.aborted,
        });
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
      } finally {
        await leave(context, tenant, row, lease);
      }
    const next = await context.store.tenant(tenant, (tx) => nextRead(tx, row), { readOnly: true });
    return Math.max(next, now + PAUSE_MS);
  };
}

/** Makes a connection due, in the transaction that stores it or changes when it is due. */
export const scheduleConnection = (tx: TenantTx, id: string, dueAt: Ms): Promise<void> =>
  scheduleJob(tx, 'connection', id, { connection: id }, dueAt);

/** Makes connections without a job due: those from before there were jobs, or from a backup. */
export async function scheduleConnections(tx: TenantTx, now: Ms): Promise<void> {
  const connections = await tx.sql
    .selectFrom('connection')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('enabled', '=', true)
    .where(hasNoJob(tx, 'connection', 'connection.id'))
    .execute();
  for (const { id } of connections) await scheduleConnection(tx, id, now);
}

/** Returns when the first of its lists is due. A list that was never read is due at once. */
async function nextRead({ sql, tenant }: TenantTx, { id, kind }: ConnectionRow): Promise<Ms> {
  const rows = await sql
    .selectFrom('collection')
    .select(['entity', 'next_at'])
    .where('tenant_id', '=', tenant)
    .where('connection_id', '=', id)
    .execute();
  const known = new Map(rows.map(({ entity, next_at }) => [entity, next_at]));
  return Math.min(...ENTITIES_OF[kind].map((entity) => known.get(entity) ?? 0));
}

/** Takes the connection for this run, unless it was changed. Returns whether it has it. */
function take(
  context: AppContext,
  tenant: TenantId,
  { id, changed_at }: ConnectionRow,
  by: string,
): Promise<boolean> {
  return context.store.tenant(
    tenant,
    async ({ sql }) =>
      (await sql
        .updateTable('connection')
        .set({ held_by: by })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .where('changed_at', '=', changed_at)
        .where('enabled', '=', true)
        .returning('id')
        .executeTakeFirst()) !== undefined,
  );
}

const leave = (context: AppContext, tenant: TenantId, { id }: ConnectionRow, by: string) =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('connection')
      .set({ held_by: null })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('held_by', '=', by)
      .execute(),
  );
