import type { Failure } from '#contract/errors.ts';
import type { RunN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Change } from '#contract/runs/change.ts';
import type { RunView } from '#contract/runs/query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { formatCount, formatWhen } from '#src/ui/format.ts';
import { batches } from './selection.ts';
import { dailyChecksMessages as t } from './messages.en.ts';

export interface Act {
  readonly change: Change;
  readonly runs: readonly RunN[];
}

/**
 * Sends changes in order: `changeExecution` for one run, `changeExecutions` for several, with at
 * most `bulkRuns` each. Stops at the first failure and returns it.
 */
export async function perform(acts: readonly Act[]): Promise<Failure | null> {
  for (const { change, runs } of acts) {
    for (const ids of batches(runs, LIMITS.bulkRuns)) {
      const [first] = ids;
      const sent =
        ids.length === 1 && first !== undefined
          ? await client().send('changeExecution', { id: String(first), change })
          : await client().send('changeExecutions', { ids: [...ids], change });
      if (!sent.ok) return sent.failure;
    }
  }
  return null;
}

/**
 * Returns the changes that undo `act`. Earlier notes and snoozes are restored from rows that were
 * seen. Null if one could be lost.
 */
export function getUndoActions(
  { change, runs }: Act,
  before: ReadonlyMap<RunN, RunView>,
): readonly Act[] | null {
  switch (change.kind) {
    case 'review':
    case 'not-anomaly':
      return [{ change: { kind: 'reopen' }, runs }];
    case 'reopen':
      return [{ change: { kind: 'review', comment: onlyComment(runs, before) }, runs }];
    case 'snooze':
    case 'unsnooze':
      return regroup(runs, (n) => {
        const snooze = before.get(n)?.problem?.snooze;
        return snooze
          ? { kind: 'snooze', until: snooze.until, reason: snooze.reason }
          : { kind: 'unsnooze' };
      });
    case 'note':
      if (runs.some((n) => !before.has(n))) return null;
      return regroup(runs, (n) => ({
        kind: 'note',
        content: before.get(n)?.problem?.note?.content ?? null,
      }));
    case 'ticket':
      // A linked ticket cannot be restored from its number alone.
      if (runs.some((n) => !before.has(n) || before.get(n)?.problem?.linkedTicket)) return null;
      return regroup(runs, (n) => ({
        kind: 'ticket',
        ticket: before.get(n)?.problem?.ticket ?? null,
      }));
  }
}

/**
 * Returns only changes that the user may still undo: a colleague's earlier review stays. `seen`:
 * the rows as they are now.
 */
export const listOwnActions = (
  back: readonly Act[],
  seen: ReadonlyMap<RunN, RunView>,
  me: string,
): readonly Act[] =>
  back.map(({ change, runs }) => ({
    change,
    runs:
      change.kind === 'reopen'
        ? runs.filter((n) => (seen.get(n)?.problem?.review?.by ?? me) === me)
        : runs,
  }));

/** `13 reviewed`; for a single run with its name: `Reviewed: SQL nightly, Aldergate Vets`. */
export function getToastText(
  { change, runs }: Act,
  row: RunView | undefined,
  zone: string,
): string {
  const count = runs.length;
  if (count === 1 && row) {
    const run = t.jobOfCompany({ job: row.jobName, company: row.companyName });
    switch (change.kind) {
      case 'review':
        return t.runReviewed({ run });
      case 'reopen':
        return t.runReopened({ run });
      case 'snooze':
        return t.runSnoozed({ run, until: formatWhen(change.until, zone) });
      case 'unsnooze':
        return t.runSnoozeEnded({ run });
      case 'note':
        return change.content === null ? t.runNoteDeleted({ run }) : t.runNoted({ run });
      case 'ticket':
        return change.ticket === null
          ? t.runTicketUnlinked({ run })
          : t.runTicketLinked({ run, ticket: change.ticket });
      case 'not-anomaly':
        return t.runMarkedNormal({ run });
    }
  }
  switch (change.kind) {
    case 'review':
      return t.runsReviewed({ count: formatCount(count) });
    case 'reopen':
      return t.runsReopened({ count: formatCount(count) });
    case 'snooze':
      return t.runsSnoozed({ count: formatCount(count), until: formatWhen(change.until, zone) });
    case 'unsnooze':
      return t.runsSnoozeEnded({ count });
    case 'note':
      return change.content === null ? t.runsNoteDeleted({ count }) : t.runsNoted({ count });
    case 'ticket':
      return change.ticket === null
        ? t.runsTicketUnlinked({ count })
        : t.runsTicketLinked({ count, ticket: change.ticket });
    case 'not-anomaly':
      return t.runsMarkedNormal({ count: formatCount(count) });
  }
}

const onlyComment = (runs: readonly RunN[], before: ReadonlyMap<RunN, RunView>): string | null =>
  runs.length === 1 && runs[0] !== undefined
    ? (before.get(runs[0])?.problem?.review?.comment ?? null)
    : null;

function regroup(runs: readonly RunN[], getChange: (n: RunN) => Change): readonly Act[] {
  const groups = new Map<string, { change: Change; runs: RunN[] }>();
  for (const n of runs) {
    const change = getChange(n);
    const key = JSON.stringify(change);
    const group = groups.get(key) ?? { change, runs: [] };
    groups.set(key, group);
    group.runs.push(n);
  }
  return [...groups.values()];
}
