import { type RawBuilder, sql } from 'kysely';
import type { EngineError, ObjectKind } from '#contract/engine/engine.ts';
import type { SourceObject } from '../types.ts';
import { loadFolders, stops } from './created-folders.ts';
import { openObject } from './open-object.ts';
import { readStored, type RunningTask } from './running-task.ts';
import { getReturning, getSettingsAt } from './stored-settings.ts';
import { readPath } from '../../shared/task-rows.ts';

type ChannelsEnd =
  | { readonly ok: true; readonly message: string | null }
  | { readonly ok: false; readonly error: EngineError };

/** More would make the message too long. */
const MAX_NAMED = 10;

/**
 * Ends a restore to objects whose folders have people of their own (channels of teams): says for
 * each that it created, or would create, who has it, and for each that it would open. Called again
 * after a crash, it says the same.
 */
export async function finishChannels(task: RunningTask): Promise<ChannelsEnd> {
  const { request } = task;
  if (request.kind !== 'restore' || request.input.target.kind !== 'original') return EMPTY;
  const said: string[] = [];
  const created = request.input.dryRun ? [] : await loadFolders(task);
  const say = (sentence: string | null): void => {
    if (sentence !== null && said.length < MAX_NAMED) said.push(sentence);
  };
  for (const { n, object } of await loadObjects(task)) {
    const writer = task.target.writerOf(object.kind, readStored(task));
    if (writer?.planFolder === undefined || writer.finishFolder === undefined) continue;
    const opened = await openObject(task, { objectN: n }, writer, object);
    if (!opened.ok && stops(opened.error)) return { ok: false, error: opened.error };
    if (!opened.ok) continue;
    const at = opened.value.object;
    const places = request.input.dryRun
      ? (await loadTops(task, n)).map((path) => ({ path, key: null }))
      : created.filter((folder) => folder.object.id === at.id);
    for (const { path, key } of places) {
      const parts = readPath(path);
      const settings = getSettingsAt(task, n, parts);
      const returning = request.input.dryRun ? { returning: getReturning(task, n) } : {};
      const place = { object: at, path: parts, settings, ...returning };
      if (parts.length !== 1 || (key === null && !request.input.dryRun)) continue;
      const end =
        key === null
          ? await writer.planFolder(place, task)
          : await writer.finishFolder(place, key, task);
      if (!end.ok && stops(end.error)) return { ok: false, error: end.error };
      say(end.ok ? end.value : end.error.message);
    }
    const describe = writer.describeOpening?.bind(writer);
    if (describe === undefined || !request.input.dryRun) continue;
    for (const path of await loadPlacesOfPosts(task, n)) {
      const opening = await describe({ object: at, path: readPath(path) }, task);
      if (!opening.ok && stops(opening.error)) return { ok: false, error: opening.error };
      say(opening.ok ? opening.value : null);
    }
  }
  return said.length === 0 ? EMPTY : { ok: true, message: said.join(' ') };
}

const EMPTY = { ok: true, message: null } as const;

/** The objects of which something is restored. */
async function loadObjects({ store, tenant, id }: RunningTask) {
  const rows = await store.tenant(
    tenant,
    async ({ sql: db }) => {
      const found = await sql<Omit<SourceObject, 'parent'> & { readonly n: number }>`
        select o.n, o.kind, o.directory_id as id, o.name, o.address from backup_object as o
        where o.tenant_id = ${tenant} and o.kind = ${'team' satisfies ObjectKind}
          and exists (select from restore_item as r where r.tenant_id = ${tenant} and r.task_id = ${id}::uuid and r.object_n = o.n)
        order by o.n`.execute(db);
      return found.rows;
    },
    { readOnly: true },
  );
  return rows.map(({ n, ...object }) => ({ n, object }));
}

/** The paths of channels in which a dry run has looked for posts. */
const loadPlacesOfPosts = (task: RunningTask, object: number): Promise<readonly string[]> =>
  loadPaths(task, object, sql`i.kind = 'post' and i.parts <> '[]'`);

/** The first parts of the paths of what a dry run would write. */
async function loadTops(task: RunningTask, object: number): Promise<readonly string[]> {
  const paths = await loadPaths(task, object, sql`r.outcome in ('restored', 'merged')`);
  return [...new Set(paths.map((path) => JSON.stringify(readPath(path).slice(0, 1))))].sort();
}

/** The paths of some items of a task, each once. `condition`: on `r`, the item of the task, and `i`, of the index. */
async function loadPaths(
  { store, tenant, id }: RunningTask,
  object: number,
  condition: RawBuilder<unknown>,
): Promise<readonly string[]> {
  const { rows } = await store.tenant(
    tenant,
    ({ sql: db }) =>
      sql<{ path: string }>`
      select distinct r.path from restore_item as r
      join item as i on i.tenant_id = ${tenant} and i.object_n = r.object_n and i.n = r.item_n
      where r.tenant_id = ${tenant} and r.task_id = ${id}::uuid and r.object_n = ${object} and ${condition}
      order by r.path`.execute(db),
    { readOnly: true },
  );
  return rows.map(({ path }) => path);
}
