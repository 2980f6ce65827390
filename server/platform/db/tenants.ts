import type { Branding } from '#contract/branding/branding.ts';
import type { TenantId } from '#contract/ids.ts';
import type { Store } from './store.ts';

export interface NewTenant {
  readonly tenant: TenantId;
  /** The address of its portal, without a port; null where only the default may lead to it. */
  readonly host: string | null;
  readonly branding: Branding;
  /** The provider of hosts that nobody has named. One at most. */
  readonly isDefault: boolean;
}

/**
 * Makes a service provider with an empty log, all of it or nothing. Throws where it, its host or
 * another default is there already.
 */
export const makeTenant = (
  store: Store,
  { tenant, host, branding, isDefault }: NewTenant,
): Promise<void> =>
  store.tenant(tenant, async ({ sql }) => {
    await sql
      .insertInto('tenant_list')
      .values({ tenant_id: tenant, is_default: isDefault })
      .execute();
    await sql
      .insertInto('provider')
      .values({ tenant_id: tenant, branding: JSON.stringify(branding) })
      .execute();
    await sql.insertInto('head').values({ tenant_id: tenant }).execute();
    if (host !== null)
      await sql
        .insertInto('provider_host')
        .values({ host: host.toLowerCase(), tenant_id: tenant })
        .execute();
  });

/** The provider of exactly this host, else the default one; null where there is neither. */
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
