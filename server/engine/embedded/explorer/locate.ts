import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { ItemPlace } from '#contract/engine/search.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import { getStates, isShown, loadState, type ObjectState } from './children.ts';
import type { OpenExplorer } from './explorers.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';
import { folderId, objectId, parseNodeId } from './node-id.ts';
import type { NodeId } from '#contract/ids.ts';

/** Returns where a version of an item is, if the explorer shows it. */
export async function locateItem(
  tx: TenantTx,
  explorer: OpenExplorer,
  node: NodeId,
): Promise<EngineResult<ItemPlace>> {
  const ref = parseNodeId(node);
  if (ref?.kind !== 'item') return failed('missing', t.noNode);
  const state = await loadState(tx, explorer, ref.object);
  if (state === null) return failed('missing', t.noNode);
  const { sql: db, tenant } = tx;
  const isListed = sql<boolean>`v.tenant_id = ${tenant} and v.object_n = ${state.n} and ${isShown(tenant, sql`item`, explorer, state)}`;
  const { rows } = await sql<{ readonly folder: string; readonly index: number }>`
    select found.folder_key as folder, (
      select count(*) from item as v where ${isListed} and v.folder_key = found.folder_key and (v.at, v.n) > (found.at, found.n)) as index
    from item as found
    where found.n in (select v.n from item as v where ${isListed} and v.n = ${ref.n})
      and found.tenant_id = ${tenant} and found.object_n = ${state.n}`.execute(db);
  const [found] = rows;
  if (found === undefined) return failed('missing', t.noNode);
  return ok({
    objects: await listObjectsAbove(tx, explorer, state),
    folders: await listFoldersAbove(tx, explorer, state, found.folder),
    index: found.index,
  });
}

/** The object, below the sites above it that the explorer shows. */
async function listObjectsAbove(
  { sql: db, tenant }: TenantTx,
  explorer: OpenExplorer,
  { n }: ObjectState,
): Promise<readonly NodeId[]> {
  const { rows } = await sql<{ readonly n: number }>`
    with recursive states as materialized (${getStates(tenant, explorer)}), above(n, parent, depth) as (
      select s.n, s.parent, 1 from states as s where s.n = ${n}
      union all
      select s.n, s.parent, above.depth + 1 from above join states as s on s."directoryId" = above.parent where above.depth < ${MAX_DEPTH}
    )
    select n from above order by depth desc`.execute(db);
  return rows.map((row) => objectId(row.n));
}

/** The folders from the top of the object; of a deleted one, its last version. */
async function listFoldersAbove(
  { sql: db, tenant }: TenantTx,
  explorer: OpenExplorer,
  state: ObjectState,
  folder: string,
): Promise<readonly NodeId[]> {
  const { rows } = await sql<{ readonly n: number }>`
    with recursive shown as (
      select v.n, v.key, v.parent_key from folder as v
      where v.tenant_id = ${tenant} and v.object_n = ${state.n} and ${isShown(tenant, sql`folder`, explorer, state)}
    ), above(n, parent, depth) as (
      select f.n, f.parent_key, 1 from shown as f where f.key = ${folder}
      union all
      select f.n, f.parent_key, above.depth + 1 from above join shown as f on f.key = above.parent where above.depth < ${MAX_DEPTH}
    )
    select n from above order by depth desc`.execute(db);
  return rows.map((row) => folderId(state.n, row.n));
}
const MAX_DEPTH = 100;
