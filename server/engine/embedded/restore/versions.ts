import { sql } from 'kysely';
import type { EngineResult, Reply } from '#contract/engine/engine.ts';
import { isFileVersion } from '../index/file-versions.ts';
import { hasSameContent, mergeVersions } from '../index/merge-versions.ts';
import { NOWHERE } from '../repositories/expired.ts';
import type { FoundObject, Place, StoredItem, Writer } from '../types.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import type { WrittenItem } from './replaced-item.ts';
import { makeContentReader, storeStep, type RunningTask, type TaskItem } from './running-task.ts';
import { nothing } from '../../result.ts';

/**
 * Returns the versions of a file that backups have from before the one that is restored, the oldest
 * first, if the restore is of all versions: those of restore points, and those that Microsoft 365 had.
 * They get its present name.
 */
export async function loadEarlierVersions(
  { store, tenant, request }: RunningTask,
  { objectN, item }: TaskItem,
): Promise<readonly StoredItem[]> {
  const isWanted =
    request.kind === 'restore' &&
    request.input.versions === 'all' &&
    item.kind === 'file' &&
    item.flags.version === undefined;
  if (!isWanted) return [];
  const { rows } = await store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<StoredItem>`
        with chosen as materialized (
          select i.key, i.from_point, coalesce(i.to_point, ${NOWHERE - 1}) as until from item as i
          where i.tenant_id = ${tenant} and i.object_n = ${objectN} and i.n = ${item.n}
        ), earlier as (
          select i.n from item as i join chosen as c on i.key = c.key and i.from_point < c.from_point
          where i.tenant_id = ${tenant} and i.object_n = ${objectN}
          union
          select i.n from item as i join chosen as c on i.folder_key = c.key and i.from_point <= c.until
          where i.tenant_id = ${tenant} and i.object_n = ${objectN} and ${isFileVersion(sql`i`)}
        )
        select v.n, v.key, v.change_key as "changeKey", v.kind, v.title, v.people, v.at, v.changed_at as "changedAt", v.bytes, v.flags, v.parts
        from item as v
        where v.tenant_id = ${tenant} and v.object_n = ${objectN} and v.n in (select n from earlier) and v.parts <> '[]' and v.from_point <> ${NOWHERE}
        order by v.from_point, v.n`.execute(db),
    { readOnly: true },
  );
  // A rename or a move is a version of the index, and none of the content.
  const all = [...mergeVersions(rows), item];
  return all
    .slice(0, -1)
    .filter((version, at) => !hasSameContent(version, all[at + 1] ?? item))
    .map((version) => ({ ...version, key: item.key, title: item.title, at: item.at }));
}

/** The newest version that an interrupted attempt has written. */
export interface BegunVersion {
  /** How many versions are written. */
  readonly count: number;
  readonly found: FoundObject;
}

/**
 * Finds what an interrupted attempt has written of the earlier versions; null: nothing. `find` looks
 * for one of them.
 */
export async function findBegun(
  earlier: readonly StoredItem[],
  find: (version: StoredItem) => Reply<FoundObject | null>,
): Promise<EngineResult<BegunVersion | null>> {
  for (const [at, version] of [...earlier.entries()].toReversed()) {
    const found = await find(version);
    if (!found.ok) return found;
    if (found.value?.isSame) return { ok: true, value: { count: at + 1, found: found.value } };
  }
  return nothing;
}

/** Writes versions one after the other, so that the target keeps each as a version of the file. */
export async function writeVersions(
  task: RunningTask,
  one: TaskItem,
  writer: Writer,
  place: Place,
  input: {
    readonly state: TaskItem['state'];
    readonly versions: readonly StoredItem[];
    readonly replaces: FoundObject | null;
    readonly keepBoth: boolean;
    readonly others?: readonly string[];
  },
): Reply<WrittenItem> {
  if (task.request.kind !== 'restore') throw new Error('Not a restore.');
  const { flags } = task.request.input;
  let { keepBoth } = input;
  // Earlier versions come first, so the content is written in any case.
  let replaces =
    input.replaces !== null && input.versions.length > 1
      ? { ...input.replaces, hasContent: false }
      : input.replaces;
  const { state } = input;
  for (const [at, version] of input.versions.entries()) {
    const content = makeContentReader(task, version.parts);
    const written = await writer.write(
      place,
      version,
      { replaces, keepBoth, flags, content, ...(input.others && { others: input.others }) },
      task,
    );
    if (!written.ok) return written;
    const result: WrittenItem = { ...written.value, object: place.object };
    if (at === input.versions.length - 1) return { ok: true, value: result };
    await storeStep(task, one.n, { state, written: result });
    replaces = { ...written.value, isSame: false };
    keepBoth = false;
  }
  throw new Error('There is no version to write.');
}

export const withVersions = (message: string, count: number): string =>
  count === 0 ? message : t.withVersions({ message, count });
