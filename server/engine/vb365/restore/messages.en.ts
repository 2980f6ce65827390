import { defineMessages } from '#contract/i18n/messages.ts';

/** Restore sessions on a server of Veeam Backup for Microsoft 365. */
export const vb365RestoreMessages = defineMessages('vb365-restore', {
  notOffered:
    'Veeam Backup for Microsoft 365 does not offer this here. Do it on the server of the organization.',
  workloadThere:
    'Sites and teams of this organization are restored on its server of Veeam Backup for Microsoft 365.',
  noSessionThere: '{host} opened no restore session.',
  endedThere: 'The server has ended the restore session. Open it again to continue.',
  changedSize: 'The server sent {sent, number} bytes of this file instead of {expected, number}.',
  tooLarge: 'This item is too large to be shown.',
});
