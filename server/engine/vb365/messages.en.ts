import { defineMessages } from '#contract/i18n/messages.ts';

/** What Daybook says of a server, and of sessions that it gives no reason for. */
export const vb365Messages = defineMessages('vb365', {
  noVersion:
    '{host} has neither version 8 nor version 7 of the REST API of Veeam Backup for Microsoft 365.',
  missing: "{host} doesn't have this.",
  stopped: 'The session was stopped.',
  disconnected: 'The backup proxy was disconnected during the session.',
  noReason: 'The server gave no reason.',
  notImported: 'This organization was not imported from a server.',
  organizationGone: 'The server no longer has the organization {name}.',
  sealedByOther: "The password of the server can't be opened. Import its organizations again.",
  sessionGone: 'The server no longer has this session.',
  wrongPage: "This page doesn't exist.",
  unknownRepository: 'The server no longer has this repository.',
  unknownJob: 'The server no longer has this job.',
  noSessionYet: "The server started the job and doesn't show its session yet.",
  otherForm: 'The server sent an unexpected response.',
  nameTaken: 'Another job of the Veeam server has this name.',
  creatingNow: 'A job with this name is being created. Try again in a moment.',
  repositoryNameTaken: 'A repository with this name already exists on the Veeam server.',
  creatingRepository: 'A repository with this name is being created. Try again in a moment.',
  savingRepository: 'The repository is being saved. Try again in a moment.',
  removedWithRetention:
    'The removed repository {name} left backups here with a retention of {retention}. A new repository can have a shorter one from {when}. Until then, choose at least this retention, or another place.',
  removedWithType:
    'The removed repository {name} left backups here with another retention type. A new repository can have a different type from {when}. Until then, choose the same type, or another place.',
  days: '{count, plural, one {# day} other {# days}}',
  months: '{count, plural, one {# month} other {# months}}',
  years: '{count, plural, one {# year} other {# years}}',
  forever: 'unlimited time',
  repositoryChangedThere:
    'The repository has changed on the Veeam server. Open it again to see the changes.',
  repositoryUsedThere:
    'Jobs on the Veeam server use this repository: {jobs}. Delete them or choose another repository for them first.',
  archive: 'This repository only takes copies of backups, so no backup job can use it.',
  noObjectStorage:
    "This Veeam server doesn't let repositories share an object storage. Create the repository on the server, and add it here.",
  notShortened: "The retention of a repository of {organization} couldn't be shortened: {reason}",
  changedThere:
    'The job has changed on the Veeam server. Open it again in a few seconds to see the changes.',
  noHours12: "This Veeam server can't run a job every 12 hours. Choose a shorter period.",
  otherDays:
    'On the clock of the Veeam server, this time is on another day. Choose another time, every day, or a single day.',
  unknownItem: 'The organization no longer has one of these items. Remove it.',
  readOnly:
    'Veeam Backup for Microsoft 365 manages this organization. Make this change on its server.',
});
