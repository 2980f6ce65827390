import { formatTenths } from '#src/ui/format.ts';
import type { RunState } from '#contract/runs/query.ts';
import type { TrendTally } from '#contract/analytics/trends.ts';
import { trendMessages as t } from './messages.en.ts';

/** The states that each figure counts, as in the run list. */
export const FAILED: readonly RunState[] = ['Failed', 'Error'];
export const WARNED: readonly RunState[] = ['Warning'];
export const MISSED: readonly RunState[] = ['Missed'];
export const BAD: readonly RunState[] = [...FAILED, ...WARNED];

/** `Calculated on this device`, `From the server at 10:02 AM`. */
export const fromWords = (from: 'device' | 'server', at: string | null): string =>
  from === 'device' ? t.fromDevice : at === null ? t.fromServer : t.fromServerAt({ time: at });

/**
 * Returns the share of failures, 0 to 1, among runs that ended or should have run. Null if there
 * were none.
 */
export function failureRate({
  success,
  warning,
  anomaly,
  failed,
  missed,
}: TrendTally): number | null {
  const ended = success + warning + anomaly + failed + missed;
  return ended === 0 ? null : failed / ended;
}

/** `3.2 %`; never rounds a positive rate to zero. */
export const rateWords = (rate: number): string =>
  rate > 0 && rate < 0.001
    ? t.rateSmall({ percent: formatTenths(1) })
    : t.rate({ percent: formatTenths(Math.round(rate * 1000)) });
