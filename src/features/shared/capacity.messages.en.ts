import { defineMessages } from '#contract/i18n/messages.ts';

/** When a repository will be full. */
export const capacityMessages = defineMessages('capacity', {
  full: 'full',
  withinADay: 'full within a day',
  inDays: 'full in {days, plural, one {# day} other {# days}}',
});
