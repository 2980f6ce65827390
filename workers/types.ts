/** The types inside the worker: what the engine, the disk and the wire provide to each other. */
import type { ReplicatedTable, Tables } from '#contract/tables.ts';
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

/** The tables that a device stores as rows. Runs are columns. */
export type FoldedTable = ReplicatedTable;
/**
 * `lastSync`: one row that comes from the server as a whole and is not folded from events
 * (SYNC-14).
 */
export type SmallTable = FoldedTable | 'lastSync';
export interface DeviceTables extends Tables {
  readonly lastSync: LastSyncRow;
}
export interface LastSyncRow extends SyncedSources {
  readonly id: 'all';
}
export type SmallRows = { readonly [T in SmallTable]?: readonly DeviceTables[T][] };
export interface KnownUser {
  readonly id: UserId;
  readonly name: string;
}

/**
 * The column store in memory. No clock, no disk, no network: time is passed in as `now`. A run
 * never changes its `n` or its start, so a binary search finds it. What changes often (reviews) is
 * in the problem table and costs one entry of a lookup table.
 */
export interface ColumnStore {
  put(rows: SmallRows): void;
  people(all: readonly KnownUser[]): void;
  /**
   * Sets the provider's time zone and the hour at which its day begins, for strips and streaks.
   * `starts`: the starts of days, as far as known without a calendar.
   */
  zone(timeZone: string, dayBeginsHour: number, starts?: DayStarts | null): void;
  row<T extends SmallTable>(table: T, id: number | string): DeviceTables[T] | undefined;
  all<T extends SmallTable>(table: T): readonly DeviceTables[T][];
  /**
   * Adds a segment from disk or wire, newest first. Segments come in any order and may overlap in
   * time; a run is in only one of them, or the one added later wins. `isOwned`: it is sorted and may
   * be taken over, as the disk returns it. `outline`: of these columns, if known.
   */
  addSegment(columns: RunColumns, isOwned?: boolean, outline?: Outline): void;
  /** Adds new or changed runs, in any order. */
  upsert(runs: readonly LeanRun[]): void;
  /** Returns those of the requested runs that are here. */
  runs(ns: readonly RunN[]): Map<RunN, LeanRun>;
  /**
   * Shows these problem rows instead of those that were put, until the next call: unsent changes.
   */
  overlay(problems: ReadonlyMap<ProblemN, ProblemRow>): void;
  select(filter: RunsFilter, now: Ms): RunSelection;
  /**
   * Returns the rows of a selection's window with their current values, in the selection's order.
   */
  view(selection: RunSelection, window: RunsWindow, now: Ms): readonly RunView[];
  /** Returns the same rows as the columns store them. */
  lean(selection: RunSelection, window: RunsWindow): readonly LeanRun[];
  /**
   * Visits the segments with runs that started in [fromSec, toSec), newest first, and which rows of
   * them. Read-only.
   */
  walk(
    fromSec: number,
    toSec: number,
    visit: (piece: Segment, from: number, to: number) => void,
  ): void;
  /**
   * Problems as they are shown, including unsent changes: one, or those that need a review now, in
   * no order.
   */
  problem(n: ProblemN): ProblemRow | undefined;
  pending(now: Ms): readonly ProblemRow[];
  /** The arguments of `zone`. */
  readonly wall: { readonly timeZone: string; readonly dayBeginsHour: number };
  /**
   * Incremented with every change of a company's name, or of a job's names, company, source, type,
   * group, or whether it is enabled.
   */
  readonly named: number;
  /** No run here has a job with a greater number. */
  readonly maxJob: number;
  /** The number of rows here, and the newest start. */
  readonly size: number;
  readonly newestAt: Ms | null;
  clear(): void;
}

export interface RunSelection {
  readonly total: number;
  readonly facets: RunsFacets;
  readonly progress: { readonly cleared: number; readonly of: number };
  /** Runs in order, including those of collapsed groups. */
  ids(): Uint32Array;
  /** Returns the heads and rows in a window of lines, with these groups collapsed. */
  lines(window: RunsWindow, folded: readonly (number | string)[]): RunLines;
  /** Returns the counts of a group's head; null if the list is not grouped. */
  counts(key: number | string): GroupCounts | null;
}

/** `count`: lines of the whole list. `heads` and `rows`: those of the window, in order. */
export interface RunLines {
  readonly count: number;
  readonly heads: readonly GroupHead[];
  readonly rows: RunSelection;
}

/**
 * A group that is not in the list has no `worst`; it has progress if it has rows that fail only the
 * requested review.
 */
export type GroupCounts = Pick<GroupHead, 'rows' | 'jobs' | 'companies' | 'progress'> &
  Partial<Pick<GroupHead, 'worst'>>;

/** One stored change: the small rows and runs that events changed, and the cursor they reach. */
export interface Patch {
  readonly cursor: number;
  readonly rows: SmallRows;
  readonly runs: readonly LeanRun[];
}

/**
 * Everything of the first step of opening: no segments, jobs or problems yet. `rows`: the tables
 * that don't grow with history.
 */
export interface OpenedStore {
  readonly epoch: string;
  readonly cursor: number;
  /**
   * The state of the table snapshots that `rows` and `patches` belong to. Pass it to `Disk.books`.
   */
  readonly folds: number;
  readonly me: Me;
  readonly branding: Branding;
  readonly people: readonly KnownUser[];
  readonly rows: SmallRows;
  readonly patches: readonly Patch[];
  readonly syncedAt: Ms | null;
  /** When the first request failed since then; null: none has. */
  readonly missingSince: Ms | null;
  /** Days of the window, newest first, whether each is loaded, and the tag of its page. */
  readonly days: readonly { readonly day: Day; readonly here: boolean; readonly tag?: string }[];
  readonly segments: readonly SegmentInfo[];
  /** The data lacks a table of this build, so it must be loaded again. */
  readonly lacksTables: boolean;
  /** From an earlier calculation, if there is one. */
  readonly dayStarts: DayStarts | null;
  /** Every stored problem of the runs of these segments since then is in `rows`. */
  readonly problemsOf: ProblemsOf | null;
}
/** `outlines`: of these segments, in the same order, if known. */
export interface ProblemsOf {
  readonly segments: readonly number[];
  readonly fromSec: number;
  readonly outlines?: readonly Outline[];
}
/**
 * What a scan of all rows of a segment finds: its greatest numbers, its kinds in order of
 * appearance, and which rows have a problem.
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
/** The runs of one UTC day, and the server's tag of them. */
export interface DayRuns {
  readonly day: Day;
  readonly pages: readonly RunColumns[];
  readonly tag?: string;
}
/** Starts of the days from `first` on. */
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
  readonly people: readonly KnownUser[];
  readonly rows: SmallRows;
  readonly days: readonly Day[];
}

/** Returns the segments that the first rows need, which are requested next. */
export type Ahead = (segments: readonly SegmentInfo[]) => readonly SegmentInfo[];

/**
 * IndexedDB with encrypted values (AES-GCM, the record's place as additional data). One database
 * per user, provider and origin. All storage failures are `DiskError`s; nothing else is thrown.
 */
export interface Disk {
  /**
   * Returns null if there is nothing readable: then reload. `ahead`: which segments to read along
   * for the first rows. The outbox is kept in any case, if it is readable.
   */
  open(ahead?: Ahead | null): Promise<OpenedStore | null>;
  /**
   * Returns the requested rows that the table snapshots contain. Rows of patches are newer. Rejects
   * with `gone` if the snapshots have changed since `folds`: open again.
   */
  snapshots(folds: number, wanted: WantedRows): Promise<SmallRows>;
  /**
   * Reads all rows of those tables, in parts; the next part is read when `take` is done. Rejects
   * with `gone` as above, `corrupt` if some are missing or unreadable.
   */
  remainingSnapshots(folds: number, take: (rows: SmallRows) => Promise<void>): Promise<void>;
  /** Returns sorted columns that the caller owns. */
  segment(id: number): Promise<RunColumns>;
  /** Replaces everything except the outbox by a new load, in one transaction. */
  begin(fresh: Fresh): Promise<void>;
  /**
   * Replaces who is signed in, so that a reload begins with the current account. Rejects with `gone`
   * if another tab has replaced the load.
   */
  saveUser(user: Pick<Fresh, 'me' | 'branding' | 'people'>): Promise<void>;
  /**
   * Stores the runs of complete days from the wire as segments and in the manifest, in one
   * transaction. Newest day first.
   */
  addDays(days: readonly DayRuns[]): Promise<void>;
  /**
   * Writes patch and cursor in one transaction (SYNC-1). Returns the patch's number, for the other
   * tabs.
   */
  append(patch: Patch, syncedAt: Ms): Promise<number>;
  patch(id: number): Promise<Patch>;
  noteSynced(at: Ms): Promise<void>;
  /** Stores since when the server has not answered, until the next sync. */
  noteMissing(since: Ms): Promise<void>;
  /**
   * Idle work: folds patches into tables and segments, one at a time. Returns whether there is more
   * to do.
   */
  compact(): Promise<boolean>;
  /** Drops the segments that are entirely older, and their days. */
  forget(beforeSec: number): Promise<void>;
  /**
   * Strict durability: on disk when it resolves (OUT-1). Gives the command its number in this
   * device's order.
   */
  keepCommand(command: Omit<QueuedCommand, 'order'>): Promise<QueuedCommand>;
  /** In order, with those that can't be read (OUT-5). */
  commands(): Promise<readonly (QueuedCommand | DamagedCommand)[]>;
  markCommand(
    id: CommandId,
    state: QueuedCommand['state'],
    failure: Failure | null,
    refused?: readonly Refusals[],
  ): Promise<void>;
  dropCommand(id: CommandId): Promise<void>;
  /**
   * Stores a notice to the user about their own changes, beside the commands and as durable. The
   * newest hundred stay, oldest first.
   */
  keepNotice(notice: StoredNotice): Promise<void>;
  notices(): Promise<readonly StoredNotice[]>;
  dropNotice(id: string): Promise<void>;
  /**
   * Calls `listener` now and after each change of commands or notices on the disk, in any tab.
   * Returns a function that ends it.
   */
  onOutbox(listener: () => void): () => void;
  /**
   * Stores the server's last answer to a query, to be shown if the server can't be reached; deleted
   * with the data. The newest 50 stay, at most 8 MB.
   */
  keepAnswer(question: string, answer: StoredAnswer): Promise<void>;
  answerTo(question: string): Promise<StoredAnswer | null>;
  /**
   * Stores what a user has typed into a form, as durable as a command; deleted with the data. It
   * outlives a reload of the data unless the user's rights changed. The newest 20 stay.
   */
  saveDraft(name: string, at: Ms, value: unknown): Promise<void>;
  /** Returns null if there is none. */
  readDraft(name: string): Promise<unknown>;
  deleteDraft(name: string): Promise<void>;
  readonly device: string;
  /**
   * Destroys the key first, then the data (C9). `keepOutbox`: unsent commands of this user stay,
   * readable after the next sign-in.
   */
  destroy(keepOutbox: boolean): Promise<void>;
  /**
   * Calls `listener` when another build needs the database (`versionchange`) or the browser closed
   * it.
   */
  onLost(listener: (why: 'newer-build' | 'closed') => void): void;
  close(): void;
}

export interface QueuedCommand {
  readonly id: CommandId;
  /** The number in this device's order, from 1. Discarded commands leave gaps. */
  readonly order: number;
  readonly call: string;
  readonly input: unknown;
  readonly madeAt: Ms;
  readonly state: 'waiting' | 'refused';
  readonly failure: Failure | null;
  /** For runs that were refused one by one: which, and why. */
  readonly refused?: readonly Refusals[];
}

/** A command on the disk whose content can't be read. It can't be sent. */
export interface DamagedCommand extends Pick<QueuedCommand, 'id' | 'order'> {
  readonly state: 'damaged';
}

/** Runs that were not changed, for one reason in words. */
export interface Refusals {
  readonly why: string;
  readonly runs: readonly RunN[];
}

export interface StoredNotice {
  readonly id: string;
  readonly at: Ms;
  readonly text: string;
  readonly run: RunN | null;
  /** The refused part of a bulk change, and the change. */
  readonly refused: { readonly change: Change; readonly by: readonly Refusals[] } | null;
}

export interface StoredAnswer {
  readonly at: Ms;
  readonly value: unknown;
}
