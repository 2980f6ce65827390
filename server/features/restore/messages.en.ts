import { defineMessages } from '#contract/i18n/messages.ts';

/** Refusals of restores. */
export const restoreCallMessages = defineMessages('restore-calls', {
  nothingSelected: 'Restore missing items, changed items, or both.',
  userNeeded: 'Select the user to restore to.',
  sessionTypeNeeded: 'Select what to restore.',
  reasonNeeded: 'Enter the reason for restoring to another place.',
});
