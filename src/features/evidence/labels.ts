import type { Evidence } from '#contract/daily-checks/operator-calls.ts';
import { RUN_STATES } from '#contract/runs/query.ts';
import type { RunState } from '#contract/runs/query.ts';
import { STATES } from '#src/ui/states.ts';
import { evidenceMessages as t } from './messages.en.ts';

export const ACTION_NAMES: Readonly<Record<Evidence['what'], string>> = {
  reviewed: t.reviewed,
  reopened: t.reopened,
  snoozed: t.snoozed,
  unsnoozed: t.snoozeEnded,
  noted: t.noted,
  ticketLinked: t.ticketLinked,
  markedNormal: t.markedNormal,
  ignored: t.ignored,
  unignored: t.unignored,
};

/**
 * Returns the state as lists show it; null if it is not a state of a result: a disabled job, or a
 * job without a problem.
 */
export const getEvidenceState = ({ state }: Pick<Evidence, 'state'>): RunState | null =>
  RUN_STATES.find((one) => one === state) ?? null;

/** Returns the state as text: `Did not run`, `Disabled`, or empty. */
export const stateWord = (one: Pick<Evidence, 'state'>): string => {
  const known = getEvidenceState(one);
  return known === null ? one.state : STATES[known].label;
};
