import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Trends } from '#contract/analytics/trends.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { TrendsPlace } from './address.ts';
import { toTrends } from './server-trends.ts';

/**
 * The trend data and its origin. `from`: this device if it stores all days, otherwise the server,
 * with the time `at`. `failure`: why the server request failed. `isLoading`: a request is running. Null:
 * the data is not known yet or not available.
 */
export interface TrendsResult {
  readonly trends: Trends | null;
  readonly from: 'device' | 'server';
  readonly at: Ms | null;
  readonly compared: boolean;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/**
 * TREND-3: from this device if it stores the period and the previous one, otherwise from the
 * server. Until the server answers, the device's data is shown.
 */
export function useTrends(
  { companies, sources, types, by }: TrendsPlace,
  { from, to }: { readonly from: Ms; readonly to: Ms },
  on: boolean,
): TrendsResult {
  const own = useWatch('trends', { from, to, companies, sources, types, by });
  const status = useWatch('status', EMPTY);
  const settled = own !== undefined && status !== undefined;
  const here = own?.whole.now === true;
  const wanted = on && settled && !(here && own.whole.before);
  const question = {
    from: iso(from),
    to: iso(to),
    filters: JSON.stringify({ companyIds: companies, source: sources, type: types }),
  };
  const parts = useCachedQuery('analytics', question, { wanted });
  const chart = useCachedQuery('chartFailures', { ...question, by }, { wanted });
  const failure = wanted ? (parts.failure ?? chart.failure) : null;
  const again = (): void => {
    parts.again();
    chart.again();
  };
  if (wanted && parts.value !== null && chart.value !== null) {
    return {
      trends: toTrends(parts.value, chart.value),
      from: 'server',
      at: parts.at,
      compared: true,
      failure,
      isLoading: parts.isLoading || chart.isLoading,
      again,
    };
  }
  return {
    trends: here ? own : null,
    from: 'device',
    at: null,
    compared: own?.whole.before === true,
    failure,
    isLoading: !settled || (wanted && failure === null),
    again,
  };
}

const EMPTY = {};
const iso = (at: Ms): string => new Date(at).toISOString();
