import { RESULT_ENTITIES } from '#contract/connections/connection.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/**
 * Connections of which nobody knows what ran: switched off, or what brings their results has failed
 * and not been read whole since (RUN-3).
 */
export async function unreadConnections({ sql, tenant }: TenantTx): Promise<ReadonlySet<string>> {
  const off = await sql
    .selectFrom('connection')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('enabled', '=', false)
    .execute();
  const failing = await sql
    .selectFrom('collection')
    .select('connection_id as id')
    .where('tenant_id', '=', tenant)
    .where('entity', 'in', [...RESULT_ENTITIES])
    .where('fails', '>', 0)
    .execute();
  return new Set([...off, ...failing].map(({ id }) => id));
}
