import { defineMessages } from '#contract/i18n/messages.ts';

/** What the demo's QuickBooks writes on an invoice. */
export const demoQuickBooksMessages = defineMessages('demo-quickbooks', {
  backup: 'Microsoft 365 backup',
  storage: 'Backup storage',
  nonTaxable: 'Non-taxable',
  salesTax: 'Sales tax',
  users: 'Microsoft 365 backup, {month}: users',
  gigabytes: 'Microsoft 365 backup, {month}: gigabytes',
  invoice: 'Invoice {number}',
  dates: 'Date: {day}, due: {due}',
  customer: 'Customer: {name}',
  line: '{description}: {quantity} × {price} = {amount}',
  total: 'Total: {total} {currency}',
  intro: 'This page simulates QuickBooks in the demo. No money moves, and no card is needed.',
  pay: 'Pay {total} {currency}',
  paid: 'This invoice is paid. The portal shows it in a moment, after it has read QuickBooks.',
  back: 'Return to the portal',
});
