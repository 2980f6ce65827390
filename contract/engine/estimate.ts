import type { Bytes, Ms } from '../ids.ts';

/** What decides how long a restore takes. `speed`: how fast requests are answered. */
export const ESTIMATE_LIMITS = ['speed', 'requests', 'upload', 'throttled'] as const;

/** About how long a restore takes at the current limits, and what that assumes. */
export interface RestoreEstimate {
  /** Rounded: nobody knows it exactly. */
  readonly durationMs: Ms;
  /** What it writes. */
  readonly items: number;
  readonly bytes: Bytes;
  readonly limit: (typeof ESTIMATE_LIMITS)[number];
  /** How many recent restores of the organization its speed is from; 0: the speed is assumed. */
  readonly restores: number;
}
