import { loadBranding, loadHosts } from './branding.ts';
import type { RequestContext } from '../http/handler.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/**
 * Returns the address of this provider's portal for a mail: `https://portal.example`. The host in
 * the request must be one of the provider's own names, and the port that of this server, so that a
 * mailed link can't lead elsewhere.
 */
export async function portalAddress(
  tx: TenantTx,
  { config }: AppContext,
  { host: requestHost }: Pick<RequestContext, 'host'>,
): Promise<string> {
  const [, name = '', port = ''] = /^(.*?)(?::(\d+))?$/.exec(requestHost) ?? [];
  const branding = await loadBranding(tx);
  const hosts = await loadHosts(tx);
  const { is_default } = await tx.sql
    .selectFrom('tenant_list')
    .select('is_default')
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  const own = hosts.includes(name) || (is_default && LOOPBACK.test(name));
  return addressAt(
    own ? name : bare(branding.domain) || hosts[0] || 'localhost',
    own && port === String(config.port) ? port : '',
    config.port,
  );
}

/** The same without a request: uses the provider's first name. Null if it has none. */
export async function loadPortalAddress(
  tx: TenantTx,
  { config }: AppContext,
): Promise<string | null> {
  const hosts = await loadHosts(tx);
  const branding = await loadBranding(tx);
  const name = hosts.includes(bare(branding.domain))
    ? bare(branding.domain)
    : (hosts[0] ?? bare(branding.domain));
  return name === '' ? null : addressAt(name, '', config.port);
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\]|[\w-]+\.localhost)$/;
const bare = (domain: string): string =>
  domain
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[:/].*$/, '');

/** Local names are served without TLS, on the server's port. */
function addressAt(name: string, port: string, listening: number): string {
  if (LOOPBACK.test(name)) return `http://${name}${listening === 80 ? '' : `:${listening}`}`;
  return `https://${name}${port === '' || port === '443' ? '' : `:${port}`}`;
}
