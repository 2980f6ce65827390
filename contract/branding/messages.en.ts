import { defineMessages } from '../i18n/messages.ts';

export const quotaMessages = defineMessages('quota', {
  keyAboveAll: "One key can't store more than all keys together.",
});
