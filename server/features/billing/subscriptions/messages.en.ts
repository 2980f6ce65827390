import { defineMessages } from '#contract/i18n/messages.ts';

/** Columns of the exported file. */
export const subscriptionMessages = defineMessages('subscriptions-server', {
  provider: 'Provider',
  company: 'Company',
  month: 'Month',
  status: 'Status',
  level: 'Service level',
  users: 'Users counted',
  gigabytes: 'Gigabytes counted',
  billedUsers: 'Users billed',
  billedGigabytes: 'Gigabytes billed',
  userPrice: 'Price per user',
  gigabytePrice: 'Price per gigabyte',
  total: 'Total',
  currency: 'Currency',
  acknowledged: 'Acknowledged',
  invoice: 'Invoice',
  organizations: 'Organizations',
  payment: 'Payment',
  owed: 'Unpaid',
  next: 'Next',
  nextOn: 'Next on ({zone})',
  yes: 'Yes',
  no: 'No',
});
