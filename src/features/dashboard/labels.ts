import type { RunState } from '#contract/runs/query.ts';
import type { StatName } from './address.ts';

export const STAT_WORDS: Readonly<Record<StatName, string>> = {
  success: 'Success rate',
  failed: 'Failed',
  missed: 'Did not run',
  anomaly: 'Anomalies',
  unprotected: 'Unprotected computers',
};

/** The states that each figure counts, as in the run list; an empty list means all. */
export const STAT_STATES: Readonly<Record<Exclude<StatName, 'unprotected'>, readonly RunState[]>> =
  {
    success: [],
    failed: ['Failed', 'Error'],
    missed: ['Missed'],
    anomaly: ['Anomaly'],
  };
