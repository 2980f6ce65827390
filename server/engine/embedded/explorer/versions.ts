import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { ItemVersion } from '#contract/engine/search.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import { itemNode, loadState, withoutContent, type ItemRow } from './children.ts';
import type { OpenExplorer } from './explorers.ts';
import { explorerMessages as t } from './messages.en.ts';
import { parseNodeId } from './node-id.ts';
import type { NodeId } from '#contract/ids.ts';

/** Versions of an item are listed up to this many, the newest ones. */
const MAX_VERSIONS = 200;

/**
 * Lists the versions of an item that the object had by the explorer's point, the newest first. What
 * came after the point is not shown (RES-8).
 */
export async function listVersions(
  tx: TenantTx,
  explorer: OpenExplorer,
  node: NodeId,
): Promise<EngineResult<readonly ItemVersion[]>> {
  const ref = parseNodeId(node);
  if (ref?.kind !== 'item') return failed('missing', t.noNode);
  const state = await loadState(tx, explorer, ref.object);
  if (state === null) return failed('missing', t.noNode);
  const { sql: db, tenant } = tx;
  const { rows } = await sql<ItemRow & { readonly parts: readonly StoredPart[] }>`
    with point as materialized (
      select s.point, s.at from object_point as s join restore_point as p on p.tenant_id = s.tenant_id and p.id = s.point_id and p.complete
      where s.tenant_id = ${tenant} and s.object_n = ${state.n} and s.point <= ${state.point}
    )
    select v.n, v.kind, v.title, v.people, v.at, v.bytes, v.flags, v.parts, seen.first, seen.last,
      not (v.to_point is null or v.to_point >= ${state.point}) as deleted
    from item as v cross join lateral (
      select min(at) as first, max(at) as last from point where point >= v.from_point and (v.to_point is null or point <= v.to_point)
    ) as seen
    where v.tenant_id = ${tenant} and v.object_n = ${state.n} and seen.first is not null and v.from_point <= ${state.point}
      and v.key = (select key from item where tenant_id = ${tenant} and object_n = ${state.n} and n = ${ref.n} and from_point <= ${state.point})
    order by v.from_point desc, v.n desc limit ${MAX_VERSIONS}`.execute(db);
  if (rows.length === 0) return failed('missing', t.noNode);
  return ok(
    rows.map(({ parts, ...row }) => ({
      node: itemNode(state.n, state.reads ? row : withoutContent(row)),
      content: getContentId(parts),
    })),
  );
}

const getContentId = (parts: readonly StoredPart[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map(({ as, name, blobs }) => [as, name, blobs])))
    .digest('hex');
