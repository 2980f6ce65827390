import { defineMessages } from '#contract/i18n/messages.ts';

/** Results of reading a connected system. */
export const connectionErrorMessages = defineMessages('connection-errors', {
  credentialsUnreadable: "This server can't decrypt the stored credentials. Enter them again.",
  notStored: "Its response couldn't be stored. The server log has the details.",
  listChanged: 'The list kept changing while it was read: {seen} of {total} rows.',
});
