import type { Branding } from '#contract/branding/branding.ts';
import type { TenantTx } from '../db/store.ts';

/**
 * Returns a provider's branding for its portal. The sign-in methods come from the current settings,
 * not from the stored branding.
 */
export async function loadBranding({ tenant, sql }: TenantTx): Promise<Branding> {
  const { branding, settings } = await sql
    .selectFrom('provider')
    .select(['branding', 'settings'])
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return {
    ...branding,
    authType: settings.directory ? 'ad' : branding.authType,
    oidc: settings.oidc?.label ?? null,
    microsoft: (settings.microsoft ?? null) !== null,
    securityQuestions: settings.securityQuestions === true,
  };
}

/** Returns the provider's host names, sorted. */
export async function loadHosts({ tenant, sql }: TenantTx): Promise<string[]> {
  const rows = await sql
    .selectFrom('provider_host')
    .select('host')
    .where('tenant_id', '=', tenant)
    .orderBy('host')
    .execute();
  return rows.map(({ host }) => host);
}
