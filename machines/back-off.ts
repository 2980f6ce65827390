import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';

/**
 * The wait before the next attempt: doubles from 30 ms to 60 s, half of it random (`fraction`: 0 ≤
 * x < 1), and never shorter than the server asked for (SYNC-8).
 */
export const backOffMs = (attempt: number, minMs: Ms, fraction: number): Ms => {
  const whole = Math.min(LIMITS.maxBackoffMs, LIMITS.backoffFirstMs * 2 ** Math.min(attempt, 20));
  return Math.max(
    LIMITS.backoffFirstMs,
    whole / 2 + (whole / 2) * fraction,
    minMs === 0 ? 0 : minMs * (1 + fraction / 10),
  );
};

/** The shortest and the longest wait before each attempt to return; the last one repeats. */
const RETURN_WAITS_MS: readonly (readonly [Ms, Ms])[] = [
  // A lost packet or connection, which users don't notice.
  [15, 30],
  [30, 60],
  [60, 120],
  // The server is away, and all its devices wait: each until a different moment of the same period.
  [0, 9_000],
  [9_000, 9_000],
  [9_000, 9_000],
  [9_000, 18_000],
  [14_000, 27_000],
  [20_000, 40_000],
  [24_000, LIMITS.maxBackoffMs],
];

/** How many of these attempts are quick. */
export const QUICK_RETURNS = 3;

/**
 * The wait of a device that lost the server before it asks again (`fraction`: 0 ≤ x < 1), never shorter
 * than the server asked for (SYNC-8). All devices lose a server that restarts in the same moment. So after
 * three quick attempts, the next ones are spread over seconds: whenever the server returns, at most a
 * quarter of all devices return within one second, and after an absence of up to ten seconds all do within
 * ten (G25). A wait is never longer than ten seconds or the absence.
 */
export const returnMs = (attempt: number, minMs: Ms, fraction: number): Ms => {
  const [from, to] = RETURN_WAITS_MS[Math.min(attempt, RETURN_WAITS_MS.length - 1)] ?? [0, 0];
  return Math.max(
    LIMITS.backoffFirstMs,
    from + (to - from) * fraction,
    minMs === 0 ? 0 : minMs * (1 + fraction / 10),
  );
};

/**
 * The wait of a device that was opened while the server is away: after the quick attempts, one when the
 * grace is over (`graceLeftMs`), then as in `returnMs`. Devices are not opened all at once.
 */
export const firstContactMs = (
  attempt: number,
  minMs: Ms,
  fraction: number,
  graceLeftMs: Ms,
): Ms => {
  const waitMs = returnMs(attempt, minMs, fraction);
  return minMs === 0 && graceLeftMs > 0 && waitMs > graceLeftMs ? graceLeftMs : waitMs;
};
