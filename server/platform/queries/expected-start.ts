import type { Ms } from '#contract/ids.ts';
import { getExpectation } from '#contract/problems/expectation.ts';
import type { JobRow, StatRow } from '#contract/runs/rows.ts';
import { cronNext } from '../jobs/cron.ts';

/**
 * Returns when the job is expected to start next, by its schedule or its cadence; null if unknown
 * or running.
 */
export const getExpected = (job: JobRow, stat: StatRow): Ms | null =>
  getExpectation(job, stat, 0, cronNext)?.at ?? null;
