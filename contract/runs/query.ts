import type { Bytes, CauseN, CompanyN, JobN, Ms, ProblemN, RunN, Seconds } from '../ids.ts';
import type { Note, Review, Snooze, LinkedTicket } from './rows.ts';
import type { ScheduleState } from './schedule-state.ts';
import type { EntityGroup, JobType, ProblemKind, Source, Status } from './vocabulary.ts';

/** The review state of a result. `none`: nothing is wrong with it. */
export const REVIEW_STATES = ['pending', 'snoozed', 'cleared', 'none'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** Facet values of "State": a status, or an anomaly on a success. */
export const RUN_STATES = [
  'Failed',
  'Error',
  'Missed',
  'Anomaly',
  'Warning',
  'Running',
  'Success',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/**
 * `worst`: by severity, then newest first. All others sort by that column, ascending, with ties
 * newest first. `streak`: days of the problem; `lastGood`: longest ago first. Names are compared
 * case-insensitively, without accents, and with numbers by value.
 */
export const ORDERS = [
  'worst',
  'newest',
  'company',
  'job',
  'computer',
  'duration',
  'bytes',
  'lastGood',
  'streak',
  'cause',
  'source',
  'ticket',
] as const;
export type Order = (typeof ORDERS)[number];

export const GROUPS = ['company', 'job', 'cause', 'server'] as const;
export type RunGrouping = (typeof GROUPS)[number];

/**
 * The filter of a list of runs, which is also in the page's address. Empty lists mean "all". The
 * page resolves times (`from` inclusive, `to` exclusive). `rows`: the newest run of each job within
 * the period, or every run.
 */
export interface RunsFilter {
  readonly from: Ms | null;
  readonly to: Ms | null;
  readonly rows: 'jobs' | 'runs';
  readonly review: ReviewState | null;
  readonly states: readonly RunState[];
  readonly kinds: readonly ProblemKind[];
  readonly companies: readonly CompanyN[];
  readonly sources: readonly Source[];
  readonly types: readonly JobType[];
  readonly causes: readonly CauseN[];
  readonly jobs: readonly JobN[];
  /**
   * Names of servers (`JobRow.server`, or the computer if a job has none), and entity groups of
   * jobs.
   */
  readonly servers: readonly string[];
  readonly instructionTypes: readonly EntityGroup[];
  readonly managed: boolean | null;
  /** False: anomalies on successes don't count as problems. */
  readonly anomaly: boolean;
  /** Substring of job, computer, company or message, case-insensitive. */
  readonly text: string;
  readonly order: Order;
  /** Reverses the order. Rows without a value are last in both directions. */
  readonly reverse: boolean;
  /**
   * Groups rows with the same value. Groups are sorted by worst state, then by most rows; rows
   * within a group by `order`. All causes with only one job form one group, after the causes that
   * several jobs share. Rows without a cause come last.
   */
  readonly group: RunGrouping | null;
}

export const EVERYTHING: RunsFilter = {
  from: null,
  to: null,
  rows: 'runs',
  review: null,
  states: [],
  kinds: [],
  companies: [],
  sources: [],
  types: [],
  causes: [],
  jobs: [],
  servers: [],
  instructionTypes: [],
  managed: null,
  anomaly: true,
  text: '',
  order: 'newest',
  reverse: false,
  group: null,
};

/**
 * Returns the filter for one group alone: it matches exactly the rows of that group, in the same
 * order.
 */
export function ofGroup(
  filter: RunsFilter,
  { key, causes }: Pick<GroupHead, 'key' | 'causes'>,
): RunsFilter {
  const one = { ...filter, group: null };
  const n = Number(key);
  switch (filter.group) {
    case 'company':
      return { ...one, companies: [n] };
    case 'job':
      return { ...one, jobs: [n] };
    case 'cause':
      return { ...one, causes: causes ?? [n] };
    case 'server':
      return { ...one, servers: [String(key)] };
    case null:
      return one;
  }
}

export interface Facet<T> {
  readonly value: T;
  readonly count: number;
}

/**
 * Exact counts, each under the whole filter except its own dimension (COL-3). Companies and causes
 * without matches are left out.
 */
export interface RunsFacets {
  readonly review: readonly Facet<ReviewState>[];
  readonly states: readonly Facet<RunState>[];
  readonly kinds: readonly Facet<ProblemKind>[];
  readonly companies: readonly (Facet<CompanyN> & { readonly name: string })[];
  readonly sources: readonly Facet<Source>[];
  readonly types: readonly Facet<JobType>[];
  readonly managed: readonly Facet<boolean | null>[];
  /**
   * How many rows of the list are anomalies and how many are not, if anomalies count as problems.
   */
  readonly anomaly: readonly Facet<boolean>[];
  readonly causes: readonly (Facet<CauseN> & { readonly template: string })[];
}

/**
 * Facets as sent to the page. `left`: number of values with a count that were not sent, because the
 * page didn't request all.
 */
export interface ShownFacets extends RunsFacets {
  readonly companies: readonly (RunsFacets['companies'][number] & { readonly pinned?: boolean })[];
  readonly left?: { readonly companies: number; readonly causes: number };
}

/**
 * One row of the grid. Ranges are typical for this job, from its last 30 finished runs on this
 * device (at least 7).
 */
export interface RunView {
  readonly n: RunN;
  readonly job: JobN;
  readonly jobName: string;
  readonly company: CompanyN;
  readonly companyName: string;
  readonly computer: string;
  readonly source: Source;
  readonly type: JobType;
  readonly managed: boolean | null;
  /** The schedule of its job in one word; null if unknown. */
  readonly scheduleState: ScheduleState | null;
  readonly status: Status;
  readonly state: RunState;
  readonly startedAt: Ms;
  readonly durationSec: Seconds | null;
  readonly usualDuration: readonly [low: Seconds, high: Seconds] | null;
  readonly bytes: Bytes | null;
  readonly usualBytes: readonly [low: Bytes, high: Bytes] | null;
  readonly message: string | null;
  /** The cause's fixed words, with ‹marks› where the message varies. */
  readonly template: string | null;
  /**
   * 14 operational days, oldest first, today last: the worst state of each day; null if nothing was
   * due.
   */
  readonly strip: readonly (RunState | null)[];
  readonly lastGoodAt: Ms | null;
  readonly review: ReviewState;
  readonly problem: ProblemView | null;
  /** Whether a change of this row has not been synced to the server yet. */
  readonly waiting: boolean;
}

export interface ProblemView {
  readonly n: ProblemN;
  readonly cause: CauseN;
  readonly kind: ProblemKind;
  /** Operational days since the problem began; 1 on the first. */
  readonly day: number;
  readonly openedAt: Ms;
  readonly closedAt: Ms | null;
  readonly review: (Review & { readonly name: string }) | null;
  readonly snooze: (Snooze & { readonly name: string }) | null;
  readonly note: (Note & { readonly name: string }) | null;
  readonly ticket: string | null;
  /** The linked ticket in this portal, if there is one, and whether it is open. */
  readonly linkedTicket?: LinkedTicket | null;
  /** The rule (its name) under which the problem counts as OK. */
  readonly exception?: { readonly name: string; readonly at: Ms } | null;
  /** Hints from rules. */
  readonly hints?: readonly { readonly name: string; readonly hint: string }[];
  /** The ids of the hints that helped with it. */
  readonly helpedBy?: readonly string[];
}

/** The key of the group of all causes with only one job. */
export const SINGLE_CAUSES = 'single';

/**
 * The head of a group, with exact counts of all its rows, including collapsed ones. `key`: the
 * number of the company, job or cause (0: no cause), `SINGLE_CAUSES`, or the server's name (empty:
 * unknown). `title`: its name, or empty if it has none.
 */
export interface GroupHead {
  /** Its line in the list; heads and rows are counted together. */
  readonly line: number;
  readonly key: number | string;
  readonly title: string;
  readonly rows: number;
  readonly jobs: number;
  readonly companies: number;
  readonly worst: RunState;
  readonly progress: { readonly cleared: number; readonly of: number };
  readonly folded: boolean;
  /**
   * For the group of single causes: which causes they are, lowest number first, including those
   * whose rows a person has dealt with.
   */
  readonly causes?: readonly CauseN[];
}

/** What a list needs from the worker at once: counts, facets and the visible window (COL-7). */
export interface RunsView {
  readonly total: number;
  /**
   * Number of lines of the list: `total` if it isn't grouped, otherwise heads and uncollapsed rows.
   * Windows count lines.
   */
  readonly lines: number;
  /** Heads within the window; its other lines are `rows`, in order. */
  readonly heads: readonly GroupHead[];
  /** The line number of the first line in the window. */
  readonly first: number;
  readonly rows: readonly RunView[];
  readonly facets: ShownFacets;
  /** Problems of the same list, regardless of review state: "312 of 340 cleared". */
  readonly progress: { readonly cleared: number; readonly of: number };
  /**
   * Number of new matching rows that are not shown yet, because the list is paused ("n new, press
   * R").
   */
  readonly fresh: number;
  /** Newest result in the store, ms. */
  readonly newestAt: Ms | null;
  /** Days of the window that are loaded already, and days in total: 30 of 30 once complete. */
  readonly loaded: { readonly days: number; readonly of: number };
  /**
   * The server's time of the newest event in it, to measure how long a change takes to reach the
   * screen.
   */
  readonly committedAt?: Ms | null;
  /** Increases with every change that the view shows. */
  readonly version: number;
}

export interface RunsWindow {
  readonly first: number;
  readonly count: number;
}
