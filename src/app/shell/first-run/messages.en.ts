import { defineMessages } from '#contract/i18n/messages.ts';

export const firstRunMessages = defineMessages('firstRun', {
  getStarted: 'Get started',
  connectSource: 'Connect a source',
});
