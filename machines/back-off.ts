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
