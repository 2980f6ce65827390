import { defineMessages } from '#contract/i18n/messages.ts';

export const restoreRightsMessages = defineMessages('restoreRights', {
  title: 'Sign in to restore',
  undoTitle: 'Sign in to undo the restore',
  askAdministrator:
    "The backup application can't write to this organization. Tell your administrator.",
  lead: "This organization's backup application is read-only. To allow the restore, an administrator of the tenant signs in with a code.",
  note: 'The sign-in creates a temporary application with these permissions. It is removed when this restore session ends, or after an hour. Restores that have started finish first, within a day.',
  leadServer:
    'The Veeam server of this organization restores on behalf of a tenant administrator. The administrator signs in with a code.',
  noteServer:
    'The server uses the sign-in for the restores of this restore session until the code expires.',
  granted: 'Permissions granted.',
  until:
    'Write permissions end at {time}, or when this restore session ends. Restores that have started finish first.',
  checking: 'Checking the permissions…',
  userRead: 'Read users (User.Read.All)',
  mailWrite: 'Read and write mail in all mailboxes (Mail.ReadWrite)',
  calendarsWrite: 'Read and write calendars in all mailboxes (Calendars.ReadWrite)',
  contactsWrite: 'Read and write contacts in all mailboxes (Contacts.ReadWrite)',
  tasksWrite: 'Read and write tasks in all mailboxes (Tasks.ReadWrite.All)',
  filesWrite: 'Read and write files in all drives (Files.ReadWrite.All)',
  mailImport: 'Import mailbox items with all their properties (MailboxItem.ImportExport.All)',
});
