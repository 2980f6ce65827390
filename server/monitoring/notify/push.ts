import { createHash, generateKeyPairSync } from 'node:crypto';
import { buildPushHTTPRequest } from '@pushforge/builder';
import type { Ms } from '#contract/ids.ts';
import { OutboundError } from '#server/outbound/address.ts';
import { fetchOutbound } from '#server/outbound/fetch.ts';
import { keepSecret, secretOf } from '#server/outbound/secret.ts';
import { portalAddressOf } from '#server/portal-address.ts';
import type { TenantTx } from '#server/store/store.ts';
import type { World } from '#server/world.ts';

/** As a browser gives it. */
export interface Subscription { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } }
/** What a service worker shows: no name of a person, job or computer. `link`: an address of the portal. */
export interface Notice { readonly title: string; readonly body: string; readonly link: string; readonly tag: string }
/** The provider's own key pair: what one provider's devices trust says nothing to those of another. */
export interface Vapid { readonly key: JsonWebKey; readonly contact: string }
export interface Pushed { readonly ok: boolean; readonly gone: boolean; readonly says: string; readonly afterMs: Ms | null }

export const endpointHash = (endpoint: string): string => createHash('sha256').update(endpoint).digest('hex');

/** Made when it is asked for first, and sealed. */
export async function vapidOf(tx: TenantTx, world: World): Promise<Vapid> {
  const address = await portalAddressOf(tx, world), contact = address?.startsWith('https://') === true ? address : 'mailto:webmaster@localhost.localdomain', kept = await secretOf(tx, world, 'push');
  if (kept !== null) return { key: JSON.parse(kept) as JsonWebKey, contact };
  // The first to come makes it, also where two servers ask at once.
  await tx.lock();
  const before = await secretOf(tx, world, 'push'), { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' }), key = before === null ? privateKey.export({ format: 'jwk' }) : JSON.parse(before) as JsonWebKey;
  if (before === null) await keepSecret(tx, world, 'push', JSON.stringify(key));
  return { key, contact };
}

/** The public key as browsers take it: the point, uncompressed, base64url. */
export const vapidPublic = ({ key: { x = '', y = '' } }: Vapid): string => Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url');

/** An hour: who was away longer sees it in the portal. */
const TTL_SEC = 3_600;

/** NOTIFY-5: one notification to one browser, encrypted for it alone, by its push service. */
export async function push(world: World, { key, contact }: Vapid, subscription: Subscription, notice: Notice): Promise<Pushed> {
  try {
    const { body, headers } = await buildPushHTTPRequest({ privateJWK: key, subscription, message: { payload: { ...notice }, adminContact: contact, options: { ttl: TTL_SEC, urgency: 'high' } } });
    const sent = Object.fromEntries(new Headers(headers).entries());
    const answer = await fetchOutbound(world, subscription.endpoint, { method: 'POST', headers: sent, body: new Uint8Array(body), mostBytes: 65_536 }), wait = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return { ok: answer.ok, gone: answer.status === 404 || answer.status === 410, says: answer.ok ? '' : `The push service answered ${answer.status}.`, afterMs: Number.isFinite(wait) && wait >= 0 ? wait * 1_000 : null };
  } catch (error) {
    return { ok: false, gone: false, says: error instanceof OutboundError ? error.message : 'The browser’s key is not valid.', afterMs: null };
  }
}
