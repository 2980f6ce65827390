import type { Ms } from '../ids.ts';

export const SECOND_MS: Ms = 1_000;
export const MINUTE_MS: Ms = 60 * SECOND_MS;
export const HOUR_MS: Ms = 60 * MINUTE_MS;
export const DAY_MS: Ms = 24 * HOUR_MS;
