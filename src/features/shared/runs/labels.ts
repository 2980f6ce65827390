import { formatList } from '#contract/i18n/list.ts';
import type { Ms } from '#contract/ids.ts';
import type { ReviewState, RunView } from '#contract/runs/query.ts';
import type { EntityGroup, JobType, ProblemKind } from '#contract/runs/vocabulary.ts';
import { formatDate, formatTime, formatWhen } from '#src/ui/format.ts';
import { STATES } from '#src/ui/states.ts';
import { runMessages as t } from './messages.en.ts';

export const REVIEW_WORDS: Readonly<Record<ReviewState, string>> = {
  pending: t.toCheck,
  snoozed: t.snoozed,
  cleared: t.cleared,
  none: t.nothingWrong,
};

export const PROBLEM_KIND_LABELS: Readonly<Record<ProblemKind, string>> = {
  connection: t.connection,
  snapshot: t.snapshot,
  silent: t.agentSilent,
  space: t.spaceKind,
  partial: t.partial,
  unusual: t.unusualSize,
  access: t.access,
  locked: t.locked,
  integrity: t.integrity,
  cancelled: t.canceled,
  other: t.other,
};

export const TYPE_WORDS: Readonly<Record<JobType, string>> = {
  Backup: t.backup,
  BackupCopy: t.backupCopy,
  Replication: t.replication,
  Tape: t.tape,
  FileShare: t.fileShare,
  ObjectStorage: t.objectStorage,
  Agent: t.agent,
  M365: t.microsoft365,
  Snapshot: t.snapshot,
  SureBackup: 'SureBackup',
  LogBackup: t.logBackup,
  Copy: t.copy,
  Archive: t.archive,
  Sync: t.sync,
  Other: t.other,
};

export const ENTITY_GROUP_WORDS: Readonly<Record<EntityGroup, string>> = {
  'managed-servers': t.managedServers,
  'monitored-agents': t.monitoredAgents,
  'managed-agents': t.managedAgents,
  'office365': t.microsoft365,
  'public-cloud-vms': t.publicCloudVms,
  'file-share-jobs': t.fileShareJobs,
  'other': t.other,
};

/** `new`, `day 2`; empty for successful runs. */
export const getStreakLabel = (row: RunView): string =>
  row.problem === null
    ? ''
    : row.problem.day <= 1
      ? t.newProblem
      : t.problemDay({ day: row.problem.day });

/** Returns whether the row is cleared; it is then muted. */
export const isDone = (row: RunView): boolean =>
  row.problem !== null && (row.review === 'cleared' || row.review === 'snoozed');

/**
 * Returns whether a rule counted the result as OK. Such results are never shown as cleared by a
 * user.
 */
export const isException = ({ review, problem }: RunView): boolean =>
  review === 'cleared' && problem?.review === null && problem.exception != null;

/** Returns how a problem was cleared: `Reviewed 07:44 AM by you`. Null if it is open. */
export function doneWords(row: RunView, me: string, now: Ms, zone: string): string | null {
  const { problem } = row;
  if (!problem || !isDone(row)) return null;
  const at = (when: Ms): string =>
    formatDate(when, zone) === formatDate(now, zone)
      ? formatTime(when, zone)
      : formatWhen(when, zone);
  const known =
    problem.day > 1 && row.startedAt > (problem.review?.at ?? problem.snooze?.at ?? Infinity)
      ? `${t.knownProblem({ day: problem.day })} `
      : '';
  if (problem.review) {
    const { by, name } = problem.review;
    const time = at(problem.review.at);
    return known + (by === me ? t.reviewedByYou({ time }) : t.reviewedBy({ time, name }));
  }
  if (isException(row) && problem.exception) return t.countsAsOk({ rule: problem.exception.name });
  if (row.review === 'snoozed' && problem.snooze) {
    const { by, name, until } = problem.snooze;
    const time = formatWhen(until, zone);
    return known + (by === me ? t.snoozedByYou({ time }) : t.snoozedBy({ time, name }));
  }
  return problem.closedAt === null ? t.cleared : t.endedAt({ time: at(problem.closedAt) });
}

/** Returns the screen reader label of a row. */
export function rowWords(row: RunView, me: string, now: Ms, zone: string): string {
  const done = doneWords(row, me, now, zone);
  const place =
    row.computer === ''
      ? row.jobName
      : t.jobOnComputer({ job: row.jobName, computer: row.computer });
  return formatList(
    [
      STATES[row.state].label,
      getStreakLabel(row),
      row.companyName,
      place,
      row.message ?? '',
      t.startedAt({ time: formatWhen(row.startedAt, zone) }),
      done ?? '',
      row.waiting ? t.notSentYet : '',
      row.problem?.note ? t.noteLabel : '',
    ].filter((word) => word !== ''),
    'plain',
  );
}
