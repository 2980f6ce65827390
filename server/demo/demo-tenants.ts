import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Ms, TenantId } from '#contract/ids.ts';
import type { AppContext } from '../platform/app-context.ts';
import type { DemoPlan, ProviderPlan } from './plan.ts';
import type { TenantSize } from './tenant/seed.ts';
import { type DemoTenant, createDemoTenant } from './tenant/tenant.ts';

/** Small enough that the first backup is done soon after the first start. */
const SIZE: Partial<TenantSize> = { maxMails: 150, maxFiles: 30, maxFileBytes: 400_000 };

/** After a longer pause of the server, nothing has happened before: making it up would take long. */
const MAX_PAUSE_MS: Ms = 7 * 86_400_000;

/** The cloud tenant of each provider of the demo. */
export interface DemoTenants {
  list(): readonly { readonly provider: string; readonly tenant: DemoTenant }[];
  /** Returns the tenant of a provider; null for a provider outside the demo. */
  find(provider: TenantId): DemoTenant | null;
  close(): void;
}

/**
 * Opens tenants when they are first used, in a file each beside the data, and lets them live up to
 * now whenever they are used.
 */
export function openDemoTenants(context: AppContext, { providers }: DemoPlan): DemoTenants {
  const open = new Map<TenantId, DemoTenant>();
  const openTenant = ({ id, seed }: ProviderPlan): DemoTenant => {
    const known = open.get(id);
    if (known) return known;
    const folder = join(context.config.dataDir, 'demo-tenants');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const tenant = createDemoTenant({
      file: join(folder, `${id}.sqlite`),
      seed,
      now: () => context.clock.now(),
      filesHost: `demo-${id.slice(0, 8)}-my.sharepoint.com`,
      size: SIZE,
    });
    open.set(id, tenant);
    return tenant;
  };
  const upToDate = (provider: ProviderPlan): DemoTenant => {
    const tenant = openTenant(provider);
    tenant.live(context.clock.now(), MAX_PAUSE_MS);
    return tenant;
  };
  return {
    list: () =>
      providers.map((provider) => ({
        provider: provider.branding.name,
        tenant: upToDate(provider),
      })),
    find: (id) => {
      const provider = providers.find((plan) => plan.id === id);
      return provider ? upToDate(provider) : null;
    },
    close: () => {
      for (const tenant of open.values()) tenant.close();
      open.clear();
    },
  };
}
