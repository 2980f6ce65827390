import { defineMessages } from '#contract/i18n/messages.ts';

/** What the history of a result adds to an action. */
export const historyMessages = defineMessages('result-history', {
  usersNotified: 'Users were notified by email',
});
