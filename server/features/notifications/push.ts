import { createECDH, createHash, generateKeyPairSync } from 'node:crypto';
import type { JsonWebKey } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';
import { storeSecret, readSecret } from '#server/platform/outbound/secret.ts';
import { loadPortalAddress } from '#server/platform/tenancy/portal-address.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { sealMessage, vapidHeader } from './web-push.ts';
import type { PushKeys } from './web-push.ts';
import { notificationMessages as t } from './messages.en.ts';

/** A push subscription as a browser returns it. */
export interface Subscription {
  readonly endpoint: string;
  readonly keys: PushKeys;
}
/**
 * The content that a service worker shows: no name of a user, job or computer. `link` is an address
 * of the portal.
 */
export interface PushNotice {
  readonly title: string;
  readonly body: string;
  readonly link: string;
  readonly tag: string;
}
/** A provider's own key pair. Its devices do not accept messages signed by another provider. */
export interface Vapid {
  readonly key: JsonWebKey;
  readonly contact: string;
}
export interface Pushed {
  readonly ok: boolean;
  readonly gone: boolean;
  readonly message: string;
  readonly afterMs: Ms | null;
}

export const endpointHash = (endpoint: string): string =>
  createHash('sha256').update(endpoint).digest('hex');

/** Returns the sealed key pair, and creates it on first use. */
export async function loadVapid(tx: TenantTx, context: AppContext): Promise<Vapid> {
  const address = await loadPortalAddress(tx, context);
  const contact =
    address?.startsWith('https://') === true ? address : 'mailto:webmaster@localhost.localdomain';
  const stored = await readSecret(tx, context, 'push');
  if (stored !== null) return { key: JSON.parse(stored) as JsonWebKey, contact };
  // The lock makes sure that only one of several servers creates it.
  await tx.lock();
  const before = await readSecret(tx, context, 'push');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key =
    before === null ? privateKey.export({ format: 'jwk' }) : (JSON.parse(before) as JsonWebKey);
  if (before === null) await storeSecret(tx, context, 'push', JSON.stringify(key));
  return { key, contact };
}

const NONE: readonly string[] = [];
/** One hour. Users who are away longer see it in the portal. */
const TTL_SEC = 3_600;

/**
 * NOTIFY-5: sends one encrypted notification to a browser through its push service. Any user can
 * choose the push service's address, so it cannot use the internal networks that administrators
 * allowed for other requests.
 */
export async function push(
  context: AppContext,
  { key, contact }: Vapid,
  subscription: Subscription,
  notice: PushNotice,
): Promise<Pushed> {
  let body: Buffer;
  try {
    body = sealMessage(subscription.keys, JSON.stringify(notice), {
      salt: context.chance.bytes(16),
      privateKey: freshKey(),
    });
  } catch {
    return { ok: false, gone: true, message: t.pushKeyInvalid, afterMs: null };
  }
  try {
    const headers = {
      'authorization': vapidHeader(key, contact, subscription.endpoint, context.clock.now()),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      'ttl': String(TTL_SEC),
      'urgency': 'high',
    };
    const answer = await fetchOutbound(context, subscription.endpoint, {
      method: 'POST',
      headers,
      body,
      maxBytes: 65_536,
      within: context.config.outbound?.push ?? NONE,
    });
    const wait = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return {
      ok: answer.ok,
      gone: answer.status === 404 || answer.status === 410,
      message: answer.ok ? '' : t.pushRefused({ status: answer.status }),
      afterMs: Number.isFinite(wait) && wait >= 0 ? wait * 1_000 : null,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { ok: false, gone: false, message: error.message, afterMs: null };
  }
}

/** Returns a private key of P-256 for single use. */
function freshKey(): Uint8Array {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return ecdh.getPrivateKey();
}
