import { defineMessages } from '#contract/i18n/messages.ts';

export const termsMessages = defineMessages('terms', {
  accept: 'Accept',
  decline: 'Decline and log out',
  version: 'Version {version}',
});
