import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import { callerNetwork } from './network.ts';

/** What is left of a window. `over`: the call that was counted was one too many. */
interface Left {
  readonly left: number;
  readonly resetMs: Ms;
  readonly over: boolean;
}

/**
 * How fast programs with API keys may call (KEY-6): so many calls in a minute from the first on,
 * for each key and for each address, and so many of a key at once. In the memory of this process,
 * bounded: the oldest are forgotten first.
 */
export interface KeyRateLimit {
  /**
   * Counts a call against an address, or a key whose holder is known, and notes what to tell of it.
   * Null: go on.
   */
  count(of: 'address' | 'key', who: string, now: Ms, tell: Headers): Failure | null;
  /** A place among those of a key, to be left when its work ends. Null: there is none now. */
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
      // As draft-ietf-httpapi-ratelimit-headers has it: `q` calls in `w` seconds; `r` are left and
      // `t` seconds to go.
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
