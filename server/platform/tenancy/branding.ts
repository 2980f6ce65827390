import type { Branding } from '#contract/branding/branding.ts';
import type { TenantTx } from '../db/store.ts';

/**
 * A provider's branding as its portal is told it. How people sign in follows from what is set, not
 * from what was once written into the branding.
 */
export async function brandingOf({ tenant, sql }: TenantTx): Promise<Branding> {
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
