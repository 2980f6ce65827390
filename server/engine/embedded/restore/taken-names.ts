import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Reply } from '#contract/engine/engine.ts';
import { isFileVersion } from '../index/file-versions.ts';
import type { FoundObject, Place, StoredItem, Writer } from '../types.ts';
import type { Postponed, RunningTask, TaskItem } from './running-task.ts';
import { listItemsByNumber, listItemsWritten } from './task-items.ts';
import { nothing } from '../../result.ts';

// Files of a folder that have each other's names, such as after an exchange. A restore gives each its
// name back, in an order in which the names are free. Of those that wait for each other in a cycle,
// one gets a temporary name first. An undo does the same.

/** Where the target has an item. */
export interface Located {
  readonly found: FoundObject | null;
  /** Another item of the task, whose file has the name until it gets its own. */
  readonly holder: TaskItem | null;
  /** Its file has to get a temporary name, as it waits for itself. */
  readonly breaksCycle: boolean;
}

/** Whether a file gives up a name that another item needs. */
export interface NameResolution {
  /** The item takes its own file, so that this one gives up the name that it has. */
  readonly takesOwn: boolean;
  /** The lowest number of the items that wait for each other with this one; null: it is in no cycle. */
  readonly breaker: number | null;
}

/**
 * Finds an item. Another file that has its name now is replaced in its place, unless the task gives
 * that one its own name back: then the item is found under whatever name it has. This depends on what
 * was chosen, and not on the order of the work.
 */
export async function locate(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  place: Place,
): Reply<Located> {
  const found = await writer.find(place, one.item, task);
  if (!found.ok) return found;
  const asFound: Located = { found: found.value, holder: null, breaksCycle: false };
  if (found.value?.own === undefined || !replaces(task)) return { ok: true, value: asFound };
  const holder = await findHolder(task, toSearch(one), found.value.key);
  if (holder === null) return { ok: true, value: asFound };
  const resolution = await resolveName(task, one, holder, async (next) => {
    const held = await writer.find(place, next.item, task);
    if (!held.ok) return held;
    if (held.value?.own === undefined) return { ok: true, value: TAKES_OWN };
    const other = await findHolder(task, toSearch(next), held.value.key);
    return { ok: true, value: other ?? STAYS };
  });
  if (!resolution.ok) return resolution;
  const { takesOwn, breaker } = resolution.value;
  return {
    ok: true,
    value: takesOwn ? { found: found.value.own, holder, breaksCycle: breaker === one.n } : asFound,
  };
}

/** What is in the way of a folder. */
export interface BlockedFolder {
  /** The item of the task whose file has the name of the folder, until it gets its own. */
  readonly holder: TaskItem | null;
  /** How many folders follow after the one whose name is taken. */
  readonly below: number;
}

/**
 * Finds a file that has the name of the folder of a place, or of one above it. Null: there is none.
 * `n`: the item that goes there; null: none, as the folder is empty.
 */
export async function findBlocked(
  task: RunningTask,
  { n, objectN }: Pick<NameSearch, 'n' | 'objectN'>,
  writer: Writer,
  place: Place,
): Reply<BlockedFolder | null> {
  const file = (await writer.findFileOnPath?.(place, task)) ?? nothing;
  if (!file.ok || file.value === null) return file.ok ? nothing : file;
  const { key, below } = file.value;
  if (!replaces(task)) return { ok: true, value: { holder: null, below } };
  const path = place.path.slice(0, place.path.length - below - 1);
  const name = place.path[path.length]?.name ?? '';
  const holder = await findHolder(task, { n, objectN, path: JSON.stringify(path), name }, key);
  if (holder === null) return { ok: true, value: { holder, below } };
  const located = await locate(task, holder, writer, { ...place, path });
  if (!located.ok) return located;
  const leaves = located.value.found?.key === key && located.value.found.refusal === undefined;
  return { ok: true, value: { holder: leaves ? holder : null, below } };
}

/** Only then an item replaces its file under another name, and gives up that name. */
function replaces({ request }: RunningTask): boolean {
  if (request.kind !== 'restore') return false;
  const { onConflict, select } = request.input;
  return onConflict === 'replace' && select !== 'missing';
}

/** Finds whether the file that an undo gives its former name waits for itself. */
export async function findUndoHolder(
  task: RunningTask,
  one: TaskItem,
  key: string,
  findName: (next: TaskItem) => Reply<FoundObject | null>,
): Reply<Pick<Located, 'holder' | 'breaksCycle'>> {
  const findNext = async (of: TaskItem, held: string): Promise<TaskItem | null> => {
    const items = await task.store.tenant(task.tenant, (tx) => listItemsWritten(tx, task, held), {
      readOnly: true,
    });
    return items.find(({ n, path }) => n !== of.n && path === of.path) ?? null;
  };
  const holder = await findNext(one, key);
  if (holder === null) return { ok: true, value: { holder, breaksCycle: false } };
  const resolution = await resolveName(task, one, holder, async (next) => {
    const held = await findName(next);
    if (!held.ok) return held;
    if (held.value?.own === undefined) return { ok: true, value: TAKES_OWN };
    return { ok: true, value: (await findNext(next, held.value.key)) ?? STAYS };
  });
  return resolution.ok
    ? { ok: true, value: { holder, breaksCycle: resolution.value.breaker === one.n } }
    : resolution;
}

/** How a chain of files that wait for each other ends: its last name is free, or stays taken. */
const TAKES_OWN = 'takes-own';
const STAYS = 'stays';

/** Follows who has the name of whom, from the holder of the item's name to the end of the chain. */
async function resolveName(
  { nameResolutions }: RunningTask,
  one: TaskItem,
  holder: TaskItem,
  findNext: (next: TaskItem) => Reply<TaskItem | typeof TAKES_OWN | typeof STAYS>,
): Reply<NameResolution> {
  const chain = [one.n];
  const end = (takesOwn: boolean, cycle: readonly number[] = []): Reply<NameResolution> => {
    const first = cycle.length === 0 ? null : Math.min(...cycle);
    // Another item's search may have ended meanwhile, and seen the whole cycle.
    for (const n of chain.filter((member) => !nameResolutions.has(member)))
      nameResolutions.set(n, { takesOwn, breaker: cycle.includes(n) ? first : null });
    return Promise.resolve({
      ok: true,
      value: nameResolutions.get(one.n) ?? { takesOwn, breaker: null },
    });
  };
  const known = nameResolutions.get(one.n);
  if (known !== undefined) return { ok: true, value: known };
  for (let next = holder; ;) {
    if (chain.includes(next.n)) return end(true, chain.slice(chain.indexOf(next.n)));
    const resolution = nameResolutions.get(next.n);
    if (resolution !== undefined) return end(resolution.takesOwn);
    chain.push(next.n);
    const after = await findNext(next);
    if (!after.ok) return after;
    if (after.value === TAKES_OWN || after.value === STAYS) return end(after.value === TAKES_OWN);
    next = after.value;
  }
}

/** A name in a folder of an object that an item of a task needs; `n` null: a folder without items. */
interface NameSearch {
  readonly n: number | null;
  readonly objectN: number;
  readonly path: string;
  readonly name: string;
}
const toSearch = ({ n, objectN, path, item }: TaskItem): NameSearch => ({
  n,
  objectN,
  path,
  name: item.title,
});

/** Another item of the task that goes to the same folder under another name, and whose file this is. */
async function findHolder(
  task: RunningTask,
  { n, objectN, path, name }: NameSearch,
  key: string,
): Promise<TaskItem | null> {
  const selection = await (task.selection ??= loadSelection(task));
  return task.store.tenant(
    task.tenant,
    async (tx) => {
      const { rows } = await sql<{ readonly n: number }>`
        select i.n from item as i where i.tenant_id = ${tx.tenant} and i.object_n = ${objectN}
          and (i.key = ${key} or (i.folder_key = ${key} and ${isFileVersion(sql`i`)}))`.execute(
        tx.sql,
      );
      const numbers = rows.flatMap((row) => selection.get(getIndexId(objectN, row.n)) ?? []);
      if (numbers.length === 0) return null;
      const items = await listItemsByNumber(tx, task, numbers);
      return (
        items.find(
          (other) =>
            other.n !== n &&
            other.path === path &&
            other.item.key === key &&
            other.item.parts.length > 0 &&
            other.item.title.toLowerCase() !== name.toLowerCase(),
        ) ?? null
      );
    },
    { readOnly: true },
  );
}

/** The numbers of the items of a task that are these in the index. */
export async function findNumbers(
  task: RunningTask,
  object: number,
  items: readonly number[],
): Promise<readonly number[]> {
  const selection = await (task.selection ??= loadSelection(task));
  return items.flatMap((item) => selection.get(getIndexId(object, item)) ?? []);
}

/** Finds the first of some items of a task that is not done, by their numbers. Null: there is none. */
export async function findUnwritten(
  { store, tenant, id }: RunningTask,
  numbers: readonly number[],
): Promise<number | null> {
  const row = await store.tenant(
    tenant,
    ({ sql: db }) =>
      db
        .selectFrom('restore_item')
        .select('n')
        .where('tenant_id', '=', tenant)
        .where('task_id', '=', id)
        .where('n', '=', sql<number>`any(${numbers}::int[])`)
        .where('state', '<>', 'done')
        .orderBy('n')
        .executeTakeFirst(),
    { readOnly: true },
  );
  return row?.n ?? null;
}

const getIndexId = (object: number, item: number): string => `${object} ${item}`;

/** What was chosen, loaded once and only if it is needed: a search for each would read all rows. */
const loadSelection = ({ store, tenant, id }: RunningTask): NonNullable<RunningTask['selection']> =>
  store.tenant(
    tenant,
    async ({ sql: db }) => {
      const rows = await db
        .selectFrom('restore_item')
        .select(['n', 'object_n', 'item_n'])
        .where('tenant_id', '=', tenant)
        .where('task_id', '=', id)
        .execute();
      const selection = new Map<string, number[]>();
      for (const row of rows) {
        const chosen = getIndexId(row.object_n, row.item_n);
        selection.set(chosen, [...(selection.get(chosen) ?? []), row.n]);
      }
      return selection;
    },
    { readOnly: true },
  );

/** Lets an item wait for another one, which is in its way. */
export function postpone({ items, waiting }: Postponed, n: number, holder: number | null): void {
  items.add(n);
  if (holder !== null) waiting.set(holder, [...(waiting.get(holder) ?? []), n]);
}

/** An item is done, or its file has another name: those that waited for it are next. */
export function release(postponed: Postponed, n: number): void {
  postponed.hasProgressed = true;
  for (const waiter of postponed.waiting.get(n) ?? []) postponed.items.delete(waiter);
  postponed.waiting.delete(n);
}

/** Begins another turn of what was postponed. It is the last one if the former one changed nothing. */
export function beginTurn(postponed: Postponed): void {
  postponed.isLastTry = !postponed.hasProgressed;
  postponed.hasProgressed = false;
  postponed.items.clear();
  postponed.waiting.clear();
}

const MAX_STEM = 100;

/** The temporary name of a file, the same for a restore and its undo, which recognizes it. */
export function getTemporaryName({ request, id }: RunningTask, name: string, key: string): string {
  const restore = request.kind === 'undo' ? request.task : id;
  const mark = createHash('sha256').update(`${restore} ${key}`).digest('hex').slice(0, 8);
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  return `${stem.slice(0, MAX_STEM).trim()}-restore-${mark}${extension}`;
}

/** The file of an item if it has its temporary name. */
export function findMoved(
  task: RunningTask,
  { title }: Pick<StoredItem, 'title'>,
  found: FoundObject | null,
): FoundObject | null {
  const own = found?.own === undefined ? found : found.own;
  return own !== null && own.name === getTemporaryName(task, title, own.key) ? own : null;
}
