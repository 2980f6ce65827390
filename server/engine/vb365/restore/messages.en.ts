import { defineMessages } from '#contract/i18n/messages.ts';

/** Restore sessions on a server of Veeam Backup for Microsoft 365. */
export const vb365RestoreMessages = defineMessages('vb365-restore', {
  notOffered:
    'Veeam Backup for Microsoft 365 does not offer this here. Do it on the server of the organization.',
  noSessionThere: "{host} didn't open a restore session.",
  endless: '{host} sends a list without end.',
  noAnswer: "{host} didn't respond to the search.",
  searchTooFar: 'A search on this server can skip at most 10,000 results. Add words to narrow it.',
  flagsOriginal:
    'To the original location, the server restores all missing and changed items. Options are only available for another location.',
  skipOffered: "The server can't skip existing items. Choose to replace them or to keep both.",
  otherOrganization:
    'The server of this organization restores to this organization only. Choose one of its users.',
  noSite: 'This site does not exist on the server.',
  noTargetFolder:
    'The server restores to the place of the same name in the other site. Leave the folder empty.',
  noSave: 'The server of this organization saves libraries, folders and files of sites only.',
  files: 'Files',
  tabs: 'Tabs',
  teamsOriginal: 'The server of this organization restores teams to their original location only.',
  teamsReplace:
    'The server replaces changed items of teams. Restore missing items only to leave them as they are.',
  lastVersions: 'For a whole team or channel, the server restores the latest version of each file.',
  noVersions: 'The server has versions of files and rows only.',
  teamVersions:
    "For files in teams, the server restores or saves the last version or all versions. Single versions aren't available.",
  oneVersion: 'Choose one version at a time.',
  postsWithChannel:
    'The server of this organization restores posts with their channel only. Restore the channel, or download the posts.',
  settingsWithTeam:
    'The server of this organization restores members and settings together with their team.',
  oneChannel: 'Choose files, or tabs, of one channel.',
  noTeamSave:
    'The server of this organization saves files, folders and posts of one channel. Open a channel to choose them.',
  oneSite: 'Choose content of one site.',
  title: 'Title',
  version: 'Version',
  createdBy: 'Created by',
  created: 'Created',
  modifiedBy: 'Modified by',
  modified: 'Modified',
  noUser: 'This user does not exist on the server.',
  noDrive: 'This user has no OneDrive.',
  noCode: 'Request a code first.',
  codeEnded: 'The code has expired. Request a new one.',
  signIn: 'Sign-in of an administrator for this restore session',
  rightsNeeded:
    'The server needs a sign-in to Microsoft 365 to restore. Sign in with a code as an administrator of the tenant.',
  noApproval:
    "Restores that need the approval of a second person can't be started for organizations of a Veeam server.",
  noUndo: "Veeam Backup for Microsoft 365 can't undo a restore.",
  noRetry:
    "Veeam Backup for Microsoft 365 doesn't say which items failed, so they can't be retried alone.",
  noDryRun: 'Veeam Backup for Microsoft 365 has no dry runs.',
  cancelledBefore: 'The restore was stopped before it started.',
  stoppedThere: 'The restore was stopped. Items that were already restored remain.',
  cantStop: "This version of the server can't stop a running restore.",
  unknownEnd:
    'The connection to the server was lost while the restore started. See the restore sessions on the server for the result.',
  failedThere: 'The restore failed on the server.',
  others: '{count, plural, one {# other item} other {# other items}}',
  endedThere: 'The server has ended the restore session. Open it again to continue.',
  changedSize: 'The server sent {sent, number} bytes of this file instead of {expected, number}.',
  noFile: '{host} sent something other than the file.',
  stalled: '{host} stopped in the middle of the file and sent nothing for {minutes} minutes.',
  cutFile: '{host} sent only part of the file.',
  needsFactor:
    'The file is larger than 5 GB. Confirm your identity, then start the download again.',
  noRoom:
    'The server of the portal has no room for this file. Delete downloads that you no longer need, or choose fewer items.',
  onlyPst:
    'The server of this organization saves whole mailboxes and folders as PST files only. Choose PST, or single items.',
  onlyMsgOrPst:
    'The server of this organization saves items as MSG or PST files. Choose one of them.',
  onlyFiles: 'Files are downloaded as they are, or in a ZIP file.',
  tooLarge: 'This item is too large to be shown.',
});
