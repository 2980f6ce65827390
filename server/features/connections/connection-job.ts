import type { Ms, TenantId } from '#contract/ids.ts';
import { ENTITIES_OF } from '#contract/connections/connection.ts';
import { columnOver } from '../../platform/clock-bounds.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { JobHandler } from '#server/platform/jobs/job-types.ts';
import { hasNoJob, scheduleJob } from '#server/platform/jobs/schedule.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Client } from '#server/platform/systems/client.ts';
import { clientFor } from './clients.ts';
import { connectionRow, getEndpoint } from './connections.ts';
import { collectRound, HELD_MS, Stopped } from './collect.ts';
import type { ConnectionRow } from './task.ts';

/** The pause before a connection that is still due, because another server or call holds it. */
const PAUSE_MS: Ms = 5_000;

/**
 * COLLECT-4: reads one connection, independently of others and on one server at a time. A server
 * holds a connection for a few minutes; the next one continues where it was interrupted.
 */
export function connection(context: AppContext, timeoutMs?: Ms): JobHandler<'connection'> {
  const by = context.chance.uuid();
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

  return async ({ tenant, payload: { connection: id }, now, signal }) => {
    const row = await context.store.tenant(tenant, (tx) => connectionRow(tx, id), {
      readOnly: true,
    });
    if (!row?.enabled) {
      clients.delete(id);
      return null;
    }
    if (await take(context, tenant, row, by))
      try {
        await collectRound(context, tenant, row, () => loadClient(tenant, row), {
          id: by,
          stopped: () => signal.aborted,
        });
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
      } finally {
        await leave(context, tenant, row, by);
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

/**
 * Returns whether this server now holds the connection. With the embedded database there is no
 * other server.
 */
function take(
  context: AppContext,
  tenant: TenantId,
  { id, changed_at }: ConnectionRow,
  by: string,
): Promise<boolean> {
  const now = context.clock.now();
  const alone = context.store.kind === 'pglite';
  return context.store.tenant(
    tenant,
    async ({ sql }) =>
      (await sql
        .updateTable('connection')
        .set({ held_by: by, held_until: now + HELD_MS })
        .where('tenant_id', '=', tenant)
        .where('id', '=', id)
        .where('changed_at', '=', changed_at)
        .where('enabled', '=', true)
        .$if(!alone, (query) =>
          query.where((e) =>
            e.or([e('held_by', 'is', null), columnOver('held_until', now, HELD_MS)]),
          ),
        )
        .returning('id')
        .executeTakeFirst()) !== undefined,
  );
}

const leave = (context: AppContext, tenant: TenantId, { id }: ConnectionRow, by: string) =>
  context.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('connection')
      .set({ held_by: null, held_until: 0 })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('held_by', '=', by)
      .execute(),
  );
