import { defineMessages } from '#contract/i18n/messages.ts';

/** Organizations that were imported from a server, where something can't be done for them. */
export const serverOrganizationMessages = defineMessages('server-organizations', {
  option: '{name} (on its Veeam server)',
  restoreThere: 'Restored on their Veeam server',
  restoreThereHint:
    'The organizations were imported from a server of Veeam Backup for Microsoft 365, which has their backups.',
  notOffered: 'Do this on the Veeam server of the organization.',
  managedByServer: 'Change this on the Veeam server of the organization.',
});
