import type { Ms } from '#contract/ids.ts';

/** How long the other side asks to be left alone: seconds, or a date. Null: it does not say. */
export function afterOf(header: string | null, now: Ms): Ms | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

const HOUR: Ms = 3_600_000;
const FIRST: Ms = 15_000;
/** No retry is further away, whatever the other side asks for. */
export const LONGEST_RETRY_MS: Ms = 24 * HOUR;
/**
 * How long to wait after this many tries in a row: longer each time, at most an hour, and no less
 * than the requested wait, up to a day.
 */
export const backOff = (tries: number, asked: Ms | null): Ms =>
  Math.max(
    Math.min(HOUR, FIRST * 2 ** Math.min(12, Math.max(0, tries - 1))),
    Math.min(asked ?? 0, LONGEST_RETRY_MS),
  );
