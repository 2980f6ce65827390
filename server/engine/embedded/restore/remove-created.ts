import { sql } from 'kysely';
import type { EngineError } from '#contract/engine/engine.ts';
import { restoreMessages as t } from '../../shared/restore.messages.en.ts';
import { readPath } from '../../shared/task-rows.ts';
import { parseTeamKey } from '../sources/deleted-team.ts';
import { isChannel } from '../sources/team-listing.ts';
import { getPostKey } from '../sources/team-paths.ts';
import type { FolderRemoval, PathPart, SourceObject } from '../types.ts';
import { type CreatedFolder, loadFolders, stops } from './created-folders.ts';
import type { WrittenItem } from './replaced-item.ts';
import { readStored, type RunningTask } from './running-task.ts';
import { joinNames } from './sentences.ts';
import { listItemsBelow } from './task-items.ts';

/** What stays, as a sentence; or why the task has to wait. */
type RemovalEnd =
  | { readonly ok: true; readonly message: string | null }
  | { readonly ok: false; readonly error: EngineError };

/** The order of removal: a channel goes after its team, with which most of them go. */
const KINDS = ['folder', 'object', 'channel'] as const;
interface Removed extends CreatedFolder {
  readonly key: string;
  readonly parts: readonly PathPart[];
  readonly kind: (typeof KINDS)[number];
}
interface Left extends Removed {
  readonly error: EngineError;
}

/**
 * At the end of an undo, removes what the restore created to put items into (RES-4): folders,
 * calendars, lists, libraries, channels, teams. What holds something else stays, and is named.
 * `isEnd`: all items are done, so that channels and teams go, too. Called again after a crash, it says
 * the same.
 */
export async function removeCreatedFolders(task: RunningTask, isEnd: boolean): Promise<RemovalEnd> {
  if (task.request.kind !== 'undo') return { ok: true, message: null };
  const left: Left[] = [];
  const folders = (await loadFolders(task)).flatMap(toRemoved);
  for (const kind of isEnd ? KINDS : (['folder'] as const))
    for (const folder of folders.filter((one) => one.kind === kind)) {
      const error = await removeCreated(task, folder);
      if (error !== null && stops(error)) return { ok: false, error };
      if (error !== null) left.push({ ...folder, error });
    }
  return { ok: true, message: describeLeft(left) };
}

function toRemoved(folder: CreatedFolder): readonly Removed[] {
  const { path, key } = folder;
  if (key === null) return [];
  const parts = readPath(path);
  const [first] = parts;
  const isOfTeam = parts.length === 1 && isChannel(first?.wellKnown ?? null);
  const kind = first === undefined ? 'object' : isOfTeam ? 'channel' : 'folder';
  return [{ ...folder, key, parts, kind }];
}

/** Returns why something stays, or why the task has to wait; null: it is gone. */
async function removeCreated(task: RunningTask, folder: Removed): Promise<EngineError | null> {
  const { object, key, kind, sharing } = folder;
  const writer = task.target.writerOf(object.kind, readStored(task));
  if (writer === null) return null;
  const removal: FolderRemoval = {
    before: (rest = null) => noteRemoval(task, key, rest),
    findRest: () => findRest(task, key),
    async listWritten(keysBegin, isUndone) {
      const items = await task.store.tenant(
        task.tenant,
        (tx) => listItemsBelow(tx, task, object.id, keysBegin, isUndone),
        { readOnly: true },
      );
      return items.map(({ item, written }) => ({ key: (written as WrittenItem).key, item }));
    },
  };
  const removed = await writer.removeFolder(object, key, task, removal);
  if (removed.ok || removed.error.kind === 'missing') {
    if (kind !== 'folder') await endWithPlace(task, folder);
    return null;
  }
  if (stops(removed.error) || sharing === null) return removed.error;
  // It stays, but nobody gets access by a restore that was undone.
  const unshared = await writer.unshare?.(object, key, sharing.added, task);
  return unshared?.ok === false && stops(unshared.error) ? unshared.error : removed.error;
}

/**
 * Stores that a place is about to be removed, so that a lost response doesn't hide who removed it, and
 * what goes after it.
 */
const noteRemoval = (
  { store, tenant, id }: RunningTask,
  key: string,
  rest: string | null,
): Promise<void> =>
  store.tenant(tenant, async ({ sql: db }) => {
    const removing = JSON.stringify({ [key]: rest ?? true });
    await sql`
      update engine_task set progress = jsonb_set(progress, '{removing}', coalesce(progress -> 'removing', '{}') || ${removing}::text::jsonb)
      where tenant_id = ${tenant} and id = ${id}::uuid`.execute(db);
  });

/** Returns what was to go after a place; null: nothing, or nobody has begun to remove it. */
const findRest = ({ store, tenant, id }: RunningTask, key: string): Promise<string | null> =>
  store.tenant(
    tenant,
    async ({ sql: db }) => {
      const { rows } = await sql<{ readonly rest: unknown }>`
        select progress -> 'removing' -> ${key}::text as rest from engine_task
        where tenant_id = ${tenant} and id = ${id}::uuid`.execute(db);
      const rest = rows[0]?.rest;
      return typeof rest === 'string' ? rest : null;
    },
    { readOnly: true },
  );

/**
 * What only a person could remove has gone with the team or channel that the restore had created: by
 * this undo, or by somebody else before.
 */
const endWithPlace = (
  { store, tenant, id }: RunningTask,
  { object, key, kind }: Removed,
): Promise<void> =>
  store.tenant(tenant, async ({ sql: db }) => {
    const team = kind === 'object' ? parseTeamKey(key) : object.id;
    const keysBegin = kind === 'object' ? '' : getPostKey(key, '');
    const message = kind === 'object' ? t.removedWithTeam : t.removedWithChannel;
    await sql`
      update restore_item as i set
        outcome = case when t.progress -> 'removing' ? ${key}::text then 'restored' else 'skipped' end,
        message = case when t.progress -> 'removing' ? ${key}::text then ${message}::text else ${t.gone}::text end
      from engine_task as t
      where i.tenant_id = ${tenant} and i.task_id = ${id}::uuid and i.outcome = 'failed'
        and i.written -> 'object' ->> 'id' = ${team} and starts_with(i.written ->> 'key', ${keysBegin})
        and t.tenant_id = ${tenant} and t.id = i.task_id`.execute(db);
  });

/** Names what stays, by the reason. */
function describeLeft(left: readonly Left[]): string | null {
  // What is above something that stays is not named.
  const named = left.filter(
    (one) => one.kind !== 'folder' || !left.some((other) => isAbove(one, other)),
  );
  const sentences = [...Map.groupBy(named, getReason)].map(([reason, group]) => {
    const names = [...new Set(group.map((one) => `“${getName(one)}”`))].toSorted();
    return t.createdStays({ count: names.length, names: joinNames(names), reason });
  });
  return sentences.join(' ') || null;
}

const isSameObject = (a: SourceObject, b: SourceObject): boolean =>
  a.kind === b.kind && a.id === b.id;
const isAbove = (upper: Removed, other: Removed): boolean =>
  isSameObject(upper.object, other.object) &&
  upper.parts.length < other.parts.length &&
  upper.parts.every(({ name }, depth) => name === other.parts[depth]?.name);

const getReason = ({ kind, error }: Left): string =>
  kind === 'folder' && error.kind === 'conflict' ? t.createdInUse : error.message;

const getName = ({ object, parts }: Removed): string =>
  parts.map(({ name }) => name).join('/') || object.name;
