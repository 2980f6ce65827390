import { defineMessages } from '#contract/i18n/messages.ts';

/** Columns of the exported file. */
export const subscriptionMessages = defineMessages('subscriptions-server', {
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
  yes: 'Yes',
  no: 'No',
});
