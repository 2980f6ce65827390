import type { CauseN, CompanyN, Day, JobN, RunN } from '#contract/ids.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { withQuery } from '../with-query.ts';

/**
 * Filter of the results that a dashboard line opens. Both days are inclusive; no groups means all.
 */
export interface ResultsQuery {
  readonly days: readonly [first: Day, last: Day];
  readonly companies: readonly CompanyN[];
  readonly instructionTypes: readonly EntityGroup[];
  readonly states?: readonly RunState[];
  readonly cause?: CauseN;
  readonly job?: JobN;
  readonly run?: RunN;
  /** True: open problems, newest of each job. False: every run, whatever its review. */
  readonly pending?: boolean;
}

/** Returns the address of the run list with from, to and instructionType; `all` without a group. */
export function resultsAddress({
  days,
  companies,
  instructionTypes,
  states = [],
  cause,
  job,
  run,
  pending = false,
}: ResultsQuery): string {
  const params = cardParams({ days, instructionTypes });
  if (!pending) {
    params.set('review', 'any');
    params.set('rows', 'runs');
  }
  if (states.length > 0) params.set('state', states.join());
  if (companies.length > 0) params.set('company', companies.join());
  if (cause !== undefined) params.set('cause', String(cause));
  if (job !== undefined) {
    params.set('job', String(job));
    params.set('order', 'newest');
  }
  if (run !== undefined) params.set('run', String(run));
  return withQuery(LIST, params);
}

/** Returns the parameters that every card title passes on. */
export const cardParams = ({
  days: [from, to],
  instructionTypes,
}: Pick<ResultsQuery, 'days' | 'instructionTypes'>): URLSearchParams =>
  new URLSearchParams({
    from,
    to,
    instructionType: instructionTypes.length === 0 ? 'all' : instructionTypes.join(),
  });

/** Returns the address of matching results, whatever their review. */
export const searchAddress = (text: string): string =>
  withQuery(LIST, new URLSearchParams({ review: 'any', q: text.trim() }));

const LIST = '/monitoring/daily-checks';
