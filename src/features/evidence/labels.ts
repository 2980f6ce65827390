import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunState } from '#contract/runs/query.ts';
import { STATES } from '#src/ui/states.ts';

export const DEED_WORDS: Readonly<Record<Evidence['what'], string>> = {
  'reviewed': 'Reviewed',
  'reopened': 'Opened again',
  'snoozed': 'Snoozed',
  'woken': 'Snooze ended',
  'noted': 'Noted',
  'ticketed': 'Ticket',
  'called usual': 'Called usual',
  'ignored': 'Ignored',
  'heeded': 'Heeded again',
};

/**
 * The state as lists tell it; null where it is none of a result: a disabled job, or a job that had
 * no problem.
 */
export const stateOf = ({ state }: Pick<Evidence, 'state'>): RunState | null =>
  RUN_STATES.find((one) => one === state) ?? null;

/** The state in words: `Did not run`, `Disabled`, empty. */
export const stateWord = (one: Pick<Evidence, 'state'>): string => {
  const known = stateOf(one);
  return known === null ? one.state : STATES[known].word;
};
