import type { Fetch } from '../graph/request.ts';
import { tenantCheckMessages as t } from './tenant-check.messages.en.ts';
import type { Finding } from './report.ts';

/** Below this share of a limit, it is near. */
const NEAR = 0.2;

/** Counts requests, and reads what responses say about limits. */
export function watchLimits(fetch: Fetch): {
  readonly fetch: Fetch;
  describe(): readonly Finding[];
} {
  let requests = 0;
  let throttled = 0;
  let lowest: { readonly remaining: number; readonly limit: number } | null = null;
  return {
    async fetch(request) {
      requests += 1;
      const response = await fetch(request);
      if (response.status === 429) throttled += 1;
      const limit = Number(response.headers.get('ratelimit-limit') ?? '');
      const remaining = Number(response.headers.get('ratelimit-remaining') ?? Number.NaN);
      if (limit > 0 && remaining >= 0 && (lowest === null || remaining < lowest.remaining))
        lowest = { remaining, limit };
      return response;
    },
    describe() {
      const near = lowest;
      return [
        throttled === 0
          ? { area: 'limits', status: 'ok', message: t.notThrottled({ requests }) }
          : { area: 'limits', status: 'warning', message: t.throttled({ throttled, requests }) },
        ...(near !== null && near.remaining < near.limit * NEAR
          ? [{ area: 'limits' as const, status: 'warning' as const, message: t.limitNear(near) }]
          : []),
      ];
    },
  };
}
