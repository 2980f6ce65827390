import { sql } from 'kysely';
import type { EngineId } from '#contract/engine/engine.ts';
import type { NamedNode } from '#contract/engine/search.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { folderProperties, loadState, type ItemRow, type ObjectState } from './children.ts';
import { getShownTitle } from '../../shared/shown-title.ts';
import type { OpenExplorer } from './explorers.ts';
import { folderId, itemId, objectId, parseNodeId, type NodeRef } from './node-id.ts';
import type { NodeId } from '#contract/ids.ts';

/**
 * Returns what nodes are, in the order of their ids. Left out is what the explorer doesn't show, and
 * what came after its point (RES-8).
 */
export async function nameNodes(
  tx: TenantTx,
  explorer: OpenExplorer,
  nodes: readonly NodeId[],
): Promise<readonly NamedNode[]> {
  const refs = nodes.map(parseNodeId).filter((ref) => ref !== null);
  const named = new Map<EngineId, NamedNode>();
  for (const object of new Set(refs.map((ref) => ref.object))) {
    const state = await loadState(tx, explorer, object);
    if (state === null) continue;
    for (const node of [
      nameObject(state),
      ...(await nameFolders(tx, state, getNumbers(refs, object, 'folder'))),
      ...(await nameItems(tx, state, getNumbers(refs, object, 'item'))),
    ])
      named.set(node.id, node);
  }
  return [...new Set(nodes)].flatMap((id) => named.get(id) ?? []);
}

const getNumbers = (
  refs: readonly NodeRef[],
  object: number,
  kind: 'folder' | 'item',
): readonly number[] =>
  refs.flatMap((ref) => (ref.kind === kind && ref.object === object ? [ref.n] : []));

const getOwner = ({ n, name, kind }: ObjectState): NamedNode['object'] => ({
  id: objectId(n),
  name,
  kind,
});

const nameObject = (state: ObjectState): NamedNode => ({
  id: objectId(state.n),
  kind: state.kind,
  name: state.name,
  people: '',
  sizeBytes: state.bytes,
  at: state.at,
  object: getOwner(state),
});

async function nameFolders(
  { sql: db, tenant }: TenantTx,
  state: ObjectState,
  numbers: readonly number[],
): Promise<readonly NamedNode[]> {
  if (numbers.length === 0) return [];
  const { rows } = await sql<{
    readonly n: number;
    readonly key: string;
    readonly name: string;
    readonly parent: string | null;
    readonly wellKnown: string | null;
  }>`
    select n, key, name, parent_key as parent, well_known as "wellKnown" from folder
    where tenant_id = ${tenant} and object_n = ${state.n} and n = any(${numbers}::bigint[]) and from_point <= ${state.point}`.execute(
    db,
  );
  return rows.map((row) => ({
    id: folderId(state.n, row.n),
    kind: folderProperties(state, row.parent, row).kind,
    name: row.name,
    people: '',
    sizeBytes: null,
    at: null,
    object: getOwner(state),
  }));
}

async function nameItems(
  { sql: db, tenant }: TenantTx,
  state: ObjectState,
  numbers: readonly number[],
): Promise<readonly NamedNode[]> {
  if (numbers.length === 0) return [];
  const { rows } = await sql<Pick<ItemRow, 'n' | 'kind' | 'title' | 'people' | 'at' | 'bytes'>>`
    select n, kind, title, people, at, bytes from item
    where tenant_id = ${tenant} and object_n = ${state.n} and n = any(${numbers}::bigint[]) and from_point <= ${state.point}`.execute(
    db,
  );
  return rows.map(({ n, kind, title, people, at, bytes }) => ({
    id: itemId(state.n, n),
    kind,
    name: getShownTitle(kind, title, state.reads),
    people: kind === 'settings' ? '' : people,
    sizeBytes: bytes,
    at,
    object: getOwner(state),
  }));
}
