import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';

const MINUTE: Ms = 60_000;

/** A counted request. `left`: how many more fit into its minute, which ends in `resetMs`. */
export interface CountedRequest {
  readonly isOver: boolean;
  readonly left: number;
  readonly resetMs: Ms;
}

/**
 * Allows a number of requests in a minute, beginning with the first one. Counts in this process, in
 * bounded memory: the oldest entries are dropped first. After the clock was set back, a new minute
 * begins.
 */
export interface PerMinuteLimit {
  count(who: string, now: Ms): CountedRequest;
  /** Counts a request. Returns null to allow it, else the wait in ms. */
  ask(who: string, now: Ms): Ms | null;
  /** Counts a request of a call. Returns null to allow it, else the failure to answer with. */
  check(who: string, now: Ms): Failure | null;
  /** Counts the last request as this many more. */
  add(who: string, more: number): void;
  readonly size: number;
}

export function makePerMinuteLimit(perMinute: number, maxEntries = 20_000): PerMinuteLimit {
  const windows = new Map<string, { readonly from: Ms; count: number }>();
  function count(who: string, now: Ms): CountedRequest {
    let window = windows.get(who);
    if (!window || now < window.from || now >= window.from + MINUTE) {
      windows.delete(who);
      const [oldest] = windows.keys();
      if (oldest !== undefined && windows.size >= maxEntries) windows.delete(oldest);
      window = { from: now, count: 0 };
      windows.set(who, window);
    }
    window.count += 1;
    return {
      isOver: window.count > perMinute,
      left: Math.max(0, perMinute - window.count),
      resetMs: window.from + MINUTE - now,
    };
  }
  function ask(who: string, now: Ms): Ms | null {
    const { isOver, resetMs } = count(who, now);
    return isOver ? resetMs : null;
  }
  return {
    count,
    ask,
    check(who, now) {
      const retryAfterMs = ask(who, now);
      return retryAfterMs === null
        ? null
        : { kind: 'too-many', message: MESSAGES.tooMany, retryAfterMs };
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
