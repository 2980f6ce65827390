import { defineMessages } from '#contract/i18n/messages.ts';

export const treeMessages = defineMessages('restoreTree', {
  mailboxes: 'Mailboxes',
  drives: 'OneDrives',
  searchMailboxes: 'Search {count, plural, one {# mailbox} other {# mailboxes}}',
  searchDrives: 'Search {count, plural, one {# OneDrive} other {# OneDrives}}',
  searchMailboxesUnknown: 'Search mailboxes',
  searchDrivesUnknown: 'Search OneDrives',
  archive: '{name} (archive)',
  items: '{count, plural, one {# item} other {# items}}',
  deleted: 'deleted',
  loading: 'Loading…',
  more: 'Load more',
  retry: '{message} Try again.',
  noMatches: 'Nothing matches the search.',
  noMailboxes: 'This restore point has no mailboxes.',
  noDrives: 'This restore point has no OneDrives.',
  path: 'Path',
  folders: 'Folders',
});
