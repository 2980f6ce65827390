import { defineMessages } from '#contract/i18n/messages.ts';

/** What customers read on Stripe's page and on its invoices. */
export const stripeInvoiceMessages = defineMessages('stripe-invoice', {
  invoice: 'Microsoft 365 backup in {month}',
  users: 'Users in {month}: {quantity} at {price}',
  gigabytes: 'Gigabytes in {month}: {quantity} at {price}',
  terms: 'Your card is saved now. It is charged after each month: {price} for each user.',
  termsWithMinimum:
    'Your card is saved now. It is charged after each month: {price} for each user. The minimum is {minimum, plural, one {# user} other {# users}}.',
  termsWithStorage:
    'Your card is saved now. It is charged after each month: {price} for each user, and {storage} for each gigabyte.',
  notCollectedSubject: 'Not collected: {company}, {month}',
  notCollected: 'The month {month} of {company} was not collected by card. It costs {amount}.',
  refusedHint:
    'Stripe refused its invoice. Check the customer at Stripe. It is tried again every hour. Or invoice the month in QuickBooks. Until then it is owed, and the grace period runs.',
  unauthorizedHint:
    'Stripe refused the secret key. Enter a valid key. It is tried again every hour. Backups continue.',
  differsHint:
    'Its invoice at Stripe has {net} without tax. Remove discounts and other lines there, or delete the draft. It is read again every hour. Or invoice the month in QuickBooks. Until then it is owed, and the grace period runs.',
});
