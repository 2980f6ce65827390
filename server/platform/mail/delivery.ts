import type { Ms } from '#contract/ids.ts';

/**
 * What became of one try. `later`: worth another; `afterMs`: what the other side asked for. Faults
 * hold neither content nor address.
 */
export type Delivery =
  | { readonly is: 'sent' }
  | { readonly is: 'given-up'; readonly fault: string }
  | { readonly is: 'later'; readonly fault: string; readonly afterMs: Ms | null };
