import type { ExportColumn, ExportColumnId, FileColumnId } from '../runs/csv.ts';

const STATE_WORDS = {
  Failed: 'Failed',
  Error: 'Error',
  Missed: 'Did not run',
  Anomaly: 'Anomaly',
  Warning: 'Warning',
  Running: 'Running',
  Success: 'Success',
};
const REVIEW_WORDS = {
  pending: 'To check',
  snoozed: 'Snoozed',
  cleared: 'Cleared',
  none: 'Nothing wrong',
};
const KIND_WORDS = {
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
};

const OF: Readonly<Record<FileColumnId, Omit<ExportColumn, 'id'>>> = {
  state: { title: 'State', words: STATE_WORDS },
  streak: { title: 'Days of the problem' },
  company: { title: 'Company' },
  job: { title: 'Job' },
  computer: { title: 'Computer' },
  server: { title: 'Server' },
  source: { title: 'Source' },
  type: { title: 'Type' },
  managed: { title: 'Managed', words: { true: 'Yes', false: 'No', null: '' } },
  schedule: { title: 'Schedule' },
  kind: { title: 'Kind of problem', words: KIND_WORDS },
  cause: { title: 'Cause without its details' },
  message: { title: 'Cause' },
  started: { title: 'Started' },
  duration: { title: 'Duration' },
  usualDuration: { title: 'Typical duration' },
  bytes: { title: 'Transferred' },
  usualBytes: { title: 'Typically transferred' },
  lastGood: { title: 'Last good' },
  review: { title: 'Review', words: REVIEW_WORDS },
  reviewedBy: { title: 'Reviewed by' },
  reviewedAt: { title: 'Reviewed' },
  comment: { title: 'Comment' },
  snoozedUntil: { title: 'Snoozed until' },
  note: { title: 'Note' },
  ticket: { title: 'Ticket' },
  run: { title: 'Result' },
  level: { title: 'Level' },
  scheduledFor: { title: 'Scheduled for' },
  errorCount: { title: 'Errors' },
  warningCount: { title: 'Warnings' },
};
/** The same columns as in a file from the portal's list. */
const USUAL: readonly ExportColumnId[] = [
  'state',
  'streak',
  'company',
  'job',
  'schedule',
  'computer',
  'message',
  'kind',
  'started',
  'duration',
  'usualDuration',
  'bytes',
  'usualBytes',
  'lastGood',
  'ticket',
  'note',
  'review',
  'reviewedBy',
  'reviewedAt',
  'comment',
  'snoozedUntil',
];

/**
 * Returns the columns of a file with titles and labels, without duplicates. Defaults to the columns
 * of a file from the portal.
 */
export const reportColumns = <Id extends FileColumnId = ExportColumnId>(
  chosen?: readonly Id[],
): readonly ExportColumn<Id | ExportColumnId>[] =>
  [...new Set<Id | ExportColumnId>(chosen ?? USUAL)].map((id) => ({ id, ...OF[id] }));
