import {
  isAnomaly,
  managedCode,
  runAt,
  sourceCode,
  statusCode,
  typeCode,
  viewColumns,
} from '#contract/runs/columns.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { JOB_TYPES, SOURCES, STATUSES } from '#contract/runs/vocabulary.ts';
import { BENCH_NOW } from '../now.ts';
import type { BenchData } from '../data.ts';
import type { PlainRow } from './questions.ts';

/**
 * The obvious reading of a run, for the peers and for the truth that all answers are held against.
 */
export function plainRow(
  run: LeanRun,
  data: Pick<BenchData, 'jobs' | 'companies'>,
  problem: ProblemRow | undefined,
): PlainRow {
  const job = data.jobs[run.job - 1];
  const company = data.companies[run.company - 1];
  const status = STATUSES[statusCode(run.kind)] ?? 'Success';
  return {
    n: run.n,
    job: run.job,
    company: run.company,
    startSec: run.startSec,
    elapsedSec: run.elapsedSec,
    bytes: run.bytes,
    state: status === 'Success' && isAnomaly(run.kind) ? 'Anomaly' : status,
    source: SOURCES[sourceCode(run.kind)] ?? '',
    type: JOB_TYPES[typeCode(run.kind)] ?? '',
    managed: managedCode(run.kind),
    review: getReview(problem),
    message: run.message,
    text: [job?.name, job?.computer, company?.name, run.message]
      .filter(Boolean)
      .join('\n')
      .toLowerCase(),
  };
}

function getReview(problem: ProblemRow | undefined): string {
  if (!problem) return 'none';
  if (problem.review !== null) return 'cleared';
  if (problem.closedAt !== null) return 'none';
  return problem.snooze !== null && problem.snooze.until > BENCH_NOW ? 'snoozed' : 'pending';
}

export const leanRuns = (data: BenchData): LeanRun[] =>
  data.pages.flatMap((page) => {
    const columns = viewColumns(page.buffer);
    return Array.from({ length: columns.rows }, (_, row) => runAt(columns, row));
  });

export const plainRows = (data: BenchData): PlainRow[] =>
  leanRuns(data).map((run) =>
    plainRow(run, data, run.problem === null ? undefined : data.problems[run.problem - 1]),
  );
