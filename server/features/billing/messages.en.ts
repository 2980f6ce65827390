import { defineMessages } from '#contract/i18n/messages.ts';

/** Columns of exported files, and what QuickBooks answered. */
export const billingMessages = defineMessages('billing-server', {
  month: 'Month',
  serviceProvider: 'Service provider',
  company: 'Company',
  product: 'Product',
  workload: 'Workload',
  unit: 'Unit',
  used: 'Used',
  new: 'New',
  rental: 'Rental',
  reportedBy: 'Reported by',
  formerConnection: 'Former connection',

  number: 'Number',
  date: 'Date',
  due: 'Due',
  status: 'Status',
  customer: 'Customer',
  currency: 'Currency',
  total: 'Total',
  balance: 'Balance',
  open: 'Open',
  overdue: 'Overdue',
  paid: 'Paid',
  voided: 'Voided',

  accessEnded: 'QuickBooks no longer gives access. Connect it again.',
  clientRefused: 'QuickBooks refused the client ID and secret.',
  unreadable: 'QuickBooks gave an answer that cannot be read.',
  tokenRefused: 'QuickBooks refused the token.',
  accessRefused: "QuickBooks doesn't let this app read this company.",
  notFound: "QuickBooks doesn't have this item.",
  tooManyRequests: 'QuickBooks received too many requests. Try again later.',
  unavailable: "QuickBooks isn't available ({status}).",
  connected: 'QuickBooks responded for the company {company}.',
});
