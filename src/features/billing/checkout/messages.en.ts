import { defineMessages } from '#contract/i18n/messages.ts';

/** Where Stripe's pages lead back to. */
export const checkoutMessages = defineMessages('checkout', {
  checkoutTitle: 'Payment details',
  cardSaved: 'Your card was saved.',
  cardOpen: "The page wasn't completed. No card was saved.",
  cardUpdated: "What you changed on Stripe's page is saved.",
  noCheckout: 'This page belongs to no payment. Add or change your card with your subscription.',
  checking: 'Checking with Stripe…',
  toSubscription: 'Go to your subscription',
});
