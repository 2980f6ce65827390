import type { Ms } from '#contract/ids.ts';
import type { ReviewState, RunView } from '#contract/runs/query.ts';
import { SOURCE_NAMES } from '#contract/runs/vocabulary.ts';
import type { EntityGroup, JobType, ProblemKind } from '#contract/runs/vocabulary.ts';
import { formatDate, formatTime, formatWhen } from '#src/ui/format.ts';
import { STATES } from '#src/ui/states.ts';

export const REVIEW_WORDS: Readonly<Record<ReviewState, string>> = {
  pending: 'To check',
  snoozed: 'Snoozed',
  cleared: 'Cleared',
  none: 'Nothing wrong',
};

export const KIND_WORDS: Readonly<Record<ProblemKind, string>> = {
  connection: 'Connection',
  snapshot: 'Snapshot',
  silent: 'Agent silent',
  space: 'Space',
  partial: 'Partial',
  unusual: 'Unusual size',
  access: 'Access',
  locked: 'Locked',
  integrity: 'Integrity',
  cancelled: 'Cancelled',
  other: 'Other',
};

export const SOURCE_WORDS = SOURCE_NAMES;

export const TYPE_WORDS: Readonly<Record<JobType, string>> = {
  Backup: 'Backup',
  BackupCopy: 'Backup copy',
  Replication: 'Replication',
  Tape: 'Tape',
  FileShare: 'File share',
  ObjectStorage: 'Object storage',
  Agent: 'Agent',
  M365: 'Microsoft 365',
  Snapshot: 'Snapshot',
  SureBackup: 'SureBackup',
  LogBackup: 'Log backup',
  Copy: 'Copy',
  Archive: 'Archive',
  Sync: 'Sync',
  Other: 'Other',
};

export const ENTITY_GROUP_WORDS: Readonly<Record<EntityGroup, string>> = {
  'managed-servers': 'Managed servers',
  'monitored-agents': 'Monitored agents',
  'managed-agents': 'Managed agents',
  'office365': 'Microsoft 365',
  'public-cloud-vms': 'Public cloud VMs',
  'file-share-jobs': 'File share jobs',
  'other': 'Other',
};

/** `new`, `day 2`; empty where nothing is wrong. */
export const streakOf = (row: RunView): string =>
  row.problem === null ? '' : row.problem.day <= 1 ? 'new' : `day ${row.problem.day}`;

/** Dealt with: the row recedes. */
export const isDone = (row: RunView): boolean =>
  row.problem !== null && (row.review === 'cleared' || row.review === 'snoozed');

/** Known by a rule, counted as OK: never shown as what a person has cleared. */
export const isException = ({ review, problem }: RunView): boolean =>
  review === 'cleared' && problem?.review === null && problem.exception != null;

/** How a problem was dealt with: `Reviewed 07:44 AM by you`. Null where it was not. */
export function doneWords(row: RunView, me: string, now: Ms, zone: string): string | null {
  const { problem } = row;
  if (!problem || !isDone(row)) return null;
  const at = (when: Ms): string =>
    formatDate(when, zone) === formatDate(now, zone)
      ? formatTime(when, zone)
      : formatWhen(when, zone);
  const who = (by: { readonly by: string; readonly name: string }): string =>
    by.by === me ? 'you' : by.name;
  const known =
    problem.day > 1 && row.startedAt > (problem.review?.at ?? problem.snooze?.at ?? Infinity)
      ? `Known, day ${problem.day}. `
      : '';
  if (problem.review) return `${known}Reviewed ${at(problem.review.at)} by ${who(problem.review)}`;
  if (isException(row) && problem.exception)
    return `Exception: known by rule “${problem.exception.name}”, counts as OK`;
  if (row.review === 'snoozed' && problem.snooze)
    return `${known}Snoozed until ${formatWhen(problem.snooze.until, zone)} by ${who(problem.snooze)}`;
  return problem.closedAt === null ? 'Cleared' : `Over since ${at(problem.closedAt)}`;
}

/** What a screen reader says of a row. */
export function rowWords(row: RunView, me: string, now: Ms, zone: string): string {
  const done = doneWords(row, me, now, zone);
  const place = row.computer === '' ? row.jobName : `${row.jobName} on ${row.computer}`;
  return [
    STATES[row.state].word,
    streakOf(row),
    row.companyName,
    place,
    row.message ?? '',
    `started ${formatWhen(row.startedAt, zone)}`,
    done ?? '',
    row.waiting ? 'not sent yet' : '',
    row.problem?.note ? 'has a note' : '',
  ]
    .filter((word) => word !== '')
    .join(', ');
}
