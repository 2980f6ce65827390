import type { Ms } from '#contract/ids.ts';

const MINUTE: Ms = 60_000;

/**
 * Limits how often a caller may make this server send outbound requests, per minute. In bounded
 * memory: the oldest entries are dropped first.
 */
export function makeRateLimit(
  most: number,
  kept = 10_000,
): { /** Returns null to continue, else the wait in ms. */ ask(who: string, now: Ms): Ms | null } {
  const windows = new Map<string, { readonly from: Ms; count: number }>();
  return {
    ask(who, now) {
      const window = windows.get(who);
      if (window && now >= window.from && now < window.from + MINUTE) {
        window.count += 1;
        return window.count <= most ? null : window.from + MINUTE - now;
      }
      windows.delete(who);
      if (windows.size >= kept)
        for (const oldest of windows.keys()) {
          windows.delete(oldest);
          break;
        }
      windows.set(who, { from: now, count: 1 });
      return null;
    },
  };
}
