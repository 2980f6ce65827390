import { defineMessages } from '../i18n/messages.ts';

/** What is wrong with notification settings and webhooks. */
export const notificationInputMessages = defineMessages('notificationInput', {
  time: 'Expected a time such as 07:30.',
  daysOnce: 'Send each day only once.',
  timeZone: 'Expected a time zone of the IANA list, such as Europe/Berlin.',
  quietHours: 'Quiet hours must start and end at different times.',
  address: 'Enter an address that begins with https:// and contains no user name.',
  companiesOnce: 'Send each company only once.',
});
