import { defineMessages } from '#contract/i18n/messages.ts';

/** What the audit of restores says, and the columns of its file. */
export const restoreAuditMessages = defineMessages('restore-audit', {
  points: 'Restore points listed',
  list: 'Content listed',
  search: 'Content searched',
  size: 'Size calculated',
  content: 'Content read',
  preview: 'Content shown',
  downloadList: 'Download prepared',
  download: 'Download sent',
  results: 'Results of a restore listed',
  dryRun: 'Dry run requested',
  restoreTo: 'Restore to another place requested',
  when: 'Time ({zone})',
  whenUtc: 'Time (UTC)',
  action: 'Action',
  organization: 'Organization',
  object: 'Mailbox, OneDrive, site or team',
  items: 'Items',
  user: 'User',
  actedAs: 'Acting as',
  operator: 'Restore operator',
  ipAddress: 'IP address',
  browser: 'Browser',
  yes: 'Yes',
  no: 'No',
});
