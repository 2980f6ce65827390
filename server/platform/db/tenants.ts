import type { Branding } from '#contract/branding/branding.ts';
import type { TenantId } from '#contract/ids.ts';
import { addRecurringJobs } from '../jobs/schedule.ts';
import type { Store } from './store.ts';

export interface NewTenant {
  readonly tenant: TenantId;
  /** The host of its portal, without a port; null if only the default route leads to it. */
  readonly host: string | null;
  readonly branding: Branding;
  /** Whether it serves hosts that no provider claims. At most one does. */
  readonly isDefault: boolean;
  /** The provider that manages it; null or absent if none does. */
  readonly master?: TenantId | null;
}

/**
 * Creates a service provider with an empty log, all or nothing. Throws if it, its host or another
 * default exists.
 */
export const makeTenant = (
  store: Store,
  { tenant, host, branding, isDefault, master = null }: NewTenant,
): Promise<void> =>
  store.tenant(tenant, async (tx) => {
    const { sql } = tx;
    await sql
      .insertInto('tenant_list')
      .values({ tenant_id: tenant, is_default: isDefault, master_id: master })
      .execute();
    await sql
      .insertInto('provider')
      .values({ tenant_id: tenant, branding: JSON.stringify(branding) })
      .execute();
    await sql.insertInto('head').values({ tenant_id: tenant }).execute();
    await addRecurringJobs(tx);
    if (host !== null)
      await sql
        .insertInto('provider_host')
        .values({ host: host.toLowerCase(), tenant_id: tenant })
        .execute();
  });

/** Returns the provider of exactly this host, else the default one; null if there is neither. */
export const tenantOfHost = (store: Store, host: string): Promise<TenantId | null> =>
  store.system(async (sql) => {
    const own = await sql
      .selectFrom('provider_host')
      .select('tenant_id')
      .where('host', '=', host.toLowerCase())
      .executeTakeFirst();
    if (own) return own.tenant_id;
    const fallback = await sql
      .selectFrom('tenant_list')
      .select('tenant_id')
      .where('is_default', '=', true)
      .executeTakeFirst();
    return fallback?.tenant_id ?? null;
  });
