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
    securityQuestions: settings.securityQuestions === true,
  };
}
