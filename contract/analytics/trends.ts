import type { CompanyN, Day, Ms } from '../ids.ts';
import type { Tally } from '../dashboard/overview.ts';
import type { JobType, Source } from '../runs/vocabulary.ts';

/** The dimensions by which trends can be grouped. */
export type TrendBy = 'company' | 'type' | 'source';

/**
 * A query for failures and warnings. `from` and `to` follow the rules of the dashboard. Empty lists
 * mean "all". `by` selects the dimension of the daily series.
 */
export interface TrendsQuery {
  readonly from: Ms;
  readonly to: Ms;
  readonly companies: readonly CompanyN[];
  readonly sources: readonly Source[];
  readonly types: readonly JobType[];
  readonly by: TrendBy;
}

export type TrendTally = Omit<Tally, 'bytes' | 'judged' | 'good'>;
export interface TrendDay {
  readonly day: Day;
  readonly from: Ms;
  readonly runs: number;
  readonly failures: number;
  readonly warnings: number;
  readonly missed: number;
}
/** `key`: the number of the company, or the type, or the source. */
export interface TrendPart {
  readonly key: string;
  readonly name: string;
  readonly now: TrendTally;
  readonly before: TrendTally;
}

/** Parts with the most failures and warnings come first. `failures` include errors. */
export interface Trends {
  readonly now: TrendTally;
  readonly before: TrendTally;
  /** Whether all of the period, and all of the previous period, is on this device. */
  readonly whole: { readonly now: boolean; readonly before: boolean };
  readonly days: readonly TrendDay[];
  readonly daysBefore: readonly TrendDay[];
  readonly parts: Readonly<Record<TrendBy, readonly TrendPart[]>>;
  /** The worst ten of `by`, with one number per day. */
  readonly series: readonly {
    readonly key: string;
    readonly failures: readonly number[];
    readonly warnings: readonly number[];
  }[];
  readonly version: number;
}

/** Maximum number of daily series. */
export const TREND_SERIES = 10;
