import type { Ms } from '#contract/ids.ts';
import type { JobHandler, LeaseHandler } from '../../platform/jobs/job-types.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { syncTickets } from './ticket-sync.ts';
import { poll } from './poll.ts';
import { work } from './ticket-queue.ts';

/** The pause before tickets that are still due: more than one turn sends, or sent elsewhere. */
const PAUSE: Ms = 5_000;
/** How often the log is read even if no hint about new events arrived. */
const FALLBACK: Ms = 5 * 60_000;

/** TICKET-7: applies new results to tickets. */
export const ticketResults =
  (context: AppContext): JobHandler<'ticket-results'> =>
  async ({ tenant, now }) =>
    (await syncTickets(context, tenant)) ? now + FALLBACK : null;

/** Sends changed tickets to their system, and polls the system for changes. */
export const tickets =
  (context: AppContext): LeaseHandler<'tickets'> =>
  async ({ tenant, now, lease, signal }) => {
    await work(context, tenant, lease);
    if (!signal.aborted) await poll(context, tenant);
    const next = await context.store.tenant(tenant, nextExchange, { readOnly: true });
    return next === null ? null : Math.max(next, now + PAUSE);
  };

/** Returns when a ticket or the system itself is due; null if ticketing isn't configured. */
async function nextExchange({ sql, tenant }: TenantTx): Promise<Ms | null> {
  const system = await sql
    .selectFrom('ticketing')
    .select('poll_at')
    .where('tenant_id', '=', tenant)
    .executeTakeFirst();
  if (!system) return null;
  const { at } = await sql
    .selectFrom('ticket_work')
    .select((e) => e.fn.min<Ms | null>('next_at').as('at'))
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return Math.min(system.poll_at, at ?? Infinity);
}
