import type { Me } from '#contract/auth/current-user.ts';
import type { Branding } from '#contract/branding/branding.ts';
import type { Day, Ms, UserId } from '#contract/ids.ts';
import { viewColumns } from '#contract/runs/columns.ts';
import type { LeanRun, RunColumns } from '#contract/runs/columns.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { Bootstrap, SyncedSources } from '#contract/sync/calls.ts';
import { DAY_MS } from '#contract/time/durations.ts';
import { getPages } from '#workers/disk/segments.ts';
import { DEFAULT_VIEW, loadFirstRows, openSnapshots } from '#workers/startup/cold-start.ts';
import { DiskError, unlessDisk } from '#workers/disk/disk-errors.ts';
import type {
  DayRuns,
  Disk,
  ColumnStore,
  Fresh,
  LastSyncRow,
  OpenedStore,
  Patch,
  KnownUser,
  SegmentInfo,
  SmallRows,
} from '#workers/types.ts';
import type { Applied, Base } from './apply.ts';
import { mergePatches, rekind } from './apply.ts';

/**
 * The part of the log on this device: columns and rows in memory, the same on disk, and the cursor.
 * Memory may be ahead of the disk (a full disk), but the disk is never ahead of its own cursor: a
 * patch that could not be written is written with the next one (SYNC-1).
 */
export class Replica {
  readonly engine: ColumnStore;
  readonly disk: Disk;
  epoch = '';
  cursor = 0;
  syncedAt: Ms | null = null;
  /** When the first request failed since the last sync. */
  missingSince: Ms | null = null;
  committedAt: Ms | null = null;
  /** An older build loaded the data, without a table that this build stores (SYNC-18). */
  lacksTables = false;
  /** Why the disk last refused a write; null when everything is written. */
  full: DiskError | null = null;
  /** Incremented by `begin`: lists of runs from before are invalid after it. */
  generation = 0;
  days = new Map<Day, boolean>();
  /** The server's tags of loaded days. */
  #tags = new Map<Day, string>();
  people: readonly KnownUser[] = [];
  #unsaved: Patch | null = null;
  #segments = new Set<number>();
  /** Ends when the start that is being written is on disk; null: none is being written. */
  #start: Promise<unknown> | null = null;
  #closed = false;

  constructor(engine: ColumnStore, disk: Disk) {
    this.engine = engine;
    this.disk = disk;
  }

  get daysLeft(): number {
    let left = 0;
    for (const here of this.days.values()) if (!here) left += 1;
    return left;
  }

  /** Returns what `applyEvents` needs. */
  base(): Base {
    return {
      row: (table, id) => this.engine.row(table, id),
      run: (n) => this.engine.runs([n]).get(n),
      isComing: (startedAt) =>
        this.days.get(new Date(startedAt).toISOString().slice(0, 10)) === false,
    };
  }

  /**
   * First step of opening (COL-6): loads what the default view needs. Returns the segments that are
   * left to load.
   */
  async open(opened: OpenedStore, now: Ms): Promise<readonly SegmentInfo[]> {
    this.epoch = opened.epoch;
    this.cursor = opened.cursor;
    this.syncedAt = opened.syncedAt;
    this.missingSince = opened.missingSince;
    this.lacksTables = opened.lacksTables;
    this.#know(opened);
    this.people = opened.people;
    return (
      await loadFirstRows(
        this.disk,
        (one) => this.#read(one),
        this.engine,
        opened,
        DEFAULT_VIEW,
        now,
      )
    ).rest;
  }

  /**
   * Second step: loads all other rows and runs. Nothing is folded before it is done, because a fold
   * over missing rows would be wrong.
   */
  async openRest(
    opened: OpenedStore,
    rest: readonly SegmentInfo[],
    pause: () => Promise<void>,
  ): Promise<void> {
    await openSnapshots(this.disk, this.engine, opened, pause);
    for (const segment of rest) {
      await this.loadSegment(segment);
      await pause();
    }
  }

  /**
   * Loads segments and patches that another tab has written since. Returns false if that isn't
   * enough: then open again.
   */
  async catchUp(opened: OpenedStore): Promise<boolean> {
    if (opened.epoch !== this.epoch) return false;
    this.missingSince = opened.missingSince;
    this.#know(opened);
    for (const segment of opened.segments)
      if (!this.#segments.has(segment.id)) await this.loadSegment(segment);
    for (const patch of opened.patches) this.#show(patch);
    return this.cursor === opened.cursor;
  }

  async loadSegment(segment: SegmentInfo): Promise<void> {
    const columns = await this.#read(segment);
    if (columns) this.engine.addSegment(columns);
  }

  /** Returns since when the server has not answered, also before this page was opened (OFF-1). */
  noteMissing(since: Ms | null): Ms | null {
    if (since === null) return this.missingSince;
    if (this.missingSince !== null) return Math.min(since, this.missingSince);
    this.missingSince = since;
    void this.disk.noteMissing(since).catch(unlessDisk);
    return since;
  }

  /** Stops all writes and updates, including those in flight. */
  close(): void {
    this.#closed = true;
  }

  /**
   * Starts over from a bootstrap. Memory follows only after the disk has it, because a half-written
   * start would leave holes. `checked`: its rows.
   */
  async begin(start: Bootstrap, checked: SmallRows): Promise<void> {
    const { epoch, cursor, me, branding, people, sources, days } = start;
    const rows: SmallRows = {
      ...checked,
      lastSync: sources === null ? [] : [lastSyncRow(sources)],
    };
    const fresh: Fresh = {
      epoch,
      cursor,
      me,
      branding,
      people,
      rows,
      days: days.map(({ day }) => day),
    };
    this.#stillOpen();
    const written = this.disk.begin(fresh);
    this.#start = written.catch(() => undefined);
    try {
      await written;
    } finally {
      this.#start = null;
    }
    this.#stillOpen();
    this.reset();
    this.epoch = epoch;
    this.cursor = cursor;
    this.days = new Map(fresh.days.map((day) => [day, false]));
    this.lacksTables = false;
    this.people = people;
    this.engine.zone(branding.timeZone, branding.dayBeginsHour);
    this.engine.people(people);
    this.engine.put(rows);
  }

  /** Stores a change of the account outside of the log, if there is a load that it belongs to. */
  async saveUser(me: Me, branding: Branding): Promise<void> {
    // Until a start is written, memory has the people of the former one, whom the user may no
    // longer see.
    while (this.#start !== null) await this.#start;
    if (this.epoch === '') return;
    await this.#write(() => this.disk.saveUser({ me, branding, people: this.people }));
  }

  /** Clears the memory to be filled again. */
  reset(): void {
    this.engine.clear();
    this.generation += 1;
    this.epoch = '';
    this.cursor = 0;
    this.days = new Map();
    this.#tags.clear();
    this.#unsaved = null;
    this.#segments.clear();
    this.full = null;
  }

  /** Takes the days into memory while they are encrypted and written. */
  async addDays(days: readonly DayRuns[]): Promise<void> {
    const written = this.#write(() => this.disk.addDays(days));
    for (const { pages } of days) for (const page of pages) this.engine.addSegment(page);
    await written;
    for (const { day, tag } of days) {
      this.days.set(day, true);
      if (tag === undefined) this.#tags.delete(day);
      else this.#tags.set(day, tag);
    }
  }

  /** Whether a day is loaded completely, as the server's page with that tag. */
  holds(epoch: string, day: Day, tag: string): boolean {
    return epoch === this.epoch && this.days.get(day) === true && this.#tags.get(day) === tag;
  }

  /** Returns a day from memory. */
  dayOf(day: Day, tag: string): DayRuns {
    const from = Date.parse(day);
    const ids = this.engine.select({ ...EVERYTHING, from, to: from + DAY_MS }, 0).ids();
    return {
      day,
      tag,
      pages: getPages([...this.engine.runs([...ids]).values()]).map(({ bytes }) =>
        viewColumns(bytes.buffer),
      ),
    };
  }

  /**
   * Writes the patch, then shows it. `id`: its number on disk; null if the disk is full and it
   * waits for the next.
   */
  async apply(
    applied: Applied,
    now: Ms,
  ): Promise<{ readonly id: number | null; readonly patch: Patch }> {
    const patch = this.#rekinded(applied);
    const whole = this.#unsaved ? mergePatches(this.#unsaved, patch) : patch;
    this.#unsaved = whole;
    const id = await this.#write(() => this.disk.append(whole, now));
    if (id !== null) this.#unsaved = null;
    this.syncedAt = now;
    this.committedAt = applied.committedAt ?? this.committedAt;
    this.#show(patch);
    return { id, patch };
  }

  /**
   * Takes in a patch that another tab wrote. A late one, from an earlier leader, is already
   * included: its rows are older.
   */
  follow(patch: Patch, committedAt: Ms | null, syncedAt: Ms | null): void {
    if (patch.cursor > this.cursor) this.#show(patch);
    else
      this.engine.put({
        lastSync: (patch.rows.lastSync ?? []).filter(
          ({ asOf: cutoffAt }) => cutoffAt >= (this.engine.row('lastSync', 'all')?.asOf ?? 0),
        ),
      }); // it belongs to no event, so the cursor doesn't move
    this.committedAt = committedAt ?? this.committedAt;
    this.syncedAt = syncedAt ?? this.syncedAt;
  }

  /** The server's tag of the stored last sync of the sources. */
  get sourcesTag(): string {
    return this.engine.row('lastSync', 'all')?.tag ?? '';
  }

  named(people: readonly KnownUser[]): void {
    this.people = people;
    this.engine.people(people);
  }

  knows(id: UserId): boolean {
    return this.people.some((one) => one.id === id);
  }

  /** Returns null if it is unreadable: its days are then missing, and are fetched again. */
  async #read({ id }: SegmentInfo): Promise<RunColumns | null> {
    try {
      const columns = await this.disk.segment(id);
      this.#segments.add(id);
      return columns;
    } catch (error) {
      if (!(error instanceof DiskError) || error.kind !== 'corrupt') throw error;
      for (const day of error.days) this.days.set(day, false);
      return null;
    }
  }

  #know({ days }: OpenedStore): void {
    this.days = new Map(days.map(({ day, here }) => [day, here]));
    this.#tags = new Map(
      days.flatMap(({ day, tag }) => (tag === undefined ? [] : [[day, tag] as const])),
    );
  }

  #show(patch: Patch): void {
    this.engine.put(patch.rows);
    this.engine.upsert(patch.runs);
    this.cursor = Math.max(this.cursor, patch.cursor);
  }

  /**
   * Adds runs of jobs whose kind changed to the patch, so that a synced device equals a freshly
   * loaded one (SYNC-2).
   */
  #rekinded({ patch, rekinded }: Applied): Patch {
    if (rekinded.length === 0) return patch;
    const known = new Set(patch.runs.map(({ n }) => n));
    const more: LeanRun[] = [];
    for (const n of rekinded) {
      const job = patch.rows.job?.find((row) => row.n === n);
      if (!job) continue;
      const ids = [...this.engine.select({ ...EVERYTHING, jobs: [n] }, 0).ids()].filter(
        (id) => !known.has(id),
      );
      for (const run of this.engine.runs(ids).values()) more.push(rekind(run, job));
    }
    return { ...patch, runs: [...patch.runs, ...more] };
  }

  #stillOpen(): void {
    if (this.#closed) throw new DiskError('unavailable', 'The data of this user has been closed.');
  }

  async #write<T>(work: () => Promise<T>): Promise<T | null> {
    this.#stillOpen();
    try {
      const done = await work();
      this.#stillOpen();
      this.full = null;
      return done;
    } catch (error) {
      if (!(error instanceof DiskError) || error.kind !== 'full') throw error;
      this.full = error;
      return null;
    }
  }
}

export const lastSyncRow = (sources: SyncedSources): LastSyncRow => ({ id: 'all', ...sources });
