import { ok } from '#contract/result.ts';
import { brandingOf } from '../branding.ts';
import type { Handlers } from '../http/handler.ts';
import type { AppContext } from '../world.ts';

/** `ask.tenant` is the provider of the host that was asked, so this is that host's branding. */
export const brandHandlers = (world: AppContext): Pick<Handlers, 'getBranding'> => ({
  getBranding: (_, { tenant }) =>
    world.store.tenant(tenant, async (tx) => ok(await brandingOf(tx)), { readOnly: true }),
});
