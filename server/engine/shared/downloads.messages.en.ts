import { defineMessages } from '#contract/i18n/messages.ts';

export const downloadMessages = defineMessages('engine-downloads', {
  tooManyItems:
    'A download that is sent immediately can have at most {limit, number} items. Prepare it in the background.',
  tooManyLater:
    'A download in the background can have at most {limit, number} items. Choose fewer folders.',
  nothing: 'There is nothing to download here.',
  onlySingle: 'Only a single mail can be downloaded as .eml. Choose ZIP for several.',
  noMails: 'There are no mails here. Choose ZIP or PST for calendars, contacts and tasks.',
  noContent: 'The content of these items could not be backed up.',
  noDownloading: "Your role doesn't allow downloading this.",
  withdrawn: 'It had data of a person who is excluded from backups on request.',
  noDownload: "This download doesn't exist.",
});
