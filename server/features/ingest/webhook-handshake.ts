import type { Hono } from 'hono';
import { LIMITS } from '#contract/limits.ts';
import { ingestCalls } from '#contract/ingest/calls.ts';

/**
 * The handshake of CloudEvents' webhook companion: a sender asks once for permission to send.
 * Everyone gets it; the key is checked with each request.
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
