import { defineMessages } from '#contract/i18n/messages.ts';

/** Invoices of a month, and the volumes of a SolarWinds server. */
export const monthInvoiceMessages = defineMessages('month-invoice-server', {
  users: 'Microsoft 365 backup, {month}: users',
  gigabytes: 'Microsoft 365 backup, {month}: gigabytes',
  rep: 'Sales rep: {name}',
  noServer: 'No SolarWinds server is configured.',
  serverRefused: 'The SolarWinds server refused the request ({status}).',
  serverUnreadable: "The SolarWinds server's response isn't valid.",
});
