import type { Ms } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';

/** How far a queued message is. `next_at` null: it was sent, given up, or has no gateway. */
export interface OutgoingState {
  readonly sent_at: Ms | null;
  readonly next_at: Ms | null;
  readonly fault: string | null;
}

/** Returns the state of messages that `post` queued, by id. Messages are deleted after a week. */
export async function outgoingStates(
  { sql, tenant }: TenantTx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OutgoingState>> {
  const rows = await sql
    .selectFrom('outgoing')
    .select(['id', 'sent_at', 'next_at', 'fault'])
    .where('tenant_id', '=', tenant)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
