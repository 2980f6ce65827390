import * as v from 'valibot';
import type { Logged } from '#contract/events.ts';
import { LoggedSchema } from '#contract/events.ts';
import { emptyTables, fold } from '#contract/fold.ts';
import { renameActor, renameEvent } from '#contract/former-events.ts';
import type { RowId, Rows, FoldTable } from '#contract/fold.ts';
import type { Tables } from '#contract/tables.ts';
import type { CommandId, JobN, KeyId, Ms, RunN, UserId } from '#contract/ids.ts';
import { toLeanRun, statusCode } from '#contract/runs/columns.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { JobRow, ProblemRow, RunRow } from '#contract/runs/rows.ts';
import { STATUSES } from '#contract/runs/vocabulary.ts';
import type { DeviceTables, FoldedTable, Patch, SmallRows, SmallTable } from '#workers/types.ts';
import { FOLDED_TABLES, getId, SMALL_TABLES } from '#workers/tables.ts';

/** The rows on the device before the events. */
export interface Base {
  row<T extends FoldedTable>(table: T, id: RowId): Tables[T] | undefined;
  run(n: RunN): LeanRun | undefined;
  /** The run's day is not loaded yet: its page will contain the run's current state. */
  isComing(startedAt: Ms): boolean;
}

/** The result of applying a part of the log. */
export interface Applied {
  readonly patch: Patch;
  /** Commands of any user, in the order of their events, each once. */
  readonly commands: readonly CommandId[];
  /** The server's time of the newest event. */
  readonly committedAt: Ms | null;
  /**
   * Jobs whose kind changed: all of their runs must be updated (a run's columns repeat its job's
   * kind).
   */
  readonly rekinded: readonly JobN[];
  /** Problems whose note or snooze an event replaced, as they were before (OUT-6). */
  readonly replaced: readonly { readonly by: Logged; readonly before: ProblemRow }[];
  /** Users who acted. */
  readonly people: ReadonlySet<UserId>;
  /** Users whose scope changed. */
  readonly scoped: ReadonlySet<UserId>;
  /** A company was deleted: its data on this device must be removed. */
  readonly gone: boolean;
  /** Events that could not be read or folded, and were skipped (G11). */
  readonly poison: readonly string[];
}

type Written = { readonly [T in FoldedTable | 'run']: Map<RowId, Tables[T]> };
/** The changed rows, by table and id; runs are columns. */
type RowsById = { readonly [T in SmallTable]: Map<RowId, DeviceTables[T]> };

/**
 * Pure: the same events in any batches give the same rows (SYNC-2). An event is applied completely
 * or not at all.
 */
export function applyEvents(base: Base, events: readonly unknown[], cursor: number): Applied {
  const written = noWrites();
  const commands = new Set<CommandId>();
  const rekinded = new Set<JobN>();
  const people = new Set<UserId>();
  const scoped = new Set<UserId>();
  const poison: string[] = [];
  const replaced: { by: Logged; before: ProblemRow }[] = [];
  let committedAt: Ms | null = null;
  let gone = false;
  for (const raw of events) {
    const parsed = v.safeParse(LoggedSchema, withCurrentName(raw));
    if (!parsed.success) {
      poison.push(getName(raw));
      continue;
    }
    const logged = parsed.output;
    const { event } = logged;
    if (event.type === 'job.updated@1') {
      const before = written.job.get(event.data.n) ?? base.row('job', event.data.n);
      if (
        before &&
        (before.managed !== event.data.managed ||
          before.source !== event.data.source ||
          before.type !== event.data.type)
      )
        rekinded.add(before.n);
    } else if (event.type === 'problem.noted@1' || event.type === 'problem.snoozed@1') {
      for (const n of event.data.problems) {
        const before = written.problem.get(n) ?? base.row('problem', n);
        if (before) replaced.push({ by: logged, before });
      }
    } else if (event.type === 'user.scoped@1') scoped.add(event.data.id);
    else if (event.type === 'company.deleted@1' || event.type === 'company.restored@1') gone = true;
    if (!foldInto(base, written, logged)) {
      poison.push(getName(raw));
      continue;
    }
    if (logged.commandId !== null) commands.add(logged.commandId);
    if (logged.actor.kind === 'user') people.add(logged.subject ?? logged.actor.id);
    committedAt = Math.max(committedAt ?? 0, logged.at);
  }
  const runs: LeanRun[] = [];
  for (const run of written.run.values()) {
    const job = written.job.get(run.job) ?? base.row('job', run.job);
    if (job) runs.push(toLeanRun(run, job));
    else poison.push(`run-without-job:${run.n}`);
  }
  return {
    patch: { cursor, rows: splitSmallRows(written), runs },
    commands: [...commands],
    committedAt,
    rekinded: [...rekinded],
    replaced,
    people,
    scoped,
    gone,
    poison,
  };
}

/** Merges two consecutive patches. */
export function mergePatches(first: Patch, second: Patch): Patch {
  const { run: _, ...folded } = noWrites();
  const written: RowsById = { ...folded, lastSync: new Map() };
  for (const { rows } of [first, second])
    for (const table of SMALL_TABLES) {
      for (const row of rows[table] ?? [])
        (written[table] as Map<RowId, unknown>).set(getId(table, row), row);
    }
  const runs = new Map([...first.runs, ...second.runs].map((run) => [run.n, run]));
  return { cursor: second.cursor, rows: splitSmallRows(written), runs: [...runs.values()] };
}

const WRITTEN = [...FOLDED_TABLES, 'run'] as const;
const noWrites = (): Written => emptyTables(WRITTEN);

function splitSmallRows(written: Written | RowsById): SmallRows {
  const rows: Partial<Record<SmallTable, readonly unknown[]>> = {};
  for (const [table, byId] of Object.entries(written) as [
    SmallTable | 'run',
    Map<RowId, unknown>,
  ][])
    if (table !== 'run' && byId.size > 0) rows[table] = [...byId.values()];
  return rows as SmallRows;
}

/** Folds one event, completely or not at all. */
function foldInto(base: Base, written: Written, logged: Logged): boolean {
  const staged = noWrites();
  const table = <T extends FoldedTable>(name: T): FoldTable<Tables[T]> => ({
    get: (id) =>
      (staged[name] as Map<RowId, Tables[T]>).get(id) ??
      (written[name] as Map<RowId, Tables[T]>).get(id) ??
      base.row(name, id),
    set: (id, row) => {
      (staged[name] as Map<RowId, Tables[T]>).set(id, row);
    },
  });
  const run: FoldTable<RunRow> = {
    get(id) {
      const here = staged.run.get(id) ?? written.run.get(id);
      if (here) return here;
      const lean = base.run(Number(id));
      return lean && getRun(lean);
    },
    set: (id, row) => {
      // Before its day is loaded, it is unknown whether a run that starts here has already ended:
      // the day's page will tell.
      if (
        row.status === 'Running' &&
        !staged.run.has(id) &&
        !written.run.has(id) &&
        !base.run(Number(id)) &&
        base.isComing(row.startedAt)
      )
        return;
      staged.run.set(id, row);
    },
  };
  const rows = {
    ...Object.fromEntries(FOLDED_TABLES.map((name) => [name, table(name)])),
    run,
  } as Rows;
  try {
    fold(rows, logged);
  } catch {
    return false;
  }
  for (const name of WRITTEN)
    for (const [id, row] of staged[name]) (written[name] as Map<RowId, unknown>).set(id, row);
  return true;
}

/**
 * Returns as much of a run as its columns hold: enough for a fold to see that it exists, and
 * whether it has ended.
 */
const getRun = (lean: LeanRun): RunRow => ({
  n: lean.n,
  job: lean.job,
  company: lean.company,
  key: '' as KeyId,
  uid: '',
  status: STATUSES[statusCode(lean.kind)] ?? 'Running',
  startedAt: lean.startSec * 1000,
  endedAt: null,
  durationSec: lean.elapsedSec,
  bytes: lean.bytes,
  bytesProcessed: null,
  files: null,
  filesFailed: null,
  message: lean.message,
  exitCode: null,
  anomaly: [],
  problem: lean.problem,
  hasLog: false,
  detail: {},
});

/** Sets the kind bits that a run takes from its job (managed, source, type). */
export const rekind = (run: LeanRun, job: JobRow): LeanRun => {
  const status = STATUSES[statusCode(run.kind)] ?? 'Running';
  const { kind } = toLeanRun({ ...getRun(run), status }, job);
  return { ...run, kind: (kind & ~8) | (run.kind & 8) };
};

/** A server of the version before sends events under their former names. */
function withCurrentName(raw: unknown): unknown {
  const logged = raw as {
    readonly actor?: unknown;
    readonly event?: { readonly type?: unknown; readonly data?: unknown };
  } | null;
  const event = logged?.event;
  if (typeof event?.type !== 'string' || typeof event.data !== 'object' || event.data === null)
    return raw;
  return {
    ...logged,
    actor: renameActor(logged?.actor),
    event: renameEvent({ type: event.type, data: event.data }),
  };
}

const getName = (raw: unknown): string => {
  const one = raw as { seq?: unknown; event?: { type?: unknown } } | null;
  const seq = typeof one?.seq === 'number' ? one.seq : '?';
  const type = typeof one?.event?.type === 'string' ? one.event.type.slice(0, 60) : 'unreadable';
  return `${type} (${seq})`;
};
