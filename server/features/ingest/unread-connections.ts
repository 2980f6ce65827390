import { RESULT_ENTITIES } from '#contract/connections/connection.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/**
 * Returns the connections whose results are unknown: disabled ones, and those whose results could
 * not be read completely since a failure (RUN-3).
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
