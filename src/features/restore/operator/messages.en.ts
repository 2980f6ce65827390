import { defineMessages } from '#contract/i18n/messages.ts';

export const operatorMessages = defineMessages('restoreOperator', {
  title: 'Restore data',
  services: 'Services',
  mail: 'Mail',
  files: 'Files',
  sites: 'Sites',
  teams: 'Teams',
  noRole: "You aren't a restore operator",
  noRoleHint: 'Your administrator can add you to a role of restore operators.',
  administrator: 'You restore in the cloud suite',
  administratorHint: 'You have access to all data of your organizations there.',
  openSuite: 'Open the cloud suite',
  offline: "You're offline. Reconnect to restore data.",
});
