import type { Ms, TenantId } from '#contract/ids.ts';
import { ENTITIES_OF } from '#contract/connections/connection.ts';
import { columnAhead, columnOver, isAhead } from '../../platform/clock-bounds.ts';
import { faultOf } from '#server/platform/http/serve-call.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import type { Client } from './client.ts';
import { clientFor } from './clients.ts';
import { reachOf } from './connections.ts';
import { collectRound, HELD_MS, Stopped, LONGEST_WAIT_MS } from './collect.ts';
import type { ConnectionRow } from './task.ts';

const EVERY_MS: Ms = 5_000;
/** The number of connections that are read concurrently. */
const AT_ONCE = 4;
const STOP_MS: Ms = 2_000;

export interface Collectors {
  stop(): Promise<void>;
  /** Starts what is due and resolves when it is done. */ tick(): Promise<void>;
}

/**
 * COLLECT-4: reads every due connection, independently and on one server at a time. A server holds
 * a connection for a few minutes; the next one continues where it was interrupted.
 */
export function startCollectors(world: AppContext, timeoutMs?: Ms): Collectors {
  const id = world.chance.uuid();
  const clients = new Map<string, { readonly changedAt: Ms; readonly client: Client }>();
  const going = new Map<string, Promise<void>>();
  let timer: { cancel(): void } | null = null;
  let stopped = false;
  let ticking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    for (const tenant of await world.store.tenants()) {
      if (stopped) return;
      for (const connection of await due(world, tenant)) {
        if (going.has(connection.id) || going.size >= AT_ONCE) continue;
        going.set(
          connection.id,
          work(tenant, connection).finally(() => {
            going.delete(connection.id);
          }),
        );
      }
    }
  }

  async function work(tenant: TenantId, connection: ConnectionRow): Promise<void> {
    try {
      if (!(await take(world, tenant, connection, id))) return;
      try {
        await collectRound(world, tenant, connection, () => clientOf(tenant, connection), {
          id,
          stopped: () => stopped,
        });
      } finally {
        await leave(world, tenant, connection, id);
      }
    } catch (error) {
      if (!(error instanceof Stopped))
        world.log.error('a connection could not be looked after', {
          tenant,
          connection: connection.id,
          ...faultOf(error),
        });
    }
  }

  async function clientOf(tenant: TenantId, connection: ConnectionRow): Promise<Client> {
    const known = clients.get(connection.id);
    if (known && known.changedAt === connection.changed_at) return known.client;
    const client = clientFor(
      world,
      connection.kind,
      await world.store.tenant(tenant, (tx) => reachOf(tx, world, connection), { readOnly: true }),
      timeoutMs,
    );
    clients.set(connection.id, { changedAt: connection.changed_at, client });
    return client;
  }

  const begin = (): Promise<void> => {
    ticking = ticking.then(look, look).catch((error: unknown) => {
      world.log.error('the collectors failed', faultOf(error));
    });
    return ticking;
  };
  const wait = (ms: Ms): void => {
    timer?.cancel();
    if (!stopped)
      timer = world.clock.after(ms, () => {
        void begin().finally(() => {
          wait(EVERY_MS);
        });
      });
  };
  wakers.set(world.store, () => {
    wait(0);
  });
  wait(EVERY_MS);
  return {
    async tick() {
      await begin();
      await Promise.all(going.values());
    },
    async stop() {
      stopped = true;
      timer?.cancel();
      wakers.delete(world.store);
      // Stopping does not wait for an open request: what was read of its list is stored, and the
      // next start continues.
      let over: { cancel(): void } | undefined;
      const late = new Promise<void>((resolve) => {
        over = world.clock.after(STOP_MS, resolve);
      });
      await Promise.race([ticking.then(() => Promise.all(going.values())), late]);
      over?.cancel();
    },
  };
}

const wakers = new WeakMap<Store, () => void>();
/** Call it when something is due now. */
export const wakeCollectors = ({ store }: AppContext): void => {
  wakers.get(store)?.();
};

async function due(world: AppContext, tenant: TenantId): Promise<ConnectionRow[]> {
  const now = world.clock.now();
  return world.store.tenant(
    tenant,
    async ({ sql }) => {
      const connections = await sql
        .selectFrom('connection')
        .selectAll()
        .where('tenant_id', '=', tenant)
        .where('enabled', '=', true)
        .execute();
      if (connections.length === 0) return [];
      const later = await sql
        .selectFrom('collection')
        .select(['connection_id', (e) => e.fn.countAll<number>().as('count')])
        .where('tenant_id', '=', tenant)
        .where(columnAhead('next_at', now, LONGEST_WAIT_MS))
        .groupBy('connection_id')
        .execute();
      const waiting = new Map(later.map(({ connection_id, count }) => [connection_id, count]));
      return connections.filter(
        ({ id, kind, held_until, held_by }) =>
          (waiting.get(id) ?? 0) < ENTITIES_OF[kind].length &&
          (held_by === null || !isAhead(held_until, now, HELD_MS) || world.store.kind === 'pglite'),
      );
    },
    { readOnly: true },
  );
}

/**
 * Returns whether this server now holds the connection. With the embedded database there is no
 * other server.
 */
function take(
  world: AppContext,
  tenant: TenantId,
  { id, changed_at }: ConnectionRow,
  by: string,
): Promise<boolean> {
  const now = world.clock.now();
  const alone = world.store.kind === 'pglite';
  return world.store.tenant(
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

const leave = (world: AppContext, tenant: TenantId, { id }: ConnectionRow, by: string) =>
  world.store.tenant(tenant, ({ sql }) =>
    sql
      .updateTable('connection')
      .set({ held_by: null, held_until: 0 })
      .where('tenant_id', '=', tenant)
      .where('id', '=', id)
      .where('held_by', '=', by)
      .execute(),
  );
