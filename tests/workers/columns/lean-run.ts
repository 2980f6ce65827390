import type { LeanRun } from '#contract/runs/columns.ts';

/** Returns a run of the first job, with the given values. */
export const run = (n: number, more: Partial<LeanRun> = {}): LeanRun => ({
  n,
  job: 1,
  company: 1,
  problem: null,
  startSec: 1_000 + n,
  elapsedSec: 1,
  bytes: 1,
  kind: 1,
  message: null,
  ...more,
});
