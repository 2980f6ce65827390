import type { Named } from '#contract/tickets/tickets.ts';
import type { Ms } from '#contract/ids.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import type { TenantTx } from '../../platform/db/store.ts';

/**
 * TICKET-8: updates whether the mapped companies still exist in the system with the same name.
 * `all`: all companies of the system.
 */
export async function renewHealth(
  { sql, tenant }: TenantTx,
  all: readonly Named[],
  now: Ms,
): Promise<void> {
  const known = new Map(all.map((one) => [one.id, one.name]));
  for (const { company_n: company, remote_id: remote, remote_name: name } of await sql
    .selectFrom('ticket_company')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .execute()) {
    const there = known.get(remote);
    const health = there === undefined ? 'missing' : there === name ? 'ok' : 'renamed';
    await sql
      .updateTable('ticket_company')
      .set({ health, checked_at: now })
      .where('tenant_id', '=', tenant)
      .where('company_n', '=', company)
      .execute();
  }
}

/** Returns whether the last check was more than a day ago. */
export const isStale = async ({ sql, tenant }: TenantTx, now: Ms): Promise<boolean> =>
  (await sql
    .selectFrom('ticket_company')
    .select('company_n')
    .where('tenant_id', '=', tenant)
    .where('checked_at', '<', now - DAY_MS)
    .executeTakeFirst()) !== undefined;
