import type { RunState } from '#contract/runs/query.ts';
import type { StatName } from './address.ts';
import { dashboardMessages as t } from './messages.en.ts';

export const statLabel = (name: StatName): string => t[LABELS[name]];
const LABELS = {
  success: 'successRate',
  failed: 'failed',
  missed: 'didNotRun',
  anomaly: 'anomalies',
  unprotected: 'unprotectedComputers',
} as const satisfies Readonly<Record<StatName, keyof typeof t>>;

/** The states that each figure counts, as in the run list; an empty list means all. */
export const STAT_STATES: Readonly<Record<Exclude<StatName, 'unprotected'>, readonly RunState[]>> =
  {
    success: [],
    failed: ['Failed', 'Error'],
    missed: ['Missed'],
    anomaly: ['Anomaly'],
  };
