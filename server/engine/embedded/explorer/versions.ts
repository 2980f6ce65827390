import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { EngineResult } from '#contract/engine/engine.ts';
import type { ItemVersion } from '#contract/engine/search.ts';
import type { StoredPart } from '#contract/engine/stored-item.ts';
import type { Ms, NodeId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import { isFileVersion } from '../index/file-versions.ts';
import { mergeVersions } from '../index/merge-versions.ts';
import { itemNode, loadState, withoutContent, type ItemRow } from './children.ts';
import type { OpenExplorer } from './explorers.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';
import { parseNodeId } from './node-id.ts';

/** Versions of an item are listed up to this many, the newest ones. */
const MAX_VERSIONS = 600;

type VersionRow = ItemRow & { readonly parts: readonly StoredPart[]; readonly changedAt: Ms };

/**
 * Lists the versions of an item that the object had by the explorer's point, the newest first: those of
 * restore points, and of a file those that Microsoft 365 had. What came after the point is not shown
 * (RES-8).
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
  const { rows } = await sql<VersionRow>`
    with point as materialized (
      select s.point, s.at from object_point as s join restore_point as p on p.tenant_id = s.tenant_id and p.id = s.point_id and p.complete
      where s.tenant_id = ${tenant} and s.object_n = ${state.n} and s.point <= ${state.point}
    ), chosen as materialized (
      select case when ${isFileVersion(sql`i`)} then i.folder_key else i.key end as key from item as i
      where i.tenant_id = ${tenant} and i.object_n = ${state.n} and i.n = ${ref.n} and i.from_point <= ${state.point}
    )
    select v.n, v.kind, v.title, v.people, v.at, v.changed_at as "changedAt", v.bytes, v.flags, v.parts, seen.first, seen.last,
      not (v.to_point is null or v.to_point >= ${state.point}) as deleted
    from item as v cross join lateral (
      select min(at) as first, max(at) as last from point where point >= v.from_point and (v.to_point is null or point <= v.to_point)
    ) as seen
    where v.tenant_id = ${tenant} and v.object_n = ${state.n} and seen.first is not null and v.from_point <= ${state.point}
      and v.n in (
        select i.n from item as i join chosen as c on i.key = c.key where i.tenant_id = ${tenant} and i.object_n = ${state.n}
        union
        select i.n from item as i join chosen as c on i.folder_key = c.key where i.tenant_id = ${tenant} and i.object_n = ${state.n} and ${isFileVersion(sql`i`)})
    order by v.from_point desc, v.n desc`.execute(db);
  if (rows.length === 0) return failed('missing', t.noNode);
  const listed = mergeVersions(rows.toReversed()).toReversed().slice(0, MAX_VERSIONS);
  return ok(
    listed.map((row) => ({
      node: itemNode(state.n, state.reads ? row : withoutContent(row)),
      version: row.flags.version ?? null,
      content: getContentId(row.parts),
    })),
  );
}

const getContentId = (parts: readonly StoredPart[]): string =>
  createHash('sha256')
    .update(JSON.stringify(parts.map(({ as, name, blobs }) => [as, name, blobs])))
    .digest('hex');
