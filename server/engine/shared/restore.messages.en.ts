import { defineMessages } from '#contract/i18n/messages.ts';

export const restoreMessages = defineMessages('restore-engine', {
  noTask: "This task doesn't exist.",
  noDryRun: 'Only a finished dry run can be estimated.',
  // The temporary application, as an administrator sees it in the tenant.
  application: 'Restore (temporary)',
  leftSubject: 'Temporary application left in the tenant of {name}',
  left: 'The temporary application “{application}” is still in the Microsoft 365 tenant of {name} ({company}). A restore used it, and the sign-in that could remove it has ended.',
  leftSafe: 'Its key was deleted, so nobody can use it.',
  leftNext:
    'The next sign-in for a restore to this organization removes it. To remove it now, delete the app registration with the object ID {id} in Microsoft Entra.',
  originalOnly: 'Restore operators can only restore to the original location.',
  importedOriginal:
    'An imported mailbox or drive is in no tenant. Choose another place to restore to.',
  tooManyAtOnce: 'You started several restores at the same time. Start this one again.',
  nothingChosen: 'Choose what to restore.',
  noNode: 'This item is not part of the restore point.',
  alreadyThere: 'The target already has this item.',
  missingOnly: 'The target has another version. Only missing items are restored.',
  changedOnly: 'The target does not have this item. Only changed items are restored.',
  keptTarget: "The target has another version, which wasn't replaced.",
  postNotReplaceable:
    "The target has another version. Posts can't be replaced. Keep both to create it beside the present one.",
  willCreate: 'Will be created.',
  willReplace: 'Will replace the version of the target.',
  willKeepBoth: 'Will be created beside the version of the target.',
  afterObject: '{plan} {message}',
  removedWithTeam: 'Removed with its team.',
  removedWithChannel: 'Removed with its channel.',
  withLoss: '{message} {loss}',
  withoutUndo: "{message} An undo can't remove it.",
  undoneWithChannel:
    '{message} An undo deletes it with its channel, which this restore creates, unless others have used the channel since.',
  undoneWithTeam:
    '{message} An undo deletes it with its team, which this restore creates, unless others have used the team since.',
  hasOtherName: '{message} Its name is “{name}” now.',
  numbered:
    '{message} Another item of this restore has its name, so this one gets the name “{name}”.',
  besideNewer:
    '{message} This restore takes a newer version of it, too, so this one becomes an item of its own.',
  newerRestored: 'This restore takes a newer version of it.',
  hadOtherName: '{message} Its name was “{name}”.',
  folderMoved: 'The folder is now at “{now}”. A new one is created at “{former}”.',
  folderMovedBeside:
    'The folder is now at “{now}”. This item goes to another folder, which is at “{former}” now.',
  libraryRenamed: 'The library “{former}” is named “{name}” now.',
  listRenamed: 'The list “{former}” is named “{name}” now.',
  folderNameTaken: 'A file has the name of its folder, or of one above it.',
  nameOfFolderTaken: 'A file has the name of the folder, or of one above it.',
  nameTaken: 'Another file has this name, and could not get its own name back.',
  leftUnderName: '{message} The file is left under the name “{name}”. An undo puts it back.',
  undoneUnderName: 'Another file has its former name. The file is left under the name “{name}”.',
  interruptedItem:
    'The task ended while it wrote this item. An undo of the restore puts back what was there.',
  created: 'Created.',
  replaced: 'Replaced the version of the target.',
  keptBoth: 'Created beside the version of the target.',
  withVersions:
    '{message} {count, plural, one {With # earlier version.} other {With # earlier versions.}}',
  withNewDates:
    '{message} The earlier versions get the date and author of the restore in the version history.',
  notShared: "Its sharing won't be restored.",
  willShare: '{count, plural, one {# person gets} other {# people get}} access again.',
  willLink: '{count, plural, one {# link gets} other {# links get}} a new address.',
  shared: 'Shared again with {count, plural, one {# person} other {# people}}.',
  linked: '{count, plural, one {# new link} other {# new links}}.',
  notSharedWith: 'Not shared again: {names}.',
  andOthers: '{names} and {count} more',
  unreadableSharing: 'the backup of its sharing is damaged',
  notShareable: "Sharing can't be restored here",
  sharingFailed: 'The sharing could not be restored: {reason}',
  foldersNotShared: 'Not all folders are shared as before. {names}',
  foldersAnnounced: 'Folders that are shared again: {names}',
  folderOf: '{folder}: {what}',
  willCreateFolders:
    '{count, plural, one {# empty folder} other {# empty folders}} will be created.',
  willNotCreateFolders:
    "{count, plural, one {# empty folder} other {# empty folders}} can't be created. {reason}",
  foldersCreated:
    '{count, plural, one {# empty folder was created.} other {# empty folders were created.}}',
  foldersNotCreated:
    '{count, plural, one {# empty folder} other {# empty folders}} could not be created. {reason}',
  draft: 'Drafts are excluded.',
  deletedItem: 'Deleted Items are excluded.',
  teamExcluded: 'Members and settings are excluded.',
  excludedMeanwhile: 'The person of this item was excluded from backups on request meanwhile.',
  noLongerStored: 'The backup of this item was removed while the restore ran.',
  othersBring: 'Another restore brings this team back right now. This one continues afterwards.',
  othersRestore:
    'Another restore writes some of the same items right now. This one continues afterwards.',
  othersUndo:
    'Another restore or undo writes to the same place right now. This one continues afterwards.',
  othersWrite: 'Another restore writes to this channel right now. This one continues afterwards.',
  objectNeverCame:
    'Microsoft 365 has not brought the team back within a day. Start the restore again when it is there.',
  noContent: 'The content of this item could not be backed up.',
  notReplaceable: 'The version of the target could not be saved, so it was not replaced. {reason}',
  createdStays:
    '{count, plural, one {The restore created this, and it stays: {names}.} other {The restore created these, and they stay: {names}.}} {reason}',
  createdInUse: 'Other items are still in there.',
  removed: 'Removed.',
  putBack: 'The earlier version was put back.',
  changedSince: 'Changed since the restore, so it was left as it is.',
  noUser: "This user doesn't exist in the tenant.",
  gone: 'No longer in the target.',
  missingRights:
    'The portal can only read this organization. To restore to it, sign in as an administrator of its tenant and grant these permissions: {names}.',
  rightsNotGranted:
    'The tenant did not grant these permissions: {names}. Sign in as a Global Administrator.',
  rightsNotYet:
    "Microsoft 365 hasn't applied the new permissions everywhere yet. Try again in a minute.",
  rightsEnded:
    'The rights to write have ended. Start the restore again, and sign in to grant them once more.',
  cannotUndo: 'Only a finished restore can be undone, and only once.',
  undoWhileRetrying:
    'The items that failed are being restored again. Undo the restore when that has ended.',
  cannotRetry: 'Only a finished restore can be retried, not a dry run or an undo.',
  nothingFailed: 'Nothing to retry: no item of this restore failed.',
  retriedBefore: 'The failed items of this restore have already been retried.',
  retryUndone: 'This restore was undone. Restore the items again.',
  retrySession:
    'Failed items can only be retried by the person who restored them, while the restore session is open. Open a session and restore the items again.',
  retrySecond:
    'Restores of these items now need a second person. Restore the failed items again, with a reason.',
  retryTooMany:
    'This would be more than {max, number} items within 24 hours. Restore the failed items again, with a reason.',
  running: 'This task has already ended.',
  notWaiting: 'This restore no longer waits for approval.',
  noBackup: 'The backup of this restore no longer exists.',
  cancelled: 'The restore was stopped.',
  interrupted: 'The target was not available for an hour. Start the restore again to continue.',
});
