import type { Ms, TenantId } from '#contract/ids.ts';
import { columnOver } from '../../platform/clock-bounds.ts';
import { backOff, LONGEST_RETRY_MS } from '../../platform/outbound/retry.ts';
import { byClock, type TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { REFERENCE, type RemoteTicket } from './psa.ts';
import { isStale, renewHealth } from './ticket-companies.ts';
import { loadProblems, take } from './ticket-events.ts';
import {
  type ConnectedSystem,
  loadConnected,
  loadTicketing,
  catchTicketingError,
} from './ticketing.ts';

/**
 * How often changes are polled, how far back each time because clocks differ, and how long one poll
 * can take.
 */
const EVERY: Ms = 60_000;
const OVERLAP: Ms = 5 * 60_000;
const HELD: Ms = 5 * 60_000;

interface Asking {
  readonly connected: ConnectedSystem;
  readonly cursor: Ms;
  readonly tries: number;
  readonly stale: boolean;
}

/** TICKET-6: polls the system for changes since the last time, if it is due. */
export async function poll(context: AppContext, tenant: TenantId): Promise<void> {
  const asking = await context.store.tenant(tenant, (tx) => begin(tx, context));
  if (asking === null) return;
  const since = Math.max(0, asking.cursor - OVERLAP);
  const changed = await catchTicketingError(() => asking.connected.psa.changedSince(since));
  await context.store.tenant(tenant, async (tx) => {
    const now = context.clock.now();
    const of = tx.sql.updateTable('ticketing').where('tenant_id', '=', tenant);
    if (!changed.ok) {
      const { message, afterMs } = changed.error;
      await of
        .set({
          tries: asking.tries + 1,
          poll_at: now + Math.max(EVERY, backOff(asking.tries + 1, afterMs)),
          fault: message.slice(0, 300),
        })
        .execute();
      return;
    }
    await takeIn(tx, context, changed.value);
    // Uses the system's own clock, as far as it is reported; otherwise the cursor does not change.
    const cursor = changed.value.reduce(
      (max, { updatedAt }) => Math.max(max, updatedAt ?? 0),
      asking.cursor,
    );
    await of.set({ tries: 0, poll_at: now + EVERY, polled_at: now, fault: null, cursor }).execute();
  });
  if (changed.ok && asking.stale) await look(context, tenant, asking.connected);
}

/**
 * Once a day: marks companies that were renamed or removed in the system, before someone needs a
 * ticket for them.
 */
async function look(
  context: AppContext,
  tenant: TenantId,
  { psa }: ConnectedSystem,
): Promise<void> {
  const all = await catchTicketingError(() => psa.everyCompany());
  if (all.ok)
    await context.store.tenant(tenant, (tx) => renewHealth(tx, all.value, context.clock.now()));
}

async function begin(tx: TenantTx, context: AppContext): Promise<Asking | null> {
  const { sql, tenant } = tx;
  const now = context.clock.now();
  const row = await sql
    .selectFrom('ticketing')
    .select(['cursor', 'tries'])
    .where('tenant_id', '=', tenant)
    .where(columnOver('poll_at', now, LONGEST_RETRY_MS))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!row) return null;
  await sql
    .updateTable('ticketing')
    .set({ poll_at: now + HELD })
    .where('tenant_id', '=', tenant)
    .execute();
  const connected = await loadConnected(tx, context, await loadTicketing(tx));
  return (
    connected && { connected, cursor: row.cursor, tries: row.tries, stale: await isStale(tx, now) }
  );
}

/** Reads one ticket again, because the system reported a change. */
export async function pollOne(
  context: AppContext,
  tenant: TenantId,
  remoteId: string,
): Promise<void> {
  const connected = await context.store.tenant(tenant, async (tx) => {
    const known = await tx.sql
      .selectFrom('ticket')
      .select('id')
      .where('tenant_id', '=', tenant)
      .where('remote_id', '=', remoteId)
      .executeTakeFirst();
    return known ? loadConnected(tx, context, await loadTicketing(tx)) : null;
  });
  if (connected === null) return;
  const found = await catchTicketingError(() => connected.psa.get(remoteId));
  if (found.ok) await context.store.tenant(tenant, (tx) => takeIn(tx, context, [found.value]));
}

/**
 * Stores the system's tickets. Tickets with unsent changes are skipped, because those are newer.
 */
async function takeIn(
  tx: TenantTx,
  context: AppContext,
  remotes: readonly RemoteTicket[],
): Promise<void> {
  const ours = new Map(
    remotes.flatMap((remote) =>
      remote.reference?.startsWith(REFERENCE) === true
        ? [[remote.reference.slice(REFERENCE.length), remote] as const]
        : [],
    ),
  );
  if (ours.size === 0) return;
  await tx.lock();
  const ids = [...ours.keys()];
  const {
    settings: { system },
  } = await loadTicketing(tx);
  const waiting = new Set(
    (
      await tx.sql
        .selectFrom('ticket_work')
        .select('ticket_id')
        .where('tenant_id', '=', tx.tenant)
        .execute()
    ).map((one) => one.ticket_id),
  );
  for (const [id, row] of await tx.rows('ticket', ids)) {
    const remote = ours.get(String(id));
    if (
      !remote ||
      row.deletedAt !== null ||
      row.system !== system ||
      waiting.has(row.id) ||
      (row.remote !== null && row.remote.id !== remote.id)
    )
      continue;
    await tx.append(
      take(row, remote, await loadProblems(tx, row.id)),
      byClock(context.clock.now()),
    );
  }
}
