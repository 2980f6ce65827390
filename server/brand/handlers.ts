import { ok } from '#contract/result.ts';
import type { Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';

/** `ask.tenant` is the provider of the host that was asked, so this is that host's branding. */
export const brandHandlers = (world: World): Pick<Handlers, 'getBranding'> => ({
  getBranding: (_, { tenant }) => world.store.tenant(tenant, async ({ sql }) => {
    const { branding, settings } = await sql.selectFrom('provider').select(['branding', 'settings']).where('tenant_id', '=', tenant).executeTakeFirstOrThrow();
    // How people sign in follows from what is set, not from what was once written into the branding.
    return ok({
      ...branding, authType: settings.directory ? 'ad' as const : branding.authType, oidc: settings.oidc?.label ?? null, securityQuestions: settings.securityQuestions === true,
    });
  }, { readOnly: true }),
});
