import { defineMessages } from '#contract/i18n/messages.ts';

export const roleNameMessages = defineMessages('roleName', {
  administrator: 'Administrator',
  operator: 'Operator',
  readOnly: 'Read only',
  microsoft365Administrator: 'Microsoft 365 administrator',
  superAdministrator: 'Super administrator',
  subProvider: 'Sub-provider',
});
