import { sql } from 'kysely';
import type { Reply } from '#contract/engine/engine.ts';
import type { FoundObject, Place, StoredItem, Writer } from '../types.ts';
import { decideWrite } from './decide.ts';
import type { RunningTask, TaskItem } from './running-task.ts';
import { findNumbers, findUnwritten, postpone } from './taken-names.ts';
import { nothing } from '../../result.ts';

// Versions of one mail, event, contact, task, row, post or tab that a restore puts into one folder. The
// newest is restored as the item. The others become items of their own, one after the other, each beside
// those of the newer ones.

/** An item of which a restore takes several versions. */
export interface ItemVersions {
  /** The item with the others of its versions. */
  readonly item: StoredItem;
  /** Versions that are newer than this one, the newest first. */
  readonly newer: readonly StoredItem[];
}

/** Returns the versions of an item. */
export async function loadItemVersions(
  { store, tenant }: RunningTask,
  { objectN, item, versions }: TaskItem,
): Promise<ItemVersions> {
  if (versions === undefined) return { item, newer: [] };
  const rows = await store.tenant(
    tenant,
    async ({ sql: db }) => {
      const found = await sql<StoredItem>`
        select i.n, i.key, i.change_key as "changeKey", i.kind, i.title, i.people, i.at, i.changed_at as "changedAt", i.bytes, i.flags, i.parts
        from item as i
        where i.tenant_id = ${tenant} and i.object_n = ${objectN} and i.n = any(${versions}::bigint[])`.execute(
        db,
      );
      return found.rows;
    },
    { readOnly: true },
  );
  const byRank = versions.flatMap((n) => rows.find((row) => row.n === n) ?? []);
  const all = byRank.map((one) => ({
    ...one,
    otherVersions: byRank.filter(({ n }) => n !== one.n),
  }));
  const rank = all.findIndex(({ n }) => n === item.n);
  return {
    item: { ...item, otherVersions: byRank.filter(({ n }) => n !== item.n) },
    newer: all.slice(0, Math.max(rank, 0)),
  };
}

/** Postpones an item until its newer versions are done. Returns whether it waits. */
export async function waitForNewer(
  task: RunningTask,
  { n, objectN }: TaskItem,
  { newer }: ItemVersions,
): Promise<boolean> {
  if (newer.length === 0 || task.isDryRun || task.postponed.isLastTry) return false;
  const numbers = await findNumbers(
    task,
    objectN,
    newer.map((version) => version.n),
  );
  const unwritten = await findUnwritten(task, numbers);
  if (unwritten !== null) postpone(task.postponed, n, unwritten);
  return unwritten !== null;
}

/**
 * Finds the keys of the items that newer versions have in the target, or replace there: a dry run finds
 * those that a restore is going to replace.
 */
export async function findKeysOfNewer(
  task: RunningTask,
  writer: Writer,
  place: Place,
  newer: readonly StoredItem[],
): Reply<readonly string[]> {
  if (task.request.kind !== 'restore') throw new Error('Not a restore.');
  const { input } = task.request;
  const keys: string[] = [];
  for (const [rank, version] of newer.entries()) {
    if (rank > 0) {
      const copy = await findCopyBeside(task, writer, place, version, keys);
      if (!copy.ok) return copy;
      if (copy.value !== null) keys.push(copy.value.key);
      continue;
    }
    const found = await writer.find(place, version, task);
    if (!found.ok) return found;
    const isOther = found.value?.isSame === false && input.onConflict === 'keep-both';
    const copy = isOther
      ? await findCopyBeside(task, writer, place, version, [found.value.key])
      : found;
    if (!copy.ok) return copy;
    const decision = decideWrite(input, copy.value ?? found.value, version.kind);
    const key = decision.do === 'write' ? decision.replaces?.key : undefined;
    if (copy.value?.isSame === true) keys.push(copy.value.key);
    else if (key !== undefined) keys.push(key);
  }
  return { ok: true, value: keys };
}

/** Finds an item that is like a version and not one of others. */
export async function findCopyBeside(
  task: RunningTask,
  writer: Writer,
  place: Place,
  version: StoredItem,
  others: readonly string[],
): Reply<FoundObject | null> {
  const passed = [...others];
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const found = await writer.findCopy(place, version, passed, task);
    if (!found.ok || found.value === null || found.value.isSame) return found;
    passed.push(found.value.key);
  }
  return nothing;
}
const MAX_LOOKS = 50;
