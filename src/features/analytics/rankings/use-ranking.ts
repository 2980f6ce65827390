import type { Failure } from '#contract/errors.ts';
import type { CompanyN, Ms } from '#contract/ids.ts';
import type { Overview, Ranked } from '#contract/dashboard/overview.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { RankingMeasure, RankingsPlace } from './address.ts';

/** A line of a ranking. `job` is null in answers of the server, which identifies jobs by `uid`. */
export interface RankedLine {
  readonly key: string;
  readonly job: number | null;
  readonly jobName: string;
  readonly company: CompanyN;
  readonly companyName: string;
  readonly value: number;
}

export interface RankingResult {
  readonly lines: readonly RankedLine[] | null;
  readonly from: 'device' | 'server';
  readonly at: Ms | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/** Maximum number of ranked jobs. */
export const RANKED = 100;
const CALLS = {
  failures: 'rankFailures',
  duration: 'rankDuration',
  transferred: 'rankTransferred',
} as const;

/**
 * TREND-4: this device ranks the days that it stores, by company. Longer periods, sources and types
 * are requested from the server.
 */
export function useRanking(
  { companies, sources, types, measure }: RankingsPlace,
  { from, to }: { readonly from: Ms; readonly to: Ms },
  on: boolean,
): RankingResult {
  const own = useWatch('overview', { from, to, companies, instructionTypes: [], ranked: RANKED });
  const status = useWatch('status', EMPTY);
  const settled = own !== undefined && status !== undefined;
  const here = own?.whole === true && sources.length + types.length === 0;
  const question = {
    from: iso(from),
    to: iso(to),
    limit: String(RANKED),
    filters: JSON.stringify({ companyIds: companies, source: sources, type: types }),
  };
  const request = useCachedQuery(CALLS[measure], question, { wanted: on && settled && !here });
  if (here)
    return {
      lines: getLines(own, measure),
      from: 'device',
      at: null,
      failure: null,
      isLoading: false,
      again: request.again,
    };
  return {
    lines:
      request.value?.map(({ jobInstanceUid, jobName, company, companyName, value }) => ({
        key: `${company} ${jobInstanceUid}`,
        job: null,
        jobName,
        company,
        companyName,
        value,
      })) ?? null,
    from: 'server',
    at: request.at,
    failure: on && settled ? request.failure : null,
    isLoading: request.isLoading,
    again: request.again,
  };
}

const getLines = (own: Overview, measure: RankingMeasure): readonly RankedLine[] =>
  ({ failures: own.mostFailures, duration: own.longest, transferred: own.mostTransferred })[
    measure
  ].map(({ job, jobName, company, companyName, value }: Ranked) => ({
    key: String(job),
    job,
    jobName,
    company,
    companyName,
    value,
  }));

const EMPTY = {};
const iso = (at: Ms): string => new Date(at).toISOString();
