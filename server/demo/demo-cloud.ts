import type { DemoTenants } from './demo-tenants.ts';
import { LOGIN } from './tenant/entra.ts';
import type { DemoTenant } from './tenant/tenant.ts';

/**
 * Returns what answers requests to the cloud: the tenant that a request names, else the first one,
 * as it would be a person of that tenant who signs in.
 */
export function demoCloud({
  list,
}: Pick<DemoTenants, 'list'>): (request: Request) => Promise<Response> {
  return (request) => {
    const tenants = list().map(({ tenant }) => tenant);
    const tenant = tenants.find((one) => isNamed(one, request)) ?? tenants[0];
    if (!tenant) throw new TypeError('fetch failed');
    return tenant.fetch(request);
  };
}

/** By its id or domain at the sign-in, then by its token, its host of files or an id of a mailbox. */
function isNamed({ id, domain, filesHost }: DemoTenant, request: Request): boolean {
  const { hostname, pathname } = new URL(request.url);
  const [, payload = ''] = (request.headers.get('authorization') ?? '').split('.');
  return hostname === LOGIN
    ? [id, domain].includes(pathname.split('/')[1]?.toLowerCase() ?? '')
    : hostname === filesHost ||
        pathname.includes(id) ||
        Buffer.from(payload, 'base64url').toString().includes(id);
}
