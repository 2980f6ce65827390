import { defineMessages } from '../i18n/messages.ts';

/** The notification of a message that a browser can't read. */
export const unreadablePushMessages = defineMessages('unreadablePush', {
  title: 'Backups',
  body: "There's news in the portal.",
});
