import type { Ms } from '#contract/ids.ts';

/** G73: how long a deletion or a shorter retention waits. */
export const DELAY_MS: Ms = 7 * 86_400_000;
