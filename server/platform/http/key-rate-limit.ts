import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { callerNetwork } from './network.ts';

/** What is left of a window. `over`: the counted call exceeds the limit. */
interface Left {
  readonly left: number;
  readonly resetMs: Ms;
  readonly over: boolean;
}

/**
 * KEY-6: limits API keys to a number of calls per minute from the first one, per key and per
 * address, and to a number of concurrent calls per key. Stored in this process with bounded memory:
 * the oldest entries are dropped first.
 */
export interface KeyRateLimit {
  /**
   * Counts a call against an address, or a verified key, and sets the rate-limit headers. Returns
   * null to continue.
   */
  count(of: 'address' | 'key', who: string, now: Ms, tell: Headers): Failure | null;
  /**
   * Takes one of the key's concurrent slots. Call the returned function when the work ends. Null:
   * none is free.
   */
  enter(key: string): (() => void) | null;
  readonly size: number;
}

const MINUTE: Ms = 60_000;
const MOST_KEPT = 20_000;

export function makeKeyRateLimit(
  limits:
    | Pick<typeof LIMITS, 'apiKeyPerMinute' | 'apiAddressPerMinute' | 'apiKeyAtOnce'>
    | Readonly<Record<'apiKeyPerMinute' | 'apiAddressPerMinute' | 'apiKeyAtOnce', number>> = LIMITS,
  most = MOST_KEPT,
): KeyRateLimit {
  const windows = {
    address: windowsOf(limits.apiAddressPerMinute, most),
    key: windowsOf(limits.apiKeyPerMinute, most),
  };
  const inside = new Map<string, number>();
  return {
    count(of, who, now, tell) {
      const { left, resetMs, over } = windows[of].take(
        of === 'address' ? callerNetwork(who) : who,
        now,
      );
      // As in draft-ietf-httpapi-ratelimit-headers: `q` calls in `w` seconds; `r` are left, and the
      // window ends in `t` seconds.
      tell.append(
        'ratelimit-policy',
        `"${of}";q=${of === 'key' ? limits.apiKeyPerMinute : limits.apiAddressPerMinute};w=60`,
      );
      tell.append('ratelimit', `"${of}";r=${left};t=${Math.ceil(resetMs / 1_000)}`);
      return over ? { kind: 'too-many', message: MESSAGES.keyPace, retryAfterMs: resetMs } : null;
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

function windowsOf(quota: number, most: number) {
  const windows = new Map<string, { readonly from: Ms; count: number }>();
  return {
    take(who: string, now: Ms): Left {
      let window = windows.get(who);
      if (!window || now < window.from || now >= window.from + MINUTE) {
        windows.delete(who);
        if (windows.size >= most)
          for (const oldest of windows.keys()) {
            windows.delete(oldest);
            break;
          }
        window = { from: now, count: 0 };
        windows.set(who, window);
      }
      window.count += 1;
      return {
        left: Math.max(0, quota - window.count),
        resetMs: window.from + MINUTE - now,
        over: window.count > quota,
      };
    },
    get size() {
      return windows.size;
    },
  };
}
