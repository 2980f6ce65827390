import type { CompanyN, Day, Ms } from '../ids.ts';
import type { Tally } from '../dashboard/overview.ts';
import type { JobType, Source } from '../runs/vocabulary.ts';

/** What the parts of a time are told by. */
export type TrendBy = 'company' | 'type' | 'source';

/**
 * Failures and warnings of a time: `from` and `to` as of the dashboard. Empty lists mean "all".
 * `by`: whose days are told one by one.
 */
export interface TrendsAsk {
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

/** Most failures and warnings first. `failures` hold errors. */
export interface Trends {
  readonly now: TrendTally;
  readonly before: TrendTally;
  /** Whether all of the time, and all of the time before, is on this device. */
  readonly whole: { readonly now: boolean; readonly before: boolean };
  readonly days: readonly TrendDay[];
  readonly daysBefore: readonly TrendDay[];
  readonly parts: Readonly<Record<TrendBy, readonly TrendPart[]>>;
  /** The worst ten of `by`, a number for each day. */
  readonly series: readonly {
    readonly key: string;
    readonly failures: readonly number[];
    readonly warnings: readonly number[];
  }[];
  readonly version: number;
}

/** So many parts have their days told one by one. */
export const TREND_SERIES = 10;
