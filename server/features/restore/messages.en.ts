import { defineMessages } from '#contract/i18n/messages.ts';

/** Refusals of restores. */
export const restoreCallMessages = defineMessages('restore-calls', {
  restoredByServer:
    'Veeam Backup for Microsoft 365 has the backups of this organization. Restore them on its server.',
  nothingSelected: 'Restore missing items, changed items, or both.',
  userNeeded: 'Select the user to restore to.',
  siteNeeded: 'Enter the address of the site to restore to.',
  subsitesOriginal: 'Subsites can only be restored to their own place.',
  tooManySubsites: 'This site has more than {max, number} subsites. Restore them one by one.',
  subsites: 'Subsites',
  content: 'Content',
  rowTooLarge: 'This row is too large to be shown.',
  sessionTypeNeeded: 'Select what to restore.',
  reasonNeeded: 'Enter the reason for restoring to another place.',
});
