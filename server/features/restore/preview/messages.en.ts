import { defineMessages } from '#contract/i18n/messages.ts';

/** What previews of mails say. */
export const previewMessages = defineMessages('mail-preview', {
  busy: 'Many mails are being opened. Try again in a moment.',
  tooLarge: 'This mail is too large for a preview. Download it to read it.',
  unreadable: "This mail can't be shown. Download it to open it in a mail program.",
  noAttachment: "This attachment doesn't exist.",
  noPost: "This post doesn't exist.",
  deletedPost: 'This message was deleted.',
  expired: 'This preview has expired. Select the mail again.',
});
