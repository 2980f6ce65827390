import { defineMessages } from '#contract/i18n/messages.ts';

/** Imports of archives: results, and why one was refused. */
export const importMessages = defineMessages('imports', {
  looseMails: 'Imported mail',
  noRepository: "This repository doesn't exist.",
  noMailbox: "This imported mailbox doesn't exist. Choose another, or enter a name for a new one.",
  noImport: "This import doesn't exist.",
  tooLarge: 'The archive is larger than {max}. Split it, and import its parts one by one.',
  noRoom: 'The server has no room for this archive. Try again later, or contact your provider.',
  tooMany: "You've reached the limit of {max} unfinished imports. Wait for one to end, or stop it.",
  uploaded: 'The archive is already uploaded.',
  ended: 'This import has already ended.',
  stopped: 'The import was stopped. What was imported before is in the restore point.',
  cancelled: 'The import was stopped before anything was imported.',
  abandoned: 'The upload was never finished, so the archive was deleted.',
  lostFile: 'The uploaded archive is no longer on the server. Start a new import.',
  unknown: 'This file is not an archive that can be imported.',
  damaged: 'The archive is damaged. What could be read was imported.',
  damagedFully: 'The archive is damaged. Nothing in it could be read.',
  empty: 'The archive has no mail.',
  nothingNew: 'The mailbox already had all mail of this archive.',
  someLeft:
    '{count, plural, one {# entry was not imported} other {# entries were not imported}}. The results say why.',
  repository: "The repository couldn't be used. {reason}",
  skippedOther: 'Not an email.',
  skippedEncrypted: 'Encrypted. Unpack it with its password, and import it again.',
  skippedTooLarge: 'Larger than an email can be.',
  skippedPacked: 'An archive in the archive. Unpack it, and import it on its own.',
  skippedOld: 'Older than this repository keeps items.',
  failedDamaged: 'Damaged in the archive.',
  failedUnreadable: "Its content can't be read.",
  failedLost: 'It took too long to read, or too much memory.',
});
