import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Hono } from 'hono';
import { LRUCache } from 'lru-cache';
import * as v from 'valibot';
import type { Ms, TenantId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { readBodyBytes } from '../../platform/http/body.ts';
import { callerReader } from '../../platform/http/client-address.ts';
import { describeError } from '../../platform/http/serve-call.ts';
import { tenantOfHost } from '../../platform/db/tenants.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { askPsa, sameSite, shaped } from './psa.ts';
import { pollOne } from './poll.ts';
import { loadTicketing, catchTicketingError } from './ticketing.ts';
import { CALLBACK } from './ticketing-handlers.ts';
import { parseStorable } from '#contract/stored-text.ts';

/** ConnectWise sends the complete ticket; other clients can send any size. */
const MAX_BYTES = 65_536;
const IN_A_MINUTE = 60;
const KEEP: Ms = 10 * 60_000;
const Body = v.object({
  Type: v.optional(v.string()),
  ID: v.union([v.number(), v.string()]),
  Metadata: v.object({ key_url: v.string() }),
});
const Key = v.object({ signing_key: v.pipe(v.string(), v.minLength(1)) });

/**
 * TICKET-6: the callback for changes in ConnectWise. Its content is not used: a signed call
 * triggers a new read of the ticket. The signature covers the exact bytes of the body, and its key
 * is requested only from the connected system.
 */
export function ticketRoutes(context: AppContext): (app: Hono) => void {
  const rateLimit = context.sharedLimits.perMinute('callbacks of an address', IN_A_MINUTE);
  const keyRateLimit = context.sharedLimits.perMinute('keys of callbacks', IN_A_MINUTE);
  const getCaller = callerReader(context.config.trustedProxies);
  const keys = new LRUCache<string, { readonly key: string; readonly at: Ms }>({ max: 100 });

  async function keyAt(tenant: TenantId, url: string): Promise<string | null> {
    const now = context.clock.now();
    const known = keys.get(url);
    if (known && now >= known.at && now - known.at < KEEP) return known.key;
    // The caller is not authenticated yet, so the number of key requests is limited.
    if (keyRateLimit.ask(tenant, now) !== null) return null;
    const found = await catchTicketingError(async () =>
      shaped(
        'connectwise',
        Key,
        (await askPsa(context, 'connectwise', url, { headers: { accept: 'application/json' } }))
          .body,
      ),
    );
    if (!found.ok) return null;
    keys.set(url, { key: found.value.signing_key, at: now });
    return found.value.signing_key;
  }

  /** Without a connected system there are no valid callbacks, so the body is not read. */
  const isConnected = async (tenant: TenantId): Promise<boolean> =>
    (await context.store.tenant(tenant, loadTicketing, { readOnly: true })).settings.system ===
    'connectwise';

  async function take(tenant: TenantId, bytes: Uint8Array, signature: string): Promise<number> {
    const { settings } = await context.store.tenant(tenant, loadTicketing, { readOnly: true });
    const body = v.safeParse(Body, getJson(bytes));
    if (settings.system !== 'connectwise' || settings.connectwise === null || !body.success)
      return 400;
    const {
      Metadata: { key_url: url },
      ID: id,
    } = body.output;
    if (!sameSite(settings.connectwise.url, url, '.myconnectwise.net')) return 403;
    const key = await keyAt(tenant, url);
    if (key === null) return 503;
    if (!isCallbackSigned(bytes, key, signature)) return 403;
    await pollOne(context, tenant, String(id));
    return 200;
  }

  return (app) => {
    app.post(CALLBACK, async ({ req, env }) => {
      const { raw } = req;
      const { host: request, ip } = getCaller(raw, env);
      const host = request.replace(/:\d+$/, '');
      const tenant = await tenantOfHost(context.store, host);
      const signature = raw.headers.get('x-content-signature');
      if (tenant === null || signature === null) return said(400);
      // Limited per address, so that other clients do not use up the system's limit.
      if (rateLimit.ask(`${tenant} ${ip}`, context.clock.now()) !== null) return said(429);
      if (!(await isConnected(tenant))) return said(400);
      const bytes = await readBodyBytes(raw, MAX_BYTES, {
        clock: context.clock,
        ms: LIMITS.publicBodyMs,
      });
      if (!bytes.ok)
        return bytes.failure.kind === 'too-large'
          ? said(413)
          : new Response(null, { status: 503, headers: { 'retry-after': '1' } });
      try {
        return said(await take(tenant, bytes.value, signature));
      } catch (error) {
        context.log.error('a callback failed', { tenant, ...describeError(error) });
        return said(500);
      }
    });
  };
}

const said = (status: number): Response => new Response(null, { status });

function getJson(bytes: Uint8Array): unknown {
  try {
    return parseStorable(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/**
 * Returns whether the signature is the base64 HMAC-SHA256 of the body, keyed by the SHA-256 of the
 * key.
 */
export function isCallbackSigned(bytes: Uint8Array, key: string, signature: string): boolean {
  const own = createHmac('sha256', createHash('sha256').update(key).digest())
    .update(bytes)
    .digest();
  const given = Buffer.from(signature, 'base64');
  return given.length === own.length && timingSafeEqual(own, given);
}
