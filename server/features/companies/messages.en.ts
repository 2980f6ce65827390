import { defineMessages } from '#contract/i18n/messages.ts';

/** Columns of the exported file. */
export const companyMessages = defineMessages('companies-server', {
  name: 'Name',
  users: 'Users',
  notified: 'Notified',
  veeamId: 'Veeam ID',
  vspcId: 'VSPC ID',
  cloudDirectorId: 'Cloud Director ID',
  zertoId: 'Zerto ID',
  microsoft365: 'Microsoft 365',
  organizations: 'Organizations',
  created: 'Created ({zone})',
  createdUtc: 'Created (UTC)',
  yes: 'Yes',
  no: 'No',
});
