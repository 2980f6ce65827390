import type { Ms } from '#contract/ids.ts';

/**
 * The result of one attempt. `later`: retry; `afterMs`: the wait that the other side requested.
 * Faults contain neither content nor address.
 */
export type MailDelivery =
  | { readonly kind: 'sent' }
  | { readonly kind: 'given-up'; readonly error: string }
  | { readonly kind: 'later'; readonly error: string; readonly afterMs: Ms | null };
