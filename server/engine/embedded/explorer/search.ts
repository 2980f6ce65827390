import { sql, type RawBuilder } from 'kysely';
import type {
  EngineResult,
  EngineScope,
  ObjectKind,
  EnginePage,
  Workload,
} from '#contract/engine/engine.ts';
import type { FoundItem, SearchInput } from '#contract/engine/search.ts';
import type { Ms, PointId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { failed, ok } from '../../result.ts';
import { isFileVersion } from '../index/file-versions.ts';
import { getOperatorScope } from '../../shared/role-scope.ts';
import { NOWHERE } from '../repositories/expired.ts';
import { withoutContent, itemNode, type ItemRow } from './children.ts';
import { cursorAfter, readCursor, type After } from '../../shared/cursor.ts';
import { getWorkload, KINDS } from './explorers.ts';
import { getOperator } from '../../shared/role-scope.ts';
import { explorerMessages as t } from '../../shared/explorer.messages.en.ts';
import { objectId } from './node-id.ts';
import {
  findWindow,
  SEARCH_LIMITS,
  type SearchedNumbers,
  type SearchLimits,
  type SearchWindow,
  unnestObjects,
} from './search-window.ts';
import { getColumnWords, getWordQuery } from './search-words.ts';

/** Matches that are looked at for one page: a common word must not keep the database busy. */
const CANDIDATES = { everywhere: 2_000, inWindow: 200 };

/** Of the last candidate. */
interface Ending {
  readonly candidates: number;
  readonly endAt: Ms;
  readonly endObject: number;
  readonly endN: number;
}
type Row = (FoundRow & Ending) | (Ending & { readonly n: null });

interface FoundRow extends ItemRow {
  readonly object: number;
  readonly reads: boolean;
  readonly path: readonly string[] | null;
  readonly versions: number;
  readonly pointId: PointId;
  readonly openAt: Ms;
  readonly isInText: boolean;
}

const isVisible = (v: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(${v}.from_point <= s.newest and ${v}.from_point <> ${NOWHERE} and not ${isFileVersion(v)})`;

/**
 * Searches everything that the backups of an organization have, over all restore points. Each item is
 * found once, with its last version that matches. A page may be short, or empty, before the last one.
 * An operator finds what its roles are about; hidden titles are not searched (G63).
 */
export async function searchItems(
  tx: TenantTx,
  scope: EngineScope,
  { text, workloads, deleted, cursor, limit }: SearchInput,
  { now, limits = SEARCH_LIMITS }: { readonly now: Ms; readonly limits?: SearchLimits },
): Promise<EngineResult<EnginePage<FoundItem>>> {
  const { sql: db, tenant } = tx;
  const read = readCursor(cursor);
  if (!read.ok) return read;
  const after = read.value === null ? null : readPlace(read.value);
  if (read.value !== null && after === null)
    return failed('invalid', t.wrongCursor, { field: 'cursor' });
  const words = getWordQuery(text);
  if (words === null || workloads.length === 0) return ok({ rows: [], next: null, count: 0 });
  const isNamed = (v: RawBuilder<unknown>): RawBuilder<boolean> => sql`(${v}.words @@ ${words}
    and (s.reads or ${v}.kind = 'file' or ${getColumnWords(sql`${v}.people`)} @@ ${words}))`;
  // Users who may not read must not find out by searches what a content contains.
  const isMatch = (
    v: RawBuilder<unknown>,
  ): RawBuilder<boolean> => sql`(${isVisible(v)} and (${isNamed(v)}
    or s.reads and exists (select from item_text as t
      where t.tenant_id = ${tenant} and t.object_n = ${v}.object_n and t.n = ${v}.n and t.words @@ ${words} offset 0)))`;
  const columns = sql`v.object_n, v.n, v.key, v.kind, v.title, v.people, v.at, v.bytes, v.flags, v.folder_key, v.from_point, v.to_point`;
  const isWanted = sql`${isVisible(sql`v`)} and ${deleted === true ? sql`v.to_point is not null` : sql`true`}
    and ${after === null ? sql`true` : sql`(v.at, v.object_n, v.n) < (${after.at}::bigint, ${after.object}::bigint, ${after.n}::bigint)`}`;
  // `offset 0` keeps each look-up one by the item's key: the embedded database has no statistics, and
  // would otherwise read all items of the object for each candidate.
  const isPresent = sql<boolean>`exists (
    select from item as now where now.tenant_id = ${tenant} and now.object_n = v.object_n and now.key = v.key
      and now.from_point <= s.newest and (now.to_point is null or now.to_point >= s.newest) offset 0)`;
  const { rows: objects } = await getSearchedObjects(tenant, scope, workloads).execute(db);
  const byNumber = new Map(objects.map((object) => [object.n, object]));
  const seen = unnestObjects(objects);
  const window = await findWindow(tx, {
    objects,
    isMatch: sql`(${isWanted} and ${isMatch(sql`v`)})`,
    before: after?.at ?? null,
    now,
    wanted: limit + 1,
    limits,
  });
  const candidates = Math.max(
    window === null ? CANDIDATES.everywhere : CANDIDATES.inWindow,
    2 * limit,
  );
  const newest = sql`order by v.at desc, v.object_n desc, v.n desc limit ${candidates}`;
  const getInWindow = ({ since, isByTime }: SearchWindow): RawBuilder<unknown> => {
    const isSince = sql<boolean>`v.at >= ${since}`;
    const found = sql`select ${columns}, not ${isNamed(sql`v`)} as "isInText" from`;
    const isFound = sql`${isWanted} and ${isMatch(sql`v`)}`;
    return isByTime
      ? // `offset 0`: from the index by time, and not by looking for each object.
        sql`${found} (select v.* from item as v where v.tenant_id = ${tenant} and ${isSince} offset 0) as v
          join seen as s on s.n = v.object_n where ${isFound} ${newest}`
      : sql`
        select ${columns}, v."isInText" from seen as s cross join lateral (
          ${found} item as v
          where v.tenant_id = ${tenant} and v.object_n = s.n and ${isSince} and ${isFound} ${newest}
        ) as v ${newest}`;
  };
  const everywhere = sql`
    select ${columns}, bool_and(v."isInText") as "isInText" from (
      (select ${columns}, false as "isInText" from item as v join seen as s on s.n = v.object_n
        where v.tenant_id = ${tenant} and ${isNamed(sql`v`)} and ${isWanted} ${newest})
      union all
      (select ${columns}, true from item_text as t join seen as s on s.n = t.object_n and s.reads
        join item as v on v.tenant_id = t.tenant_id and v.object_n = t.object_n and v.n = t.n
        where t.tenant_id = ${tenant} and t.words @@ ${words} and ${isWanted} ${newest})
    ) as v group by ${columns} ${newest}`;
  const { rows } = await sql<Row>`
    with seen as materialized (select s.n, s.newest, s.reads from ${seen}),
    candidate as materialized (${window === null ? everywhere : getInWindow(window)}),
    ending as (
      select at, object_n, n, count(*) over () as candidates from candidate order by at, object_n, n limit 1
    ),
    found as (
      select v.object_n, v.n, v.key, v.kind, v.title, v.people, v.at, v.bytes, v.flags, v.folder_key, v."isInText",
        s.reads, s.newest, last.point, last.at as last, last."pointId", last."openAt", not ${isPresent} as deleted
      from candidate as v join seen as s on s.n = v.object_n
      cross join lateral (
        select o.point, o.at, p.id as "pointId", p.at as "openAt" from object_point as o
        join restore_point as p on p.tenant_id = o.tenant_id and p.id = o.point_id and p.complete
        where o.tenant_id = ${tenant} and o.object_n = v.object_n and o.point >= v.from_point and (v.to_point is null or o.point <= v.to_point)
        order by o.point desc limit 1
      ) as last
      where not exists (
          select from item as later where later.tenant_id = ${tenant} and later.object_n = v.object_n and later.key = v.key
            and later.from_point > v.from_point and ${isMatch(sql`later`)} offset 0)
        and ${deleted === null ? sql`true` : deleted ? sql`not ${isPresent}` : isPresent}
      order by v.at desc, v.object_n desc, v.n desc limit ${limit + 1}
    )
    select v.object_n as object, v.n, v.kind, v.title, v.people, v.at, v.bytes, v.flags, v.deleted, v."isInText", v.reads, v.last, v."pointId", v."openAt",
      (select o.at from object_point as o join restore_point as p on p.tenant_id = o.tenant_id and p.id = o.point_id and p.complete
        where o.tenant_id = ${tenant} and o.object_n = v.object_n and o.point >= one.first order by o.point limit 1) as first,
      one.versions, above.path, e.candidates, e.at as "endAt", e.object_n as "endObject", e.n as "endN"
    from ending as e left join found as v on true
    left join lateral (
      select min(e.from_point) as first, count(*) as versions from item as e
      where e.tenant_id = ${tenant} and e.object_n = v.object_n and e.key = v.key and e.from_point <= v.newest and e.from_point <> ${NOWHERE}
    ) as one on true
    left join lateral (${getFolderNames(tenant)}) as above on true
    order by v.at desc, v.object_n desc, v.n desc`.execute(db);
  const items = rows.flatMap((row) => (row.n === null ? [] : [row]));
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const end = rows[0];
  const isAll = end === undefined || end.candidates < candidates;
  return ok({
    rows: shown.flatMap((row) => {
      const object = byNumber.get(row.object);
      return object === undefined ? [] : [toFound(row, object)];
    }),
    next:
      items.length > limit && last
        ? cursorAfter({ key: last.at, n: `${last.object}.${last.n}` })
        : !isAll
          ? cursorAfter({ key: end.endAt, n: `${end.endObject}.${end.endN}` })
          : window === null
            ? null
            : cursorAfter({ key: window.since, n: '0.0' }),
    // All matches would have to be read to count them.
    count:
      after === null && isAll && window === null && items.length <= limit ? items.length : null,
  });
}

/** `newest`: its newest point. `reads`: whether the caller may read its items. */
interface SearchedObject extends SearchedNumbers {
  readonly kind: ObjectKind;
  readonly name: string;
}

/** The objects of an organization that the caller sees, and the newest point of each. */
const getSearchedObjects = (
  tenant: string,
  scope: EngineScope,
  workloads: readonly Workload[],
): RawBuilder<SearchedObject> => {
  const operator = getOperator(scope);
  return sql<SearchedObject>`
    select o.n, o.kind, o.name, o.next_item as "nextItem", g.reads, newest.point as newest
    from backup_object as o ${
      operator === null
        ? sql`cross join (select true as reads) as g`
        : sql`join (${getOperatorScope(tenant, operator)}) as g on g.n = o.n`
    } cross join lateral (
      select s.point from object_point as s join restore_point as p on p.tenant_id = s.tenant_id and p.id = s.point_id and p.complete
      where s.tenant_id = ${tenant} and s.object_n = o.n order by s.point desc limit 1
    ) as newest
    where o.tenant_id = ${tenant} and o.organization_id = ${scope.organization}
      and o.kind in (${sql.join(workloads.flatMap((workload) => KINDS[workload]))})`;
};

/** Names of the folders above the found version `v`, at the last point that has it. */
const getFolderNames = (tenant: string): RawBuilder<unknown> => sql`
  with recursive above(parent, name, depth) as (
    select f.parent_key, f.name, 1 from folder as f
    where f.tenant_id = ${tenant} and f.object_n = v.object_n and f.key = v.folder_key
      and f.from_point <= v.point and (f.to_point is null or f.to_point >= v.point)
    union all
    select f.parent_key, f.name, above.depth + 1 from above join folder as f
      on f.tenant_id = ${tenant} and f.object_n = v.object_n and f.key = above.parent
      and f.from_point <= v.point and (f.to_point is null or f.to_point >= v.point)
    where above.depth < ${MAX_DEPTH}
  )
  select json_agg(name order by depth desc) as path from above`;
const MAX_DEPTH = 100;

function toFound(
  { object: n, reads, path, versions, pointId, openAt, isInText, ...row }: FoundRow,
  { kind, name }: SearchedObject,
): FoundItem {
  return {
    node: itemNode(n, reads ? row : withoutContent(row)),
    workload: getWorkload(kind),
    object: { id: objectId(n), name, kind },
    path: path ?? [],
    versions,
    point: pointId,
    openAt,
    isInText,
  };
}

interface PageEnd {
  readonly at: Ms;
  readonly object: number;
  readonly n: number;
}

function readPlace({ key, n }: After): PageEnd | null {
  const found = /^(\d{1,15})\.(\d{1,15})$/.exec(String(n));
  return typeof key === 'number' && found !== null
    ? { at: key, object: Number(found[1]), n: Number(found[2]) }
    : null;
}
