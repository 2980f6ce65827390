import { defineMessages } from '#contract/i18n/messages.ts';

/** What downloads say. */
export const downloadMessages = defineMessages('downloads', {
  noPst: 'PST files are not supported. Choose ZIP to download the mails as .eml files.',
  noBackground: 'Downloads in the background are not supported. Download the file directly.',
  onlySingle: 'Only a single mail can be downloaded as .eml. Choose ZIP for several.',
  gone: 'This download has expired. Start it again.',
  tooMany: 'Too many downloads are running. Try again when one has ended.',
});
