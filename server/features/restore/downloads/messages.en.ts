import { defineMessages } from '#contract/i18n/messages.ts';

/** What downloads say. */
export const downloadMessages = defineMessages('downloads', {
  onlyMailboxes: 'Only mailboxes can be downloaded as PST, mbox, MSG or EML files. Choose ZIP.',
  gone: 'This download has expired. Start it again.',
  otherContent: 'The download has other content than the one that was asked for.',
  tooMany: 'Too many downloads are running. Try again when one has ended.',
});
