import { defineMessages } from '../i18n/messages.ts';

/** The columns of a file of results, and the words in their cells. */
export const resultColumns = defineMessages('result-columns', {
  state: 'State',
  streak: 'Days of the problem',
  company: 'Company',
  job: 'Job',
  computer: 'Computer',
  server: 'Server',
  source: 'Source',
  type: 'Type',
  managed: 'Managed',
  schedule: 'Schedule',
  kind: 'Kind of problem',
  cause: 'Cause without its details',
  message: 'Cause',
  started: 'Started',
  duration: 'Duration',
  usualDuration: 'Typical duration',
  bytes: 'Transferred',
  usualBytes: 'Typically transferred',
  lastGood: 'Last good',
  review: 'Review',
  reviewedBy: 'Reviewed by',
  reviewedAt: 'Reviewed',
  comment: 'Comment',
  snoozedUntil: 'Snoozed until',
  note: 'Note',
  ticket: 'Ticket',
  run: 'Result',
  level: 'Level',
  scheduledFor: 'Scheduled for',
  errorCount: 'Errors',
  warningCount: 'Warnings',
});

export const CSV_STATES = defineMessages('result-states', {
  Failed: 'Failed',
  Error: 'Error',
  Missed: 'Did not run',
  Anomaly: 'Anomaly',
  Warning: 'Warning',
  Running: 'Running',
  Success: 'Success',
});
export const CSV_REVIEWS = defineMessages('result-reviews', {
  pending: 'To check',
  snoozed: 'Snoozed',
  cleared: 'Cleared',
  none: 'Nothing wrong',
});
export const CSV_KINDS = defineMessages('result-kinds', {
  connection: 'Connection',
  snapshot: 'Snapshot',
  silent: 'Agent silent',
  space: 'Space',
  partial: 'Partial',
  unusual: 'Unusual size',
  access: 'Access',
  locked: 'Locked',
  integrity: 'Integrity',
  cancelled: 'Canceled',
  other: 'Other',
});
export const MANAGED = defineMessages('result-managed', { true: 'Yes', false: 'No', null: '' });
