import type { Bytes, CauseN, CompanyN, Day, JobN, Ms, RunN, Seconds } from '../ids.ts';
import type { RunState } from '../runs/query.ts';
import type { EntityGroup } from '../runs/vocabulary.ts';

/**
 * The dashboard's query. The page resolves the period: `from` inclusive, `to` exclusive, both at
 * the start of an operational day. Empty lists mean "all".
 */
export interface OverviewQuery {
  readonly from: Ms;
  readonly to: Ms;
  readonly companies: readonly CompanyN[];
  readonly instructionTypes: readonly EntityGroup[];
  /** Number of jobs in a ranking; default five. */
  readonly ranked?: number;
}

/**
 * Runs of a period by outcome. An anomaly is a success outside the typical range; `failed` includes
 * errors. `judged`: the base of the success rate, which is all results that ended or should have
 * run, of jobs that count (OVER-7). `good`: those of them that ended well.
 */
export interface Tally {
  readonly runs: number;
  readonly success: number;
  readonly warning: number;
  readonly failed: number;
  readonly missed: number;
  readonly anomaly: number;
  readonly running: number;
  readonly bytes: Bytes;
  readonly judged: number;
  readonly good: number;
}

export const NO_TALLY: Tally = {
  runs: 0,
  success: 0,
  warning: 0,
  failed: 0,
  missed: 0,
  anomaly: 0,
  running: 0,
  bytes: 0,
  judged: 0,
  good: 0,
};

export const sumTallies = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (sum, tally) => ({
      runs: sum.runs + tally.runs,
      success: sum.success + tally.success,
      warning: sum.warning + tally.warning,
      failed: sum.failed + tally.failed,
      missed: sum.missed + tally.missed,
      anomaly: sum.anomaly + tally.anomaly,
      running: sum.running + tally.running,
      bytes: sum.bytes + tally.bytes,
      judged: sum.judged + tally.judged,
      good: sum.good + tally.good,
    }),
    NO_TALLY,
  );

/** Returns the share (0 to 1) of good results among the judged ones, or null if there are none. */
export const successShare = ({ judged, good }: Pick<Tally, 'judged' | 'good'>): number | null =>
  judged === 0 ? null : good / judged;

export interface DayTally extends Tally {
  readonly day: Day;
  readonly from: Ms;
}

/** One line of a ranking: a job and its figure. */
export interface Ranked {
  readonly job: JobN;
  readonly jobName: string;
  readonly company: CompanyN;
  readonly companyName: string;
  readonly value: number;
}

/**
 * What needs attention now, worst first: one line per cause if several jobs share it, otherwise one
 * line per job.
 */
export interface Attention {
  readonly state: RunState;
  /** Null if the line is about one job only. */
  readonly cause: CauseN | null;
  readonly template: string | null;
  readonly message: string | null;
  readonly jobs: number;
  readonly companies: number;
  /** The newest run, for the link and the strip. */
  readonly run: RunN;
  readonly jobName: string;
  readonly companyName: string;
  readonly computer: string;
  readonly since: Ms;
  readonly lastGoodAt: Ms | null;
  readonly strip: readonly (RunState | null)[];
}

export interface Overview {
  readonly now: Tally;
  /**
   * The previous period of equal length. `whole` is false if it began before the first day stored
   * on this device.
   */
  readonly before: Tally & { readonly whole: boolean };
  readonly groups: readonly {
    readonly group: EntityGroup;
    readonly now: Tally;
    readonly before: Tally;
  }[];
  /** Operational days of the requested period, oldest first. */
  readonly days: readonly DayTally[];
  readonly jobs: {
    readonly all: number;
    readonly disabled: number;
    readonly neverRan: number;
    readonly companies: number;
  };
  /** Open problems to check, regardless of the requested period. */
  readonly pending: number;
  readonly attention: readonly Attention[];
  readonly mostFailures: readonly Ranked[];
  /** Mean duration of finished runs, in seconds. */
  readonly longest: readonly (Ranked & { readonly value: Seconds })[];
  /** Total bytes. */
  readonly mostTransferred: readonly (Ranked & { readonly value: Bytes })[];
  readonly newestAt: Ms | null;
  /** Whether all results of the requested period are on this device. */
  readonly whole: boolean;
  readonly version: number;
}
