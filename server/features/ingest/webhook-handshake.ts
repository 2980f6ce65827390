import type { Hono } from 'hono';
import { LIMITS } from '#contract/limits.ts';
import { ingestCalls } from '#contract/ingest/calls.ts';

/**
 * CloudEvents' webhook companion: whoever wants to send asks first, once, whether it may. Anybody
 * may who has a key.
 */
export function handshakeRoutes(app: Hono): void {
  app.options(`/api/v1/${ingestCalls.ingestEvents.path}`, ({ req }) => {
    const origin = req.header('webhook-request-origin');
    const headers: Record<string, string> = {
      'allow': 'OPTIONS, POST',
      'webhook-allowed-rate': String(LIMITS.ingestPerMinute),
    };
    if (origin !== undefined && /^[\w.*:/-]{1,253}$/.test(origin))
      headers['webhook-allowed-origin'] = origin;
    return new Response(null, { status: 200, headers });
  });
}
