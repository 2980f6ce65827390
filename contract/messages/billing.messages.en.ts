import { defineMessages } from '../i18n/messages.ts';

/** Subscriptions to Microsoft 365 backup and their usage. */
export const BILLING = defineMessages('billingFailures', {
  noSubscription: "This company doesn't have a subscription.",
  owesOfEnded:
    'This company still owes something of its last subscription. It can have another one once this is paid or forgiven.',
  hasSubscription: 'This company already has a subscription.',
  otherCurrencyThisMonth:
    'This month is billed in another currency. Do this on the first day of the next month.',
  cardInAnotherCurrency:
    'A subscription that is paid by card keeps its currency. Cancel it, and start another one.',
  subscriptionNotNow: "The subscription's status doesn't allow this.",
  nothingToUndo: 'There is nothing to undo.',
  levelNotOffered: 'Select a service level that is offered.',
  levelNotYours: 'Only a super administrator can select this service level.',
  sameLevel: 'The subscription already has this service level.',
  monthInvoiced: "This month is invoiced, so its usage can't change.",
  monthBeingInvoiced:
    'The invoice of this month was sent to QuickBooks without an answer. Send it again first.',
  monthBeingCollected: "This month is being collected by card, so its usage can't change.",
  monthPaidByCard: "This month is paid by card at Stripe, so it can't be invoiced.",
  notAcknowledged: 'Acknowledge the usage first.',
  monthNotOver: 'You can invoice a month when it is over.',
  noCustomer: 'Map a QuickBooks customer to this company first, under Invoices > QuickBooks.',
  selectItem: 'Select the item for gigabytes.',
  signUpOver: 'This link is no longer valid. Register again, or use the newest email.',
  signUpPassword: 'Choose a password.',
  signUpNotNow: 'A step of the registration is missing.',
  captchaFailed: "The reCAPTCHA wasn't solved. Try again.",
  captchaKeyMissing: 'Enter the site key of the reCAPTCHA.',
  captchaSecretMissing: 'Store the secret key of the reCAPTCHA before you turn it on.',
  captchaIsOn: 'Sign-up needs this key. Turn the reCAPTCHA off first.',
  captchaUnreachable: "The reCAPTCHA couldn't be checked. Try again in a moment.",
  stripeMissing: "Paying by card isn't set up yet. Contact your provider.",
  stripeUnreachable: "Stripe isn't reachable. Try again in a moment.",
  stripeRefused: 'Stripe refused this. Contact your provider.',
  notSigned: "The signature isn't valid.",
  noCard: 'No card is stored at Stripe yet.',
  noUnpaidInvoice: 'This company has no unpaid invoice.',
  paysByCardAlready: 'This subscription is paid by card already.',
  levelIsFree: 'This subscription is free, so it needs no card.',
  levelWithoutPrice: "This service level can't be paid by card.",
  trialInPast: 'Select a date in the future.',
  notRestorable: "This company can't be restored. It was deleted more than 30 days ago.",
  backupsStopped:
    'Backups of this company are stopped because its subscription is not active. Restores still work.',
});
