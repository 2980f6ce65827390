import type { Ms } from '#contract/ids.ts';

/**
 * The result of one attempt. `later`: retry; `afterMs`: the wait that the other side requested.
 * Faults contain neither content nor address.
 */
export type Delivery =
  | { readonly is: 'sent' }
  | { readonly is: 'given-up'; readonly fault: string }
  | { readonly is: 'later'; readonly fault: string; readonly afterMs: Ms | null };
