import type { NewEvent, Logged } from '#contract/events.ts';
import { type RowId, touches } from '#contract/fold.ts';
import type { TableName } from '#contract/tables.ts';
import type { EventMeta, CounterValues } from '../db/store.ts';
import { type Folded, makeFolding } from './folding.ts';
import type { LastStatements } from './last-statements.ts';
import type { LogChain } from './log-hash.ts';
import { type AffectedRun, type CachedRows, holdChanges } from './projection.ts';
import { getTotalsStatement } from './totals.ts';
import { validateEvent } from './validate-events.ts';
import {
  BATCH_SIZE,
  type ChangedDays,
  getDaysStatement,
  type WriteTarget,
  runsOfLog,
  getSample,
  writeChanges,
  writeLog,
  writeSamples,
} from './write.ts';

/**
 * What an append needs of its transaction. `loadRows` loads rows into `held`, one query per table;
 * `raise` locks the head row.
 */
export interface WriteContext extends WriteTarget {
  readonly cached: CachedRows;
  /**
   * Raises the head by `count`, and the counters by the numbers taken. Returns the previous head.
   */
  raise(count: number, taken: Partial<CounterValues>): Promise<number>;
  loadRows(table: TableName, ids: Iterable<RowId>): Promise<void>;
  readonly sent: PendingStatements;
  readonly chain: LogChain;
  readonly last: LastStatements;
}

/** Statements that were sent and not awaited yet. */
export interface PendingStatements {
  add(statement: Promise<unknown>): void;
  /** Waits until few are pending. Throws the error of the first that failed. */
  few(): Promise<void>;
  all(): Promise<void>;
}

/**
 * LOG-2, LOG-3: writes numbers, events and rows in one transaction, which locks the head row first.
 * Returns when the statements are sent.
 */
export async function append(
  context: WriteContext,
  drafts: readonly NewEvent[],
  by: EventMeta | readonly EventMeta[],
  taken: Partial<CounterValues> = {},
): Promise<readonly Logged[]> {
  if (drafts.length === 0) return [];
  const valid = drafts.map(validateEvent);
  const before = await context.raise(valid.length, taken);
  for (const [table, ids] of getAffectedKeys(valid.map(({ draft }) => draft)))
    await context.loadRows(table, ids);
  const folding = makeFolding(context.cached);
  for (const [index, one] of valid.entries()) folding.addOrQuarantine(one, getActor(by, index));
  await write(context, folding.folded, before);
  return folding.folded.events.map((logged, index) => ({ ...logged, seq: before + 1 + index }));
}

/** The same for events that were folded already, over rows that this transaction has loaded. */
export async function appendFolded(
  context: WriteContext,
  folded: Folded,
  taken: Partial<CounterValues>,
): Promise<void> {
  if (folded.events.length > 0)
    await write(context, folded, await context.raise(folded.events.length, taken));
}

/** `before`: the number of the last event before these. */
async function write(context: WriteContext, folded: Folded, before: number): Promise<void> {
  const { events, changes } = folded;
  const first = before + 1;
  const runs = runsOfLog(folded);
  holdChanges(context.cached, changes);
  await context.sent.few();
  // The database works on the first statement while the texts of the others are made. The
  // connection runs them in this order.
  context.sent.add(writeLog(context, folded, runs, first, context.chain));
  await new Promise((resolve) => void setImmediate(resolve));
  for (const statement of [
    ...writeChanges(context, changes, runs, first),
    writeSamples(context, events.flatMap(getSample)),
  ])
    context.sent.add(statement);
  if (changes.days.size > 0)
    context.last.add<ChangedDays>('days', { days: changes.days, first }, (appends) =>
      getDaysStatement(context.tenant, appends),
    );
  if (changes.placed.length > 0)
    context.last.add<readonly AffectedRun[]>('totals', changes.placed, (appends) =>
      getTotalsStatement(context.tenant, appends.flat()),
    );
  // Statements in several pieces start only after these are done.
  if (events.length > BATCH_SIZE) await context.sent.all();
}

function getActor(by: EventMeta | readonly EventMeta[], index: number): EventMeta {
  if ('actor' in by) return by;
  const own = by[index];
  if (own === undefined) throw new Error('An event by nobody.');
  return own;
}

function getAffectedKeys(events: readonly Pick<NewEvent, 'event'>[]): Map<TableName, Set<RowId>> {
  const all = new Map<TableName, Set<RowId>>();
  for (const event of events) {
    for (const [table, id] of touches(event)) {
      const ids = all.get(table);
      if (ids) ids.add(id);
      else all.set(table, new Set([id]));
    }
  }
  return all;
}
