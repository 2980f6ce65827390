import { defineMessages } from '#contract/i18n/messages.ts';

/** The hosted pages of the demo's payment provider. */
export const stripePageMessages = defineMessages('demo-stripe-page', {
  intro:
    'This page simulates the payment provider in the demo. No money moves, and no card is needed.',
  invalidKey: 'Invalid API key provided',
  keyReused: 'Keys for idempotent requests can only be used with the same parameters',
  parameter_unknown: 'Received unknown parameter',
  parameter_missing: 'Missing required param',
  value_unknown: 'Invalid value',
  noSuchObject: 'No such object',
  checkout: 'Pay for Microsoft 365 backup',
  saveCard: 'Save a card',
  payHint: 'Choose what happens to the payment.',
  setupHint: 'Choose what happens to the card.',
  trialUntil: 'Nothing is charged for days until {when}.',
  pay: 'Pay',
  save: 'Save card',
  decline: 'Decline the card',
  declined: 'The card was declined.',
  cancel: 'Cancel and return',
  done: 'This page was already used.',
  portal: 'Your payment details',
  portalHint: 'Receipts and cards are shown here.',
  back: 'Return',
});
