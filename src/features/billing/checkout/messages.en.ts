import { defineMessages } from '#contract/i18n/messages.ts';

/** Where Stripe's pages lead back to. */
export const checkoutMessages = defineMessages('checkout', {
  checkoutTitle: 'Payment details',
  cardSaved: 'Your card was saved.',
  cardOpen: "Stripe's page wasn't completed. No card was saved.",
  cardExpired: "Stripe's page has expired. No card was saved.",
  cardLinked: 'Your subscription is paid by this card from now on.',
  cardRefused:
    "Nothing was charged, and this card isn't used. A payment of your subscription failed meanwhile, or it has ended. The amount is still due. Ask your provider how to pay it.",
  cardWaiting: 'Stripe has your card. Its confirmation is on the way; this page checks again.',
  subscriptionOpen: "Stripe's page wasn't completed. Your subscription isn't paid by card yet.",
  subscriptionExpired: "Stripe's page has expired. Your subscription isn't paid by card yet.",
  cardUpdated: "Stripe saves what you change on its page. You don't need to do anything here.",
  noCheckout:
    'There is no payment for this address. Add or change your card on the subscription page.',
  checking: 'Checking with Stripe…',
  toSubscription: 'Go to your subscription',
});
