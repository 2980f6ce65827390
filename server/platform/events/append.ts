import type { NewEvent, Logged } from '#contract/events.ts';
import { type Id, touches } from '#contract/fold.ts';
import type { TableName } from '#contract/tables.ts';
import { validateEvents } from './validate-events.ts';
import { project } from './projection.ts';
import type { By, Numbers } from '../db/store.ts';
import { writeTotals } from './totals.ts';
import { AT_ONCE, type Place, sampleOf, writeChanges, writeLog, writeSamples } from './write.ts';

/**
 * What an append needs of its transaction. `bring` loads rows into `held`, one query per table;
 * `raise` locks the head row.
 */
export interface Ground extends Place {
  /**
   * Raises the head by `count`, and the counters by the numbers taken. Returns the previous head.
   */
  raise(count: number, taken: Partial<Numbers>): Promise<number>;
  bring(table: TableName, ids: ReadonlySet<Id>): Promise<void>;
  readonly sent: Sent;
}

/** Statements that were sent and not awaited yet. */
export interface Sent {
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
  ground: Ground,
  drafts: readonly NewEvent[],
  by: By | readonly By[],
  taken: Partial<Numbers> = {},
): Promise<readonly Logged[]> {
  if (drafts.length === 0) return [];
  const passed = validateEvents(drafts);
  const before = await ground.raise(passed.length, taken);
  const events = passed.map((draft, index): Logged => ({
    ...draft,
    ...byOf(by, index),
    seq: before + 1 + index,
  }));
  for (const [table, ids] of touched(events)) await ground.bring(table, ids);
  const changes = project(ground.held, events);
  await ground.sent.few();
  // The database works on the first statement while the texts of the others are made. The
  // connection runs them in this order.
  ground.sent.add(writeLog(ground, events, 'actor' in by ? by : null, changes));
  await new Promise((resolve) => void setImmediate(resolve));
  for (const statement of [
    ...writeChanges(ground, changes),
    writeSamples(ground, events.flatMap(sampleOf)),
  ])
    ground.sent.add(statement);
  // Statements in several pieces start only after these are done.
  if (events.length > AT_ONCE) await ground.sent.all();
  ground.sent.add(writeTotals(ground, changes.placed));
  return events;
}

function byOf(by: By | readonly By[], index: number): By {
  if ('actor' in by) return by;
  const own = by[index];
  if (own === undefined) throw new Error('An event by nobody.');
  return own;
}

function touched(events: readonly Logged[]): Map<TableName, Set<Id>> {
  const all = new Map<TableName, Set<Id>>();
  for (const event of events) {
    for (const [table, id] of touches(event)) {
      const ids = all.get(table);
      if (ids) ids.add(id);
      else all.set(table, new Set([id]));
    }
  }
  return all;
}
