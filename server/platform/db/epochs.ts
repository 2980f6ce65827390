import { randomUUID } from 'node:crypto';
import type { TenantId } from '#contract/ids.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Returns the statement that makes the rows of a provider visible until the transaction ends. */
export function getEnterStatement(tenant: TenantId): string {
  if (!UUID.test(tenant)) throw new Error('A provider is named by a UUID.');
  return `set local app.tenant_id = '${tenant}'`;
}

/**
 * Changes the epoch of each provider, in a transaction whose statements `query` runs: numbers of lost
 * events are used again, so devices may not rely on them (LOG-6).
 */
export async function changeEpochs(
  query: (
    text: string,
    values: readonly unknown[],
  ) => Promise<{ readonly rows: readonly object[] }>,
): Promise<void> {
  const { rows } = await query('select tenant_id from tenant_list order by tenant_id', []);
  for (const { tenant_id: tenant } of rows as readonly { readonly tenant_id: TenantId }[]) {
    await query(getEnterStatement(tenant), []);
    await query('update head set epoch = $2 where tenant_id = $1', [tenant, randomUUID()]);
  }
}
