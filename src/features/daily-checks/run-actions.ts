import type { Failure } from '#contract/errors.ts';
import type { RunN } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Change } from '#contract/runs/change.ts';
import type { RunView } from '#contract/runs/query.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { formatWhen, plural } from '#src/ui/format.ts';
import { batches } from './selection.ts';

export interface Act {
  readonly change: Change;
  readonly runs: readonly RunN[];
}

/**
 * Sends changes in order: one run by its own call, more together, at most `bulkRuns` a command.
 * Stops at the first that fails.
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
 * What takes a change back. Notes and snoozes that stood before come back where their rows were
 * seen; null where one may be lost.
 */
export function undoOf(
  { change, runs }: Act,
  before: ReadonlyMap<RunN, RunView>,
): readonly Act[] | null {
  switch (change.is) {
    case 'review':
    case 'not-anomaly':
      return [{ change: { is: 'reopen' }, runs }];
    case 'reopen':
      return [{ change: { is: 'review', comment: onlyComment(runs, before) }, runs }];
    case 'snooze':
    case 'wake':
      return regroup(runs, (n) => {
        const snooze = before.get(n)?.problem?.snooze;
        return snooze
          ? { is: 'snooze', until: snooze.until, reason: snooze.reason }
          : { is: 'wake' };
      });
    case 'note':
      if (runs.some((n) => !before.has(n))) return null;
      return regroup(runs, (n) => ({
        is: 'note',
        content: before.get(n)?.problem?.note?.content ?? null,
      }));
    case 'ticket':
      // One that is kept here is let go of for good: its number alone would not bring it back.
      if (runs.some((n) => !before.has(n) || before.get(n)?.problem?.tied)) return null;
      return regroup(runs, (n) => ({
        is: 'ticket',
        ticket: before.get(n)?.problem?.ticket ?? null,
      }));
  }
}

/**
 * What is still one's own to take back: where a colleague's review was first, it stands. `seen`:
 * rows as they are by now.
 */
export const ownOf = (
  back: readonly Act[],
  seen: ReadonlyMap<RunN, RunView>,
  me: string,
): readonly Act[] =>
  back.map(({ change, runs }) => ({
    change,
    runs:
      change.is === 'reopen'
        ? runs.filter((n) => (seen.get(n)?.problem?.review?.by ?? me) === me)
        : runs,
  }));

/** `13 reviewed`; of one run its name: `Reviewed: SQL nightly, Aldergate Vets`. */
export function toldOf({ change, runs }: Act, row: RunView | undefined, zone: string): string {
  const one = runs.length === 1 && row ? `: ${row.jobName}, ${row.companyName}` : '';
  const count = plural(runs.length, '', '').trim();
  const say = (word: string, rest = ''): string =>
    one === ''
      ? `${count} ${word}${rest}`
      : `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}${rest}${one}`;
  switch (change.is) {
    case 'review':
      return say('reviewed');
    case 'reopen':
      return say('open again');
    case 'snooze':
      return say('snoozed', ` until ${formatWhen(change.until, zone)}`);
    case 'wake':
      return say('awake again');
    case 'note':
      return change.content === null ? say('without a note') : say('noted');
    case 'ticket':
      return change.ticket === null
        ? say('without a ticket')
        : say('tied', ` to ticket ${change.ticket}`);
    case 'not-anomaly':
      return say('called usual');
  }
}

const onlyComment = (runs: readonly RunN[], before: ReadonlyMap<RunN, RunView>): string | null =>
  runs.length === 1 && runs[0] !== undefined
    ? (before.get(runs[0])?.problem?.review?.comment ?? null)
    : null;

function regroup(runs: readonly RunN[], changeOf: (n: RunN) => Change): readonly Act[] {
  const groups = new Map<string, { change: Change; runs: RunN[] }>();
  for (const n of runs) {
    const change = changeOf(n);
    const key = JSON.stringify(change);
    const group = groups.get(key) ?? { change, runs: [] };
    groups.set(key, group);
    group.runs.push(n);
  }
  return [...groups.values()];
}
