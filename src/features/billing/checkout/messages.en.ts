import { defineMessages } from '#contract/i18n/messages.ts';

/** Where Stripe's pages lead back to. */
export const checkoutMessages = defineMessages('checkout', {
  checkoutTitle: 'Payment details',
  cardSaved: 'Your card was saved.',
  cardOpen: "The page wasn't completed. No card was saved.",
  cardUpdated: 'Your payment details are up to date.',
  checking: 'Asking Stripe…',
  toSubscription: 'Go to your subscription',
});
