import { LRUCache } from 'lru-cache';
import type { Ms, TenantId } from '#contract/ids.ts';
import { tenantOfHost } from '../db/tenants.ts';
import type { AppContext } from '../app-context.ts';

/** A newly added host is served within this time. */
const KEEP_MS: Ms = 5_000;
/** Any host can be requested, so the cache is bounded. */
const MAX_HOSTS = 1_000;

/**
 * Returns a cached lookup of a host's provider (with or without a port). Null if no provider claims
 * the host and there is no default.
 */
export function tenantReader(context: AppContext): (host: string) => Promise<TenantId | null> {
  const known = new LRUCache<string, { readonly tenant: TenantId | null; readonly until: Ms }>({
    max: MAX_HOSTS,
  });
  return async (request) => {
    const host = request.replace(/:\d+$/, '');
    const found = known.get(host);
    const now = context.clock.now();
    if (found && now < found.until && found.until <= now + KEEP_MS) return found.tenant;
    const tenant = await tenantOfHost(context.store, host);
    known.set(host, { tenant, until: now + KEEP_MS });
    return tenant;
  };
}
