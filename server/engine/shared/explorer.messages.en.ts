import { defineMessages } from '#contract/i18n/messages.ts';

export const explorerMessages = defineMessages('explorer', {
  wrongCursor: "This page of the list doesn't exist. Load the list again.",
  noPoint: 'There is no restore point at or before this time.',
  sessionEnded: 'The restore session has ended. Open it again to continue.',
  noSession: "This restore session doesn't exist.",
  noNode: 'This item is not part of the restore point.',
  hiddenTitle: 'Hidden',
  noReading: "Your role doesn't allow reading this item.",
  noContent: 'The content of this item could not be backed up.',
  noRange: "The item doesn't have this byte range.",
});
