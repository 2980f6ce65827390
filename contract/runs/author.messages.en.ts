import { defineMessages } from '../i18n/messages.ts';

/** The authors of notes and snoozes who aren't users. */
export const authorMessages = defineMessages('authors', {
  rule: 'Rule “{rule}”',
});
