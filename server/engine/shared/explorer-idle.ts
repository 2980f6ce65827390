import type { Ms } from '#contract/ids.ts';

/** An explorer ends when it hasn't been used for this long. */
export const EXPLORER_IDLE_MS: Ms = 60 * 60_000;
