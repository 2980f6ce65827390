import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';

/**
 * Doubles from 30 ms to 60 s, half of it by chance (`fraction`: 0 ≤ x < 1), and never sooner than
 * the server asked for (SYNC-8).
 */
export const backOffMs = (attempt: number, atLeastMs: Ms, fraction: number): Ms => {
  const whole = Math.min(LIMITS.backoffMostMs, LIMITS.backoffFirstMs * 2 ** Math.min(attempt, 20));
  return Math.max(
    LIMITS.backoffFirstMs,
    whole / 2 + (whole / 2) * fraction,
    atLeastMs === 0 ? 0 : atLeastMs * (1 + fraction / 10),
  );
};
