import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';

export interface PerMinuteLimit {
  /** Counts a request. Returns null to allow it, or the failure. */
  ask(who: string, now: Ms): Failure | null;
  /** Counts the last request as this many more. */
  add(who: string, more: number): void;
  readonly size: number;
}

/**
 * Allows `perMinute` requests in a minute, beginning with the first one. In memory with a bounded
 * size: the oldest entries are evicted first.
 */
export function makePerMinuteLimit(perMinute: number, most = 20_000): PerMinuteLimit {
  const windows = new Map<string, { readonly from: Ms; count: number }>();
  return {
    ask(who, now) {
      const window = windows.get(who);
      if (window && now >= window.from && now < window.from + MINUTE) {
        window.count += 1;
        return window.count <= perMinute
          ? null
          : {
              kind: 'too-many',
              message: MESSAGES.tooMany,
              retryAfterMs: window.from + MINUTE - now,
            };
      }
      windows.delete(who);
      if (windows.size >= most)
        for (const oldest of windows.keys()) {
          windows.delete(oldest);
          break;
        }
      windows.set(who, { from: now, count: 1 });
      return null;
    },
    add(who, more) {
      const window = windows.get(who);
      if (window) window.count += more;
    },
    get size() {
      return windows.size;
    },
  };
}

const MINUTE: Ms = 60_000;
