import type { Bytes, CauseN, CompanyN, JobN, Ms, ProblemN, RunN, Seconds } from '../ids.ts';
import type { Note, Review, Snooze, Tied } from './rows.ts';
import type { ScheduleState } from './schedule-state.ts';
import type { EntityGroup, JobType, ProblemKind, Source, Status } from './vocabulary.ts';

/** What a result asks of a person. `none`: nothing is wrong with it. */
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
 * `worst`: severity, then newest. The others by that column, the least and the beginning of the
 * alphabet first, ties newest first; `streak`: days of the problem; `lastGood`: longest ago first.
 * Names are read as people do: any case, no accents, numbers by their size.
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
export type Group = (typeof GROUPS)[number];

/**
 * What shapes a list of runs, and what stands in the address. Empty lists mean "all". Times are
 * resolved by the page (`from` inclusive, `to` exclusive); `rows`: the newest run of each job
 * within the time, or every run.
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
   * Names of servers (`JobRow.server`, or the computer of a job that has none), and entity groups
   * of jobs.
   */
  readonly servers: readonly string[];
  readonly instructionTypes: readonly EntityGroup[];
  readonly managed: boolean | null;
  /** False: anomalies on successes are not counted as problems. */
  readonly anomaly: boolean;
  /** Contains, any case, in job, computer, company or message. */
  readonly text: string;
  readonly order: Order;
  /** The other way round; rows that have no value stand last either way. */
  readonly reverse: boolean;
  /**
   * Lines with the same stand under one head. Heads: worst state first, then most rows; inside,
   * `order`. Causes that one job alone has stand under one head behind those that jobs share, and
   * behind that the rows without a cause.
   */
  readonly group: Group | null;
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
 * The same question of one group alone: what it finds are exactly the rows under that head, in
 * their order.
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
 * Exact counts, each under the whole filter but for its own dimension (COL-3). Values with none are
 * left out of companies and causes only.
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
   * How many of the list are anomalies and how many are not, where anomalies are counted as
   * problems.
   */
  readonly anomaly: readonly Facet<boolean>[];
  readonly causes: readonly (Facet<CauseN> & { readonly template: string })[];
}

/**
 * As they cross to the page. `left`: values with a count that were not sent, because not all were
 * asked for.
 */
export interface ShownFacets extends RunsFacets {
  readonly left?: { readonly companies: number; readonly causes: number };
}

/**
 * One row as the grid shows it. Ranges are what is usual for this job, from its last 30 finished
 * runs on this device (7 at least).
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
  /** The schedule of its job in one word; null where none is known. */
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
   * 14 operational days, oldest first, today last: the worst of each day, null where nothing was
   * due.
   */
  readonly strip: readonly (RunState | null)[];
  readonly lastGoodAt: Ms | null;
  readonly review: ReviewState;
  readonly problem: ProblemView | null;
  /** A change of this row that has not reached the server yet. */
  readonly waiting: boolean;
}

export interface ProblemView {
  readonly n: ProblemN;
  readonly cause: CauseN;
  readonly kind: ProblemKind;
  /** Operational days since it began, 1 on the first. */
  readonly day: number;
  readonly openedAt: Ms;
  readonly closedAt: Ms | null;
  readonly review: (Review & { readonly name: string }) | null;
  readonly snooze: (Snooze & { readonly name: string }) | null;
  readonly note: (Note & { readonly name: string }) | null;
  readonly ticket: string | null;
  /** Where that ticket is kept here: which, and whether it is open. */
  readonly tied?: Tied | null;
  /** Known by a rule (its name): counts as OK. */
  readonly exception?: { readonly name: string; readonly at: Ms } | null;
  /** What rules say to it. */
  readonly hints?: readonly { readonly name: string; readonly hint: string }[];
  /** Hints of the list of hints that helped with it, by their ids. */
  readonly helpedBy?: readonly string[];
}

/** The key of the head that all causes stand under which one job alone has. */
export const SINGLE_CAUSES = 'single';

/**
 * The head of a group, with exact counts of all its rows, also of those that are folded away.
 * `key`: the company's, job's or cause's number (0: no cause), `SINGLE_CAUSES`, or the server's
 * name (empty: not known). `title`: its name, empty where it has none.
 */
export interface GroupHead {
  /** Its line in the list: heads and rows are counted together. */
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
   * Of single causes: which they are, least number first, also those whose rows a person has dealt
   * with.
   */
  readonly causes?: readonly CauseN[];
}

/** What a list needs of the worker at once: counts, facets and the visible window (COL-7). */
export interface RunsView {
  readonly total: number;
  /**
   * Lines of the list: `total` where it is not grouped; heads and unfolded rows where it is.
   * Windows count lines.
   */
  readonly lines: number;
  /** Heads within the window; the window's other lines are `rows`, in order. */
  readonly heads: readonly GroupHead[];
  /** Lines before `first` and after the last are not here. */
  readonly first: number;
  readonly rows: readonly RunView[];
  readonly facets: ShownFacets;
  /** Problems of the same list, whatever their review state: "312 of 340 cleared". */
  readonly progress: { readonly cleared: number; readonly of: number };
  /** Rows that match by now but wait behind "n new, press R", because the list is held. */
  readonly fresh: number;
  /** Newest result in the store, ms. */
  readonly newestAt: Ms | null;
  /** Days of the window that are here already, of all of them: 30 of 30 once loaded. */
  readonly loaded: { readonly days: number; readonly of: number };
  /**
   * The server's time of the newest event in it, for measuring how long a change takes to the
   * screen.
   */
  readonly committedAt?: Ms | null;
  /** Counts up with every change that the view shows. */
  readonly version: number;
}

export interface RunsWindow {
  readonly first: number;
  readonly count: number;
}
