import { defineMessages } from '#contract/i18n/messages.ts';

export const compareMessages = defineMessages('compare-engine', {
  throttled:
    'Microsoft 365 limits requests at the moment. Try again in {minutes, plural, one {# minute} other {# minutes}}.',
  imported: 'This mailbox or drive was imported. Microsoft 365 has nothing to compare it with.',
  unsupported:
    'Mails, events, contacts, tasks, files, rows and posts can be compared. This item is another kind.',
});
