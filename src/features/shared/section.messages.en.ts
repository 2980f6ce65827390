import { defineMessages } from '#contract/i18n/messages.ts';

export const sectionMessages = defineMessages('section', {
  loading: 'Loading',
  asOf: 'As of {time}.',
});
