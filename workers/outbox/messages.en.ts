import { defineMessages } from '#contract/i18n/messages.ts';

/** Changes that wait to be sent. */
export const outboxMessages = defineMessages('outbox', {
  change: 'Change',
  review: 'Review {count, plural, one {# result} other {# results}}',
  reopen: 'Reopen {count, plural, one {# result} other {# results}}',
  note: 'Note on {count, plural, one {# result} other {# results}}',
  snooze: 'Snooze {count, plural, one {# result} other {# results}}',
  unsnooze: 'End snooze of {count, plural, one {# result} other {# results}}',
  ticket: 'Ticket for {count, plural, one {# result} other {# results}}',
  markNormal: 'Mark {count, plural, one {# result} other {# results}} as normal',
  saveView: 'Save the view “{name}”',
  removeView: 'Delete a view',
  endShift: 'Hand over shift',
  prefer: 'Save a preference',
  pinCompany: 'Pin a company',
  unpinCompany: 'Unpin a company',
  enableBackupJob: 'Enable a backup job',
  disableBackupJob: 'Disable a backup job',
  damagedChange: 'Change {number} of this device',
  damaged: "Damaged on this device. It can't be sent.",
  reasonDamaged: "The server didn't accept it. The reason was damaged on this device.",
  noticeDamaged:
    'A notice about one of your changes was damaged on this device. Check your latest changes.',
  differentReasons: '{count} different reasons.',
});
