/** The seams inside the worker: what the engine, the disk and the wire are to each other. */
import type { Tables } from '#contract/fold.ts';
import type { CommandId, Day, Ms, ProblemN, RunN, UserId } from '#contract/ids.ts';
import type { Change } from '#contract/runs/change.ts';
import type { DayN } from '#contract/time/day.ts';
import type { LeanRun, RunColumns } from '#contract/runs/columns.ts';
import type {
  GroupHead,
  RunsFacets,
  RunsFilter,
  RunsWindow,
  RunView,
} from '#contract/runs/query.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { SyncedSources } from '#contract/sync/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Segment } from './columns/segment.ts';

/** The tables that a device keeps as rows. Runs are columns. */
export type FoldedTable =
  | 'company'
  | 'job'
  | 'cause'
  | 'problem'
  | 'key'
  | 'view'
  | 'shift'
  | 'preference';
/** `lastSync`: one row, which comes whole from the server and is no fold of events (SYNC-14). */
export type SmallTable = FoldedTable | 'lastSync';
export interface DeviceTables extends Tables {
  readonly lastSync: LastSyncRow;
}
export interface LastSyncRow extends SyncedSources {
  readonly id: 'all';
}
export type SmallRows = { readonly [T in SmallTable]?: readonly DeviceTables[T][] };
export interface Person {
  readonly id: UserId;
  readonly name: string;
}

/**
 * The column store in memory. No clock, no disk, no network: time comes in as `now`. A run never
 * changes its `n` or its start, so it is found by binary search; what changes often (reviews) lives
 * in the problem table and costs one entry of a lookup table.
 */
export interface Engine {
  put(rows: SmallRows): void;
  people(all: readonly Person[]): void;
  /**
   * The provider's zone and the hour at which its day begins: for strips and streaks. `starts`:
   * where days begin, as far as known without a calendar.
   */
  zone(timeZone: string, dayBeginsHour: number, starts?: DayStarts | null): void;
  row<T extends SmallTable>(table: T, id: number | string): DeviceTables[T] | undefined;
  all<T extends SmallTable>(table: T): readonly DeviceTables[T][];
  /**
   * A segment as it came from disk or wire, newest first. Segments come in any order and may
   * overlap in time; a run is in one of them only, or the later one given wins. `given`: it is in
   * order and nobody else's, as the disk answers it. `outline`: of these very columns, where it is
   * known.
   */
  addSegment(columns: RunColumns, given?: boolean, outline?: Outline): void;
  /** New or changed runs, in any order. */
  upsert(runs: readonly LeanRun[]): void;
  /** Those of the runs asked for that are here. */
  runs(ns: readonly RunN[]): Map<RunN, LeanRun>;
  /** Problem rows shown instead of the ones that were put, until the next call: unsent changes. */
  overlay(problems: ReadonlyMap<ProblemN, ProblemRow>): void;
  select(filter: RunsFilter, now: Ms): Selection;
  /** Rows of a selection's window, told as they are now, in the selection's order. */
  view(selection: Selection, window: RunsWindow, now: Ms): readonly RunView[];
  /** The same rows as the columns have them. */
  lean(selection: Selection, window: RunsWindow): readonly LeanRun[];
  /**
   * Visits the pieces that have runs that started in [fromSec, toSec), newest first, and which rows
   * of them: for reading only.
   */
  walk(
    fromSec: number,
    toSec: number,
    visit: (piece: Segment, from: number, to: number) => void,
  ): void;
  /**
   * Problems as they are shown, unsent changes included: one, or those that ask for a person now,
   * in no order.
   */
  problem(n: ProblemN): ProblemRow | undefined;
  pending(now: Ms): readonly ProblemRow[];
  /** What `zone` was given. */
  readonly wall: { readonly timeZone: string; readonly dayBeginsHour: number };
  /**
   * Counts up with every change of a company's name, and of what a job is: its names, company,
   * source, type, group, and whether it is enabled.
   */
  readonly named: number;
  /** No run here is of a job with a greater number. */
  readonly mostJob: number;
  /** Rows here, and the newest start. */
  readonly size: number;
  readonly newestAt: Ms | null;
  clear(): void;
}

export interface Selection {
  readonly total: number;
  readonly facets: RunsFacets;
  readonly progress: { readonly cleared: number; readonly of: number };
  /** Runs in order, also those of groups that are folded away. */
  ids(): Uint32Array;
  /** What stands in a window of lines, where the rows of these groups are folded away. */
  lines(window: RunsWindow, folded: readonly (number | string)[]): Lines;
  /** What a group's head counts; null where the list is not grouped. */
  counts(key: number | string): GroupCounts | null;
}

/** `count`: lines of the whole list. `heads` and `rows`: those of the window, in order. */
export interface Lines {
  readonly count: number;
  readonly heads: readonly GroupHead[];
  readonly rows: Selection;
}

/**
 * Of a group that is not in the list there is no `worst`, and its progress where it has rows that
 * fail the review asked for alone.
 */
export type GroupCounts = Pick<GroupHead, 'rows' | 'jobs' | 'companies' | 'progress'> &
  Partial<Pick<GroupHead, 'worst'>>;

/**
 * One change as it is kept: the small rows and runs that events changed, and the cursor they reach.
 */
export interface Patch {
  readonly cursor: number;
  readonly rows: SmallRows;
  readonly runs: readonly LeanRun[];
}

/**
 * Everything of the first step of opening: no segment, no job and no problem yet. `rows`: the
 * tables that do not grow with history.
 */
export interface Opened {
  readonly epoch: string;
  readonly cursor: number;
  /**
   * Names the state of the books that `rows` and `patches` go with: `Disk.books` is asked with it.
   */
  readonly folds: number;
  readonly me: Me;
  readonly branding: Branding;
  readonly people: readonly Person[];
  readonly rows: SmallRows;
  readonly patches: readonly Patch[];
  readonly syncedAt: Ms | null;
  /**
   * Days of the window, newest first, whether each is here, and the tag of the page that it came
   * as.
   */
  readonly days: readonly { readonly day: Day; readonly here: boolean; readonly tag?: string }[];
  readonly segments: readonly SegmentInfo[];
  /** Known from before, where there are any. */
  readonly dayStarts: DayStarts | null;
  /**
   * Of the runs of these segments since then, every problem that the books hold stands in `rows`.
   */
  readonly problemsOf: ProblemsOf | null;
}
/** `outlines`: of these segments, in the same order, where they are known. */
export interface ProblemsOf {
  readonly segments: readonly number[];
  readonly fromSec: number;
  readonly outlines?: readonly Outline[];
}
/**
 * What one learns of a segment by looking through all its rows: how far its numbers go, its kinds
 * in order of appearance, and which rows have a problem.
 */
export interface Outline {
  readonly job: number;
  readonly problem: number;
  readonly company: number;
  readonly kinds: readonly number[];
  readonly problemRows: readonly number[];
}
/** Rows of the tables that are not read at opening, by number. */
export interface WantedRows {
  readonly job?: Iterable<number>;
  readonly problem?: Iterable<number>;
}
/** One UTC day's runs, and the server's tag of them. */
export interface DayRuns {
  readonly day: Day;
  readonly pages: readonly RunColumns[];
  readonly tag?: string;
}
/** First moments of the days from `first` on. */
export interface DayStarts {
  readonly timeZone: string;
  readonly dayBeginsHour: number;
  readonly first: DayN;
  readonly starts: readonly Ms[];
}
export interface SegmentInfo {
  readonly id: number;
  readonly rows: number;
  readonly fromSec: number;
  readonly toSec: number;
}

export interface Fresh {
  readonly epoch: string;
  readonly cursor: number;
  readonly me: Me;
  readonly branding: Branding;
  readonly people: readonly Person[];
  readonly rows: SmallRows;
  readonly days: readonly Day[];
}

/** Of the segments those that the first rows are made of: their asking comes next. */
export type Ahead = (segments: readonly SegmentInfo[]) => readonly SegmentInfo[];

/**
 * IndexedDB, values encrypted (AES-GCM, the record's place as additional data). One database a
 * user, provider and origin. All failures of storage come out as `DiskFault`, nothing else is
 * thrown.
 */
export interface Disk {
  /**
   * Null where there is nothing, or nothing readable: then load anew. `ahead`: of what is read on
   * the way for the first rows. The outbox is kept in any case where it can be read.
   */
  open(ahead?: Ahead | null): Promise<Opened | null>;
  /**
   * Those of the rows asked for that the books hold. Rows of patches are newer. `gone` where the
   * books have changed since `folds`: open again.
   */
  books(folds: number, wanted: WantedRows): Promise<SmallRows>;
  /**
   * All rows of those tables, in parts; the next is read when `take` is done. `gone` as above,
   * `corrupt` where some are missing or unreadable.
   */
  restOfBooks(folds: number, take: (rows: SmallRows) => Promise<void>): Promise<void>;
  /** In order, and the caller's own. */
  segment(id: number): Promise<RunColumns>;
  /** Replaces everything but the outbox by a fresh start, in one transaction. */
  begin(fresh: Fresh): Promise<void>;
  /**
   * The runs of whole days, from the wire: written as segments and noted in the manifest, in one
   * transaction. Newest day first.
   */
  addDays(days: readonly DayRuns[]): Promise<void>;
  /**
   * Patch and cursor in one transaction (SYNC-1). Answers the patch's number, for the other tabs.
   */
  append(patch: Patch, syncedAt: Ms): Promise<number>;
  patch(id: number): Promise<Patch>;
  noteSynced(at: Ms): Promise<void>;
  /**
   * Idle work: folds patches into tables and segments, one at a time; answers whether more is to be
   * done.
   */
  compact(): Promise<boolean>;
  /** Drops the segments that are wholly older, and their days. */
  forget(beforeSec: number): Promise<void>;
  /**
   * Strict durability: on disk when it resolves (OUT-1). Gives the command its number in this
   * device's order.
   */
  keepCommand(command: Omit<Command, 'order'>): Promise<Command>;
  commands(): Promise<readonly Command[]>;
  markCommand(
    id: CommandId,
    state: Command['state'],
    failure: Failure | null,
    refused?: readonly Refusals[],
  ): Promise<void>;
  dropCommand(id: CommandId): Promise<void>;
  /**
   * What a person is told about own changes, beside the commands and as lasting as they; the newest
   * hundred stay, oldest first.
   */
  keepNotice(notice: Notice): Promise<void>;
  notices(): Promise<readonly Notice[]>;
  dropNotice(id: string): Promise<void>;
  /**
   * What the server answered to a question last, to be shown where it cannot be asked; gone with
   * the data. The newest 50 stay, 8 MB of them.
   */
  keepAnswer(question: string, answer: Answered): Promise<void>;
  answerTo(question: string): Promise<Answered | null>;
  readonly device: string;
  /**
   * The key first, then the data (C9). `keepOutbox`: unsent commands of this user stay, readable
   * again when it signs in.
   */
  destroy(keepOutbox: boolean): Promise<void>;
  /** Told when another build wants the database (`versionchange`) or it was closed under us. */
  onLost(listener: (why: 'newer-build' | 'closed') => void): void;
  close(): void;
}

export interface Command {
  readonly id: CommandId;
  /** Number in this device's order, from 1, without holes among those sent. */
  readonly order: number;
  readonly call: string;
  readonly input: unknown;
  readonly madeAt: Ms;
  readonly state: 'waiting' | 'refused';
  readonly failure: Failure | null;
  /** Of many runs that were refused one by one: which, and why. */
  readonly refused?: readonly Refusals[];
}

/** Runs that were not changed, for one reason in words. */
export interface Refusals {
  readonly why: string;
  readonly runs: readonly RunN[];
}

export interface Notice {
  readonly id: string;
  readonly at: Ms;
  readonly text: string;
  readonly run: RunN | null;
  /** Of a change of many runs some of which were refused: these, and what was asked of them. */
  readonly refused: { readonly change: Change; readonly by: readonly Refusals[] } | null;
}

export interface Answered {
  readonly at: Ms;
  readonly value: unknown;
}

/**
 * `gone`: compaction or another tab has replaced what was asked for, or loaded anew: open again.
 * `corrupt`: cannot be read; `days` are no longer here and are to be fetched again (`addDays`
 * replaces a day).
 */
export class DiskFault extends Error {
  readonly kind: 'full' | 'unavailable' | 'corrupt' | 'gone';
  readonly days: readonly Day[];
  constructor(kind: DiskFault['kind'], message: string, days: readonly Day[] = []) {
    super(message);
    this.name = 'DiskFault';
    this.kind = kind;
    this.days = days;
  }
}
