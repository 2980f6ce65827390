import { defineMessages } from '#contract/i18n/messages.ts';

/** Columns of exported files. */
export const suiteUsageMessages = defineMessages('suite-usage-server', {
  company: 'Company',
  organization: 'Organization',
  from: 'From',
  to: 'To',
  licensedUsers: 'Licensed users',
  peak: 'Highest day',
  added: 'New users',
  withoutLicense: 'Users without a Microsoft 365 license',
  bytes: 'Bytes',
  user: 'User',
  address: 'Address',
  backedUp: 'Backed up',
  mailbox: 'Mailbox',
  archive: 'Archive mailbox',
  drive: 'OneDrive',
  license: 'License',
  licensed: 'Licensed',
  free: 'No Microsoft 365 license',
  hasLeft: 'Left the organization',
  yes: 'Yes',
  no: 'No',
  firstPoint: 'First restore point ({zone})',
  lastPoint: 'Last restore point ({zone})',
  lastPointUtc: 'Last restore point (UTC)',
});
