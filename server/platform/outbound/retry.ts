import type { Ms } from '#contract/ids.ts';
import { HOUR_MS } from '#contract/time/durations.ts';

/**
 * Returns the wait in ms that a `Retry-After` header requests: seconds, or a date. Null if it names
 * none.
 */
export function parseRetryAfter(header: string | null, now: Ms): Ms | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

const FIRST: Ms = 15_000;
/** The longest wait, whatever the other side requests. */
export const LONGEST_RETRY_MS: Ms = 24 * HOUR_MS;
/**
 * Returns the wait after this many consecutive attempts: longer each time, at most an hour, and at
 * least the requested wait, up to a day.
 */
export const backOff = (tries: number, request: Ms | null): Ms =>
  Math.max(
    Math.min(HOUR_MS, FIRST * 2 ** Math.min(12, Math.max(0, tries - 1))),
    Math.min(request ?? 0, LONGEST_RETRY_MS),
  );
