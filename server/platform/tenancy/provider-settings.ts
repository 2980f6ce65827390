import type { ProviderSettings } from '#contract/branding/settings.ts';
import type { TenantTx } from '../db/store.ts';

/** Returns the settings of the provider. Secrets aren't part of them. */
export async function loadProviderSettings({ tenant, sql }: TenantTx): Promise<ProviderSettings> {
  const { settings } = await sql
    .selectFrom('provider')
    .select('settings')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return settings;
}
