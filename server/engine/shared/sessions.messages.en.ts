import { defineMessages } from '#contract/i18n/messages.ts';

/** The log of a backup session, and why it failed. */
export const sessionMessages = defineMessages('backup-session', {
  mailbox: '{name} (mailbox)',
  archive: '{name} (archive mailbox)',
  drive: '{name} (OneDrive)',
  site: '{name} (site)',
  team: '{name} (team)',
  started: 'The session started.',
  objects: '{count, plural, one {# object} other {# objects}} to back up.',
  excludedCount:
    '{count, plural, one {# object is} other {# objects are}} excluded from backups on request.',
  excluded: 'Excluded from backups on request.',
  beingRemoved: 'Earlier backups are still being removed on request. The next session tries again.',
  nothing: "The job's selection contains nothing to back up.",
  objectDone: '{name}: {changes, plural, =0 {no changes} one {# change} other {# changes}}.',
  objectFailed: '{name}: {reason}',
  itemsFailed:
    "{count, plural, one {# item} other {# items}} couldn't be read. The next session tries again.",
  versionUnread: "Version {version} of {name} couldn't be read. {reason}",
  versionsUnlisted: "The earlier versions of {name} couldn't be read. {reason}",
  moreVersionsUnread:
    "{count, plural, one {# more version} other {# more versions}} couldn't be read.",
  kept: '{count, plural, one {# item} other {# items}} disappeared suddenly and stay in the backup. Start the job yourself to confirm that they were deleted.',
  waiting: '{name} is waiting. {reason}',
  throttled: 'Waiting {minutes, plural, one {# minute} other {# minutes}}. {reason}',
  paused: 'The session pauses until the backup window opens.',
  cleanUpFirst: 'The session continues after the clean-up of the repository.',
  stopped: 'The session was stopped.',
  repository: "The repository couldn't be used. {reason}",
  organization: "The organization couldn't be read. {reason}",
  someFailed: '{failed} of {total} objects failed.',
  someWarned: '{warned} of {total} objects have warnings.',
  allFailed: 'Nothing could be backed up.',
  deletedJob: 'The job was deleted.',
  internal: 'An internal error occurred. The server log has the details.',
  running: 'A session of this job is already running.',
  unknownJob: "This job doesn't exist.",
  notRunning: 'No session of this job is running.',
  noSource: "This kind of object can't be backed up.",
  unreadableDescription: 'The description of a folder is unreadable.',
});
