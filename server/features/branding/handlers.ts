import { ok } from '#contract/result.ts';
import { loadBranding } from '../../platform/tenancy/branding.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import type { AppContext } from '../../platform/app-context.ts';

/** `ask.tenant` is the provider of the request's host, so this returns that host's branding. */
export const brandHandlers = (context: AppContext): Pick<Handlers, 'getBranding'> => ({
  getBranding: (_, { tenant }) =>
    context.store.tenant(tenant, async (tx) => ok(await loadBranding(tx)), { readOnly: true }),
});
