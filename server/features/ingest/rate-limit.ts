import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';

export interface PerMinuteLimit {
  /** Null: go on. */
  ask(who: string, now: Ms): Failure | null;
  /** Counts the request that was asked for last as this many more. */
  add(who: string, more: number): void;
  readonly size: number;
}

/**
 * So many requests in a minute from the first on. In memory, bounded: the oldest are forgotten
 * first.
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
