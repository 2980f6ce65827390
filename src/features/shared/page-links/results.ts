import type { CauseN, CompanyN, Day, JobN, RunN } from '#contract/ids.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { EntityGroup } from '#contract/runs/vocabulary.ts';
import { withQuery } from '../with-query.ts';

/**
 * What of the results a line of the dashboard opens. Both days are included; no groups are all of
 * them.
 */
export interface ResultsQuery {
  readonly days: readonly [first: Day, last: Day];
  readonly companies: readonly CompanyN[];
  readonly instructionTypes: readonly EntityGroup[];
  readonly states?: readonly RunState[];
  readonly cause?: CauseN;
  readonly job?: JobN;
  readonly run?: RunN;
  /** True: what is to be checked, newest of each job. False: every run, whatever its review. */
  readonly pending?: boolean;
}

/**
 * The list of results, with from, to and instructionType: `all` where no group is meant rather than
 * another.
 */
export function listAddress({
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

/** What the title of every card passes on. */
export const cardParams = ({
  days: [from, to],
  instructionTypes,
}: Pick<ResultsQuery, 'days' | 'instructionTypes'>): URLSearchParams =>
  new URLSearchParams({
    from,
    to,
    instructionType: instructionTypes.length === 0 ? 'all' : instructionTypes.join(),
  });

/** The list of what matches, whatever its review. */
export const searchAddress = (text: string): string =>
  withQuery(LIST, new URLSearchParams({ review: 'any', q: text.trim() }));

const LIST = '/monitoring/daily-checks';
