import type { Logged } from '#contract/events.ts';
import { fold, type Id, type Rows, type Table } from '#contract/fold.ts';
import { TABLE_NAMES } from '#contract/tables.ts';
import type { TableName, Tables } from '#contract/tables.ts';
import type { Day, JobN, Ms, RunN } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';

/** Rows in memory: those that the events change, or all of them. */
export type Held = { readonly [T in TableName]: Map<Id, Tables[T]> };

/**
 * A job, and the start time of one of its runs that was created or changed, before and after the
 * change.
 */
export type Placed = { readonly job: JobN; readonly at: Ms };

export interface Changes {
  readonly rows: {
    readonly [T in TableName]: { readonly made: Set<Id>; readonly changed: Set<Id> };
  };
  /** For each changed run, the last event that changed it. */
  readonly runSeq: Map<RunN, number>;
  /** For each UTC day with a changed run: how many runs it gained, and the last event. */
  readonly days: Map<Day, { readonly gained: number; readonly seq: number }>;
  readonly placed: Placed[];
  readonly quarantined: { readonly seq: number; readonly reason: string; readonly at: Ms }[];
}

/**
 * Folds events into `held`, after `read` has converted each. If the fold throws, the event changes
 * nothing and is quarantined (LOG-7).
 */
export function project(
  held: Held,
  events: readonly Logged[],
  read: (rows: Rows, logged: Logged) => Logged = (_, logged) => logged,
): Changes {
  const changes: Changes = {
    rows: none(),
    runSeq: new Map(),
    days: new Map(),
    placed: [],
    quarantined: [],
  };
  const staged = stage(held);
  for (const logged of events) {
    try {
      fold(staged.rows, read(staged.rows, logged));
      staged.keep(changes, logged.seq);
    } catch (error) {
      staged.forget();
      changes.quarantined.push({
        seq: logged.seq,
        reason: error instanceof Error ? error.message : String(error),
        at: logged.at,
      });
    }
  }
  return changes;
}

const none = (): Changes['rows'] =>
  Object.fromEntries(
    TABLE_NAMES.map((name) => [name, { made: new Set(), changed: new Set() }]),
  ) as unknown as Changes['rows'];

/** Buffers the writes of one event until its fold is done. */
function stage(held: Held): {
  readonly rows: Rows;
  keep(changes: Changes, seq: number): void;
  forget(): void;
} {
  const writes = new Map<TableName, Map<Id, unknown>>();
  const rows = Object.fromEntries(
    TABLE_NAMES.map((name): [TableName, Table<unknown>] => [
      name,
      {
        get: (id) => writes.get(name)?.get(id) ?? held[name].get(id),
        set(id, row) {
          const own = writes.get(name);
          if (own) own.set(id, row);
          else writes.set(name, new Map([[id, row]]));
        },
      },
    ]),
  ) as Rows;
  return {
    rows,
    keep(changes, seq) {
      for (const [name, own] of writes) {
        for (const [id, row] of own) {
          if (name === 'run') noteRun(changes, held.run.get(id) ?? null, row as Tables['run'], seq);
          const { made, changed } = changes.rows[name];
          if (!held[name].has(id)) made.add(id);
          else if (!made.has(id)) changed.add(id);
          (held[name] as Map<Id, unknown>).set(id, row);
        }
      }
      writes.clear();
    },
    forget: () => writes.clear(),
  };
}

function noteRun(
  changes: Changes,
  before: Tables['run'] | null,
  run: Tables['run'],
  seq: number,
): void {
  changes.runSeq.set(run.n, seq);
  changes.placed.push({ job: run.job, at: run.startedAt });
  if (before !== null && (before.startedAt !== run.startedAt || before.job !== run.job))
    changes.placed.push({ job: before.job, at: before.startedAt });
  const day = utcDay(run.startedAt);
  const was = before === null ? null : utcDay(before.startedAt);
  gain(changes, day, was === day ? 0 : 1, seq);
  if (was !== null && was !== day) gain(changes, was, -1, seq);
}

function gain(changes: Changes, day: Day, count: number, seq: number): void {
  changes.days.set(day, { gained: (changes.days.get(day)?.gained ?? 0) + count, seq });
}
