import type { Bytes, CauseN, CompanyN, Day, JobN, Ms, RunN, Seconds } from '../ids.ts';
import type { RunState } from '../runs/query.ts';
import type { EntityGroup } from '../runs/vocabulary.ts';

/**
 * The dashboard's question. Times are resolved by the page: `from` inclusive, `to` exclusive, both
 * at the start of an operational day. Empty lists mean "all".
 */
export interface OverviewAsk {
  readonly from: Ms;
  readonly to: Ms;
  readonly companies: readonly CompanyN[];
  readonly instructionTypes: readonly EntityGroup[];
  /** Jobs of a ranking; five where nothing is said. */
  readonly ranked?: number;
}

/**
 * Runs of a time by what became of them. An anomaly is a success outside what is usual; `failed`
 * holds errors too. `judged`: what the success rate is about, results that ended or should have run
 * of jobs that count (OVER-7); `good`: those of them that ended well.
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

/** Of 0 to 1: what ended well among what is judged. Null where nothing is. */
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
 * What needs somebody now, worst first: one line a cause where several jobs share it, else one line
 * a job.
 */
export interface Attention {
  readonly state: RunState;
  /** Null where one job stands alone. */
  readonly cause: CauseN | null;
  readonly template: string | null;
  readonly message: string | null;
  readonly jobs: number;
  readonly companies: number;
  /** The newest run of it, for the link and the strip. */
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
  /** The equal time before. `whole` false: it began before what this device keeps. */
  readonly before: Tally & { readonly whole: boolean };
  readonly groups: readonly {
    readonly group: EntityGroup;
    readonly now: Tally;
    readonly before: Tally;
  }[];
  /** Operational days of the asked time, oldest first. */
  readonly days: readonly DayTally[];
  readonly jobs: {
    readonly all: number;
    readonly disabled: number;
    readonly neverRan: number;
    readonly companies: number;
  };
  /** Open and pending, whatever the asked time. */
  readonly pending: number;
  readonly attention: readonly Attention[];
  readonly mostFailures: readonly Ranked[];
  /** Mean seconds of a finished run. */
  readonly longest: readonly (Ranked & { readonly value: Seconds })[];
  /** Bytes in all. */
  readonly mostTransferred: readonly (Ranked & { readonly value: Bytes })[];
  readonly newestAt: Ms | null;
  /** Whether all results of the asked time are on this device. */
  readonly whole: boolean;
  readonly version: number;
}
