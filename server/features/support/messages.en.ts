import { defineMessages } from '#contract/i18n/messages.ts';

/** Emails with a user's request to the portal's support. */
export const supportMailMessages = defineMessages('support-mail', {
  subject: '[{portal}] {subject}',
  from: 'From {name} ({username}), {address}.',
  fromUnconfirmed: 'From {name} ({username}), {address} (address not confirmed).',
  fromWithoutAddress: 'From {name} ({username}), a user without an email address.',
  detail: '{name}: {value}',
});
