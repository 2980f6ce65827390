import { defineMessages } from '#contract/i18n/messages.ts';

export const explorerMessages = defineMessages('explorer', {
  wrongCursor: 'This page of the list does not exist. Load the list again.',
  noPoint: 'There is no restore point at or before this time.',
  sessionEnded: 'The restore session has ended. Open it again to go on.',
  noSession: 'There is no such restore session.',
  noNode: 'This item is not part of the restore point.',
  noContent: 'The content of this item could not be backed up.',
  noRange: 'The item does not have these bytes.',
});
