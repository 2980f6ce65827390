import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { makePerMinuteLimit } from '../rate-limit/per-minute.ts';
import type { SharedLimits } from '../rate-limit/shared-limits.ts';
import { callerNetwork } from './network.ts';

/**
 * KEY-6: limits API keys to a number of calls per minute from the first one, per key and per
 * address, and to a number of concurrent calls per key. Memory is bounded: the oldest entries are
 * dropped first. The concurrent calls are those of this server.
 */
export interface KeyRateLimit {
  /**
   * Counts a call against an address, or a verified key, and sets the rate-limit headers. Returns
   * null to continue.
   */
  count(of: 'address' | 'key', who: string, now: Ms, headers: Headers): Failure | null;
  /**
   * Takes one of the key's concurrent slots. Call the returned function when the work ends. Null:
   * none is free.
   */
  enter(key: string): (() => void) | null;
  readonly size: number;
}

const MAX_ENTRIES = 20_000;

export function makeKeyRateLimit(
  limits:
    | Pick<typeof LIMITS, 'apiKeyPerMinute' | 'apiAddressPerMinute' | 'apiKeyAtOnce'>
    | Readonly<Record<'apiKeyPerMinute' | 'apiAddressPerMinute' | 'apiKeyAtOnce', number>> = LIMITS,
  max = MAX_ENTRIES,
  perMinute: SharedLimits['perMinute'] = (_name, limit, entries) =>
    makePerMinuteLimit(limit, entries),
): KeyRateLimit {
  const windows = {
    address: perMinute('api/address', limits.apiAddressPerMinute, max),
    key: perMinute('api/key', limits.apiKeyPerMinute, max),
  };
  const inside = new Map<string, number>();
  return {
    count(of, who, now, headers) {
      const { left, resetMs, isOver } = windows[of].count(
        of === 'address' ? callerNetwork(who) : who,
        now,
      );
      // As in draft-ietf-httpapi-ratelimit-headers: `q` calls in `w` seconds; `r` are left, and the
      // window ends in `t` seconds.
      headers.append(
        'ratelimit-policy',
        `"${of}";q=${of === 'key' ? limits.apiKeyPerMinute : limits.apiAddressPerMinute};w=60`,
      );
      headers.append('ratelimit', `"${of}";r=${left};t=${Math.ceil(resetMs / 1_000)}`);
      return isOver ? { kind: 'too-many', message: MESSAGES.keyPace, retryAfterMs: resetMs } : null;
    },
    enter(key) {
      const there = inside.get(key) ?? 0;
      if (there >= limits.apiKeyAtOnce) return null;
      inside.set(key, there + 1);
      return () => {
        const now = (inside.get(key) ?? 1) - 1;
        if (now === 0) inside.delete(key);
        else inside.set(key, now);
      };
    },
    get size() {
      return windows.address.size + windows.key.size + inside.size;
    },
  };
}
