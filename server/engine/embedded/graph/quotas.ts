import type { Bytes, Ms } from '#contract/ids.ts';
import type { GraphService } from './governor.ts';

/** So much in any period of this length, of one application and one object. */
export interface Quota {
  readonly max: number;
  readonly windowMs: Ms;
}

/**
 * What Microsoft documents ("Microsoft Graph service-specific throttling limits"). Of drives it names
 * no numbers.
 */
export const QUOTAS: Readonly<
  Record<GraphService, { readonly requests?: Quota; readonly uploadedBytes?: Quota }>
> = {
  directory: {},
  mailbox: {
    requests: { max: 10_000, windowMs: 600_000 },
    uploadedBytes: { max: 150_000_000 satisfies Bytes, windowMs: 300_000 },
  },
  drive: {},
  team: { requests: { max: 4, windowMs: 1_000 } },
};

/**
 * Returns how long an amount takes that would take `workMs` without the quota: a period's share at
 * once, then the next when the period is over.
 */
export function getQuotaMs({ max, windowMs }: Quota, amount: number, workMs: Ms): Ms {
  if (amount <= max) return workMs;
  const full = Math.ceil(amount / max) - 1;
  const rest = (amount - full * max) / amount;
  return Math.max(workMs, full * windowMs + rest * workMs);
}
