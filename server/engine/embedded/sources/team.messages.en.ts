import { defineMessages } from '#contract/i18n/messages.ts';

/** Folders of a team in its backup. */
export const teamMessages = defineMessages('team-source', {
  files: 'Files',
  tabs: 'Tabs',
  otherFiles: 'Other files',
  deleted: 'This message was deleted.',
  unknownAuthor: 'Unknown',
});
