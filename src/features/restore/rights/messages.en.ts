import { defineMessages } from '#contract/i18n/messages.ts';

export const restoreRightsMessages = defineMessages('restoreRights', {
  title: 'Sign in to restore',
  undoTitle: 'Sign in to undo the restore',
  lead: 'The backup application of this organization can only read. To write to the tenant, an administrator of it signs in with a code.',
  note: 'The sign-in creates a temporary application with these permissions. They end with this restore session, after an hour at the latest. Then the application is removed.',
  granted: 'The permissions are granted.',
  until: 'The permissions to write end at {time}, or with this restore session.',
  checking: 'Checking the permissions…',
  userRead: 'Read users (User.Read.All)',
  mailWrite: 'Read and write mail in all mailboxes (Mail.ReadWrite)',
  filesWrite: 'Read and write files in all drives (Files.ReadWrite.All)',
  mailImport: 'Import mail with all its properties (MailboxItem.ImportExport.All)',
});
