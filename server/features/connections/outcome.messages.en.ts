import { defineMessages } from '#contract/i18n/messages.ts';

/** Results of testing and reading a connected system. */
export const outcomeMessages = defineMessages('connection-outcomes', {
  vspc: '{system} responded: {count, plural, one {# company} other {# companies}}.',
  vbr: '{system} responded: {count, plural, one {# job} other {# jobs}}.',
  vb365: '{system} responded: {count, plural, one {# organization} other {# organizations}}.',
  zerto:
    '{system} responded: {count, plural, one {# protection group} other {# protection groups}}.',
  credentialsUnreadable: "This server can't decrypt the stored credentials. Enter them again.",
  notStored: "Its response couldn't be stored. The server log has the details.",
  listChanged: 'The list kept changing while it was read: {seen} of {total} rows.',
});
