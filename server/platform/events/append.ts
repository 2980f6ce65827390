import type { NewEvent, Logged } from '#contract/events.ts';
import { type Id, type TableName, touches } from '#contract/fold.ts';
import { validateEvents } from './validate-events.ts';
import { project } from './projection.ts';
import type { By, Numbers } from '../db/store.ts';
import { writeTotals } from './totals.ts';
import { AT_ONCE, type Place, sampleOf, writeChanges, writeLog, writeSamples } from './write.ts';

/**
 * What an append needs of its transaction. `bring` loads rows into `held`, one query a table; the
 * head row is locked by `raise`.
 */
export interface Ground extends Place {
  /**
   * Raises the head by `count`, and the numbers by those that are taken; answers what the head was.
   */
  raise(count: number, taken: Partial<Numbers>): Promise<number>;
  bring(table: TableName, ids: ReadonlySet<Id>): Promise<void>;
  readonly sent: Sent;
}

/** Statements that were given to the connection and that nobody waits for before the commit. */
export interface Sent {
  add(statement: Promise<unknown>): void;
  /** Waits until few are left. Throws what the first of the others failed of. */
  few(): Promise<void>;
  all(): Promise<void>;
}

/**
 * LOG-2, LOG-3: numbers, events and rows in the one transaction, in which the head row is locked
 * first. Answers when they are on their way.
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
  // The database works on the first while the texts of the others are made; the connection takes
  // them in this order.
  ground.sent.add(writeLog(ground, events, 'actor' in by ? by : null, changes));
  await new Promise((resolve) => void setImmediate(resolve));
  for (const statement of [
    ...writeChanges(ground, changes),
    writeSamples(ground, events.flatMap(sampleOf)),
  ])
    ground.sent.add(statement);
  // Those that go in several pieces are not begun before these are through.
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
