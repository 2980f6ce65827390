import { defineMessages } from '#contract/i18n/messages.ts';

export const backupMessages = defineMessages('backup', {
  microsoft365: 'Microsoft 365',
  notBackedUpHere: "This portal doesn't back up Microsoft 365",
  notBackedUpHereHint:
    'It monitors the backups that other tools make. Their results appear in Monitoring with all others.',
  dailyChecks: 'Daily checks',
  users: 'Users',
  companies: 'Companies',
});
