import { defineMessages } from '#contract/i18n/messages.ts';

export const impersonationMessages = defineMessages('impersonation', {
  label: 'Signed in as another user',
  banner:
    "{administrator}, you're signed in as {name} ({username}) until {time}. Everything you do is recorded with both names.",
  unsent: '{count, plural, one {# change} other {# changes}} not sent yet',
  unsentHint:
    "You made these changes as the other user, and the server doesn't have them yet. They are lost when you exit.",
  discardAndExit: 'Discard {count, plural, one {# change} other {# changes}} and exit',
  stay: 'Stay',
});
