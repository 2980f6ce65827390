import type { Logged } from '#contract/events.ts';
import { fold, type RowId, type Rows } from '#contract/fold.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import type { CompanyN, Day, JobN, Ms, RunN } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { DAY_MS } from '#contract/time/durations.ts';

/** Rows in memory: those that the events change, or all of them. */
export type CachedRows = { readonly [T in TableName]: Map<RowId, Tables[T]> };

/** Something to read by its key. A map is one. */
export interface Lookup<K, V> {
  get(key: K): V | undefined;
}

/** The rows before an event, of the tables that the caller maintains. */
export type RowsBefore = { readonly [T in TableName]?: Lookup<RowId, Tables[T]> };

/**
 * A job, and the start time of one of its runs that was created or changed, before and after the
 * change.
 */
export type AffectedRun = { readonly job: JobN; readonly at: Ms };

/** What events change. The numbers of events are their `seq`. */
export interface ProjectedChanges {
  /** The rows after the events, of the tables that they changed. `made`: those that are new. */
  readonly rows: {
    [T in TableName]?: { readonly after: Map<RowId, Tables[T]>; readonly made: Set<RowId> };
  };
  /** For each changed run, the last event that changed it. */
  readonly runSeq: Map<RunN, number>;
  /** For each UTC day with a changed run: how many runs it gained, and the last event. */
  readonly days: Map<Day, { readonly gained: number; readonly seq: number }>;
  /** For each company, the last event that changed a field of a job that its runs show (SYNC-11). */
  readonly kindSeq: Map<CompanyN, number>;
  readonly placed: AffectedRun[];
  readonly quarantined: { readonly seq: number; readonly reason: string; readonly at: Ms }[];
}

/** Folds events over `before`, which stays as it is. */
export interface Projection {
  /** The rows after the events so far. */
  readonly rows: Rows;
  readonly changes: ProjectedChanges;
  /**
   * Folds an event.
   * @throws what the fold throws. The event then changes nothing.
   */
  readonly fold: (logged: Logged) => void;
  /** Folds an event. If the fold throws, the event changes nothing and is quarantined (LOG-7). */
  readonly foldOrQuarantine: (logged: Logged, read?: typeof unchanged) => void;
}

interface Write {
  readonly table: TableName;
  readonly id: RowId;
  /** The row before the event, and whether an earlier event had changed it. */
  readonly before: Tables[TableName] | undefined;
  readonly isChanged: boolean;
  readonly after: Tables[TableName];
}

export function makeProjection(before: RowsBefore): Projection {
  const changes: ProjectedChanges = {
    rows: {},
    runSeq: new Map(),
    days: new Map(),
    kindSeq: new Map(),
    placed: [],
    quarantined: [],
  };
  /** The writes of one event. */
  let writes: Write[] = [];
  const dayAt = makeUtcDay();
  const rows: Record<string, unknown> = {};
  for (const name of Object.keys(before) as TableName[])
    rows[name] = overlay(
      name,
      before[name] as Lookup<RowId, Tables[TableName]>,
      changes,
      (write) => {
        writes.push(write);
      },
    );
  const projection: Projection = {
    rows,
    changes,
    fold(logged) {
      try {
        fold(rows, logged);
      } catch (error) {
        for (const write of writes.toReversed()) undo(changes, write);
        writes = [];
        throw error;
      }
      for (const write of writes) note(changes, write, logged.seq, dayAt);
      writes = [];
    },
    foldOrQuarantine(logged, read = unchanged) {
      try {
        projection.fold(read(rows, logged));
      } catch (error) {
        changes.quarantined.push({
          seq: logged.seq,
          reason: error instanceof Error ? error.message : String(error),
          at: logged.at,
        });
      }
    },
  };
  return projection;
}

const unchanged = (_: Rows, logged: Logged): Logged => logged;

/** Folds events into `held`, after `read` has converted each. */
export function project(
  cached: CachedRows,
  events: readonly Logged[],
  read?: typeof unchanged,
): ProjectedChanges {
  const { changes, foldOrQuarantine } = makeProjection(cached);
  for (const logged of events) foldOrQuarantine(logged, read);
  holdChanges(cached, changes);
  return changes;
}

/** Puts changed rows into `held`. */
export function holdChanges(cached: CachedRows, { rows }: ProjectedChanges): void {
  for (const name of Object.keys(rows) as TableName[])
    for (const [id, row] of rows[name]?.after ?? [])
      (cached[name] as Map<RowId, Tables[TableName]>).set(id, row);
}

/** A table whose writes go to `changes`. */
function overlay<R extends Tables[TableName]>(
  table: TableName,
  before: Lookup<RowId, R>,
  changes: ProjectedChanges,
  noteWrite: (write: Write) => void,
): { get(id: RowId): R | undefined; set(id: RowId, row: R): void } {
  // Made by the first write, and the same from then on.
  let after: Map<RowId, Tables[TableName]> | null = null;
  const get = (id: RowId): R | undefined =>
    (after === null ? undefined : (after.get(id) as R | undefined)) ?? before.get(id);
  return {
    get,
    set(id, row) {
      after ??= getChanges(changes, table).after;
      noteWrite({ table, id, before: get(id), isChanged: after.has(id), after: row });
      after.set(id, row);
    },
  };
}

function getChanges(
  { rows }: ProjectedChanges,
  table: TableName,
): { readonly after: Map<RowId, Tables[TableName]>; readonly made: Set<RowId> } {
  const known = rows[table];
  if (known) return known;
  const fresh = { after: new Map<RowId, never>(), made: new Set<RowId>() };
  rows[table] = fresh;
  return fresh;
}

function undo(changes: ProjectedChanges, { table, id, before, isChanged }: Write): void {
  const { after } = getChanges(changes, table);
  if (isChanged && before !== undefined) after.set(id, before);
  else after.delete(id);
}

function note(
  changes: ProjectedChanges,
  { table, id, before, after }: Write,
  seq: number,
  dayAt: typeof utcDay,
): void {
  if (before === undefined) getChanges(changes, table).made.add(id);
  if (table === 'run') {
    const run = (before as Tables['run'] | undefined) ?? null;
    noteRun(changes, run, after as Tables['run'], seq, dayAt);
  }
  if (table === 'job' && before !== undefined)
    noteKind(changes, before as Tables['job'], after as Tables['job'], seq);
}

function noteKind(
  changes: ProjectedChanges,
  before: Tables['job'],
  job: Tables['job'],
  seq: number,
): void {
  if (before.managed !== job.managed || before.source !== job.source || before.type !== job.type)
    changes.kindSeq.set(job.company, seq);
}

function noteRun(
  changes: ProjectedChanges,
  before: Tables['run'] | null,
  run: Tables['run'],
  seq: number,
  dayAt: typeof utcDay,
): void {
  changes.runSeq.set(run.n, seq);
  changes.placed.push({ job: run.job, at: run.startedAt });
  if (before !== null && (before.startedAt !== run.startedAt || before.job !== run.job))
    changes.placed.push({ job: before.job, at: before.startedAt });
  const day = dayAt(run.startedAt);
  const was = before === null ? null : dayAt(before.startedAt);
  gain(changes, day, was === day ? 0 : 1, seq);
  if (was !== null && was !== day) gain(changes, was, -1, seq);
}

/** Returns `utcDay` with a memory of the last day: most runs of a request begin on the same one. */
function makeUtcDay(): typeof utcDay {
  let last = Number.NaN;
  let text: Day = '';
  return (at) => {
    const n = Math.floor(at / DAY_MS);
    if (n !== last) [last, text] = [n, utcDay(at)];
    return text;
  };
}

function gain(changes: ProjectedChanges, day: Day, count: number, seq: number): void {
  changes.days.set(day, { gained: (changes.days.get(day)?.gained ?? 0) + count, seq });
}
