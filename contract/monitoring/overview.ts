import type { Bytes, CauseN, CompanyN, Day, JobN, Ms, RunN, Seconds } from '../ids.ts';
import type { RunState } from './query.ts';
import type { EntityGroup } from './words.ts';

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
 * holds errors too.
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
}

/**
 * Of 0 to 1: successes, warnings and anomalies among all that ended or should have run. Null where
 * none did.
 */
export const successShare = ({
  success,
  warning,
  anomaly,
  failed,
  missed,
}: Tally): number | null => {
  const all = success + warning + anomaly + failed + missed;
  return all === 0 ? null : (success + warning + anomaly) / all;
};

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
