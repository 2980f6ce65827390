import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { MINUTE_MS } from '#contract/time/durations.ts';

/** A counted request. `left`: how many more fit into its minute, which ends in `resetMs`. */
export interface CountedRequest {
  readonly isOver: boolean;
  readonly left: number;
  readonly resetMs: Ms;
}

/** How often somebody has called in a minute, and how long ago the minute began. */
export interface MinuteCount {
  readonly ageMs: Ms;
  readonly calls: number;
}

/**
 * Allows a number of requests in a minute, beginning with the first one. Counts in this process, in
 * bounded memory: the oldest entries are dropped first. After the clock was set back, a new minute
 * begins. `shared-limits.ts` adds what other servers have counted.
 */
export interface PerMinuteLimit {
  count(who: string, now: Ms): CountedRequest;
  /** Counts a request. Returns null to allow it, else the wait in ms. */
  ask(who: string, now: Ms): Ms | null;
  /** Counts a request of a call. Returns null to allow it, else the failure to answer with. */
  check(who: string, now: Ms): Failure | null;
  /** Counts the last request as this many more. */
  add(who: string, more: number): void;
  /** Returns what this server has counted; null if nothing in the present minute. */
  getOwn(who: string, now: Ms): MinuteCount | null;
  /** Replaces what others have counted. The minute began when that of the first server did. */
  setOthers(who: string, others: MinuteCount, now: Ms): void;
  readonly size: number;
}

interface Window {
  from: Ms;
  count: number;
  others: number;
}

/** `counted` is called after each request, with how often this server has counted its caller. */
export function makePerMinuteLimit(
  perMinute: number,
  maxEntries = 20_000,
  counted: (who: string, calls: number) => void = () => undefined,
): PerMinuteLimit {
  const windows = new Map<string, Window>();
  const find = (who: string, now: Ms): Window | null => {
    const window = windows.get(who);
    return window === undefined || now < window.from || now >= window.from + MINUTE_MS
      ? null
      : window;
  };
  function count(who: string, now: Ms): CountedRequest {
    let window = find(who, now);
    if (window === null) {
      windows.delete(who);
      const [oldest] = windows.keys();
      if (oldest !== undefined && windows.size >= maxEntries) windows.delete(oldest);
      window = { from: now, count: 0, others: 0 };
      windows.set(who, window);
    }
    window.count += 1;
    counted(who, window.count);
    const all = window.count + window.others;
    return {
      isOver: all > perMinute,
      left: Math.max(0, perMinute - all),
      resetMs: window.from + MINUTE_MS - now,
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
      if (!window || more === 0) return;
      window.count += more;
      counted(who, window.count);
    },
    getOwn(who, now) {
      const window = find(who, now);
      return window && { ageMs: now - window.from, calls: window.count };
    },
    setOthers(who, { ageMs, calls }, now) {
      const window = find(who, now);
      if (window === null || ageMs >= MINUTE_MS) return;
      window.others = calls;
      window.from = Math.min(window.from, now - Math.max(0, ageMs));
    },
    get size() {
      return windows.size;
    },
  };
}
