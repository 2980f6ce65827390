import { sql } from 'kysely';
import type { LICENSE_STATES, USER_OBJECT_KINDS } from '#contract/billing/suite-usage-calls.ts';
import { IMPORTED } from '#contract/engine/imports.ts';
import type { Bytes, Ms, OrganizationId } from '#contract/ids.ts';
import { startOfDay } from '#contract/time/day.ts';
import { escapeLike } from '#server/platform/db/like.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { getLicenseWindow, USER_KINDS } from '#server/platform/queries/licensed-users.ts';
import type { ReportRange } from './report-range.ts';

interface UsersQuery {
  /** In the order of the list. */
  readonly organizations: readonly string[];
  readonly range: ReportRange;
  readonly timeZone: string;
  readonly now: Ms;
  readonly state?: (typeof LICENSE_STATES)[number] | undefined;
  readonly text?: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

interface CountedUser {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly kinds: (typeof USER_OBJECT_KINDS)[number][];
  readonly state: (typeof LICENSE_STATES)[number];
  readonly hasLeft: boolean;
  readonly firstPointAt: Ms;
  readonly lastPointAt: Ms;
  /** Null: the server of the organization doesn't say. */
  readonly bytes: Bytes | null;
}

/**
 * Lists the users with a restore point that counts on a day of the range, by organization and name.
 * `count`: of all pages.
 */
export async function listLicensedUsers(
  { sql: db, tenant }: TenantTx,
  { organizations, range, timeZone, now, state, text = '', offset, limit }: UsersQuery,
): Promise<{ readonly rows: readonly CountedUser[]; readonly count: number }> {
  if (organizations.length === 0) return { rows: [], count: 0 };
  const { since, until: firstUntil } = getLicenseWindow(range.first, timeZone, now);
  const until = startOfDay(range.last + 1, timeZone, 0);
  const words = `%${escapeLike(text)}%`;
  const ids = sql`array[${sql.join(organizations.map((id) => sql`${id}::uuid`))}]`;
  const query = (from: number, max: number) =>
    sql<CountedUser & { readonly count: number }>`
    with protected as (
      select o.organization_id, o.directory_id, o.name, o.address, o.kind, f.at as first_at, l.at as last_at, l.bytes
      from backup_object as o
      cross join lateral (
        select at, bytes from object_point where tenant_id = ${tenant} and object_n = o.n and at >= ${since}::bigint and at < ${until}::bigint
        order by at desc limit 1
      ) as l
      cross join lateral (
        select at from object_point where tenant_id = ${tenant} and object_n = o.n order by at limit 1
      ) as f
      where o.tenant_id = ${tenant} and o.organization_id = any(${ids}) and o.kind in (${sql.join([...USER_KINDS])}) and not starts_with(o.directory_id, ${IMPORTED})
      union all
      -- Of people who were excluded from backups, nothing is left but when they were backed up.
      select o.organization_id, o.directory_id, o.name, o.address, o.kind, s.first_at, s.last_at, 0
      from backup_object as o
      cross join lateral jsonb_to_recordset(o.licensed_spans) as s(first_at bigint, last_at bigint)
      where o.tenant_id = ${tenant} and o.organization_id = any(${ids}) and o.kind in (${sql.join([...USER_KINDS])})
        and s.first_at < ${until}::bigint and s.last_at >= ${since}::bigint
    ), counted as (
      select organization_id, directory_id, max(name) as name, max(address) as address,
        array_agg(distinct kind order by kind) as kinds,
        min(first_at) as first_at, max(last_at) as last_at, sum(bytes)::bigint as bytes
      from protected group by organization_id, directory_id
      union all
      select organization_id, id, name, '', '{}'::text[], first_at, last_at, null::bigint
      from vb365_licensed_user
      where tenant_id = ${tenant} and organization_id = any(${ids}) and last_at >= ${since}::bigint and first_at < ${until}::bigint
        and (gone_at is null or gone_at >= ${firstUntil}::bigint)
    ), known as (
      select c.*, case when d.licensed = false then 'free' else 'licensed' end as state,
        (d.deleted_at is not null or (d.id is null and exists (
          select 1 from directory_list as t where t.tenant_id = ${tenant} and t.organization_id = c.organization_id and t.list = 'users' and t.listed_at is not null
        ))) as has_left
      from counted as c
      left join directory_object as d on d.tenant_id = ${tenant} and d.organization_id = c.organization_id and d.kind = 'user' and d.id = c.directory_id
    )
    select organization_id as "organizationId", directory_id as id, name, address, kinds, state,
      has_left as "hasLeft", first_at as "firstPointAt", last_at as "lastPointAt", bytes,
      (count(*) over ())::integer as count
    from known
    where ${state === undefined ? sql`true` : sql`state = ${state}`}
      and ${text === '' ? sql`true` : sql`(name ilike ${words} or address ilike ${words})`}
    order by array_position(${ids}, organization_id), lower(name), directory_id
    offset ${from} limit ${max}`.execute(db);
  const { rows } = await query(offset, limit);
  // A page after the last one still says how many there are.
  const [first] = rows.length === 0 && offset > 0 ? (await query(0, 1)).rows : rows;
  return { rows: rows.map(toUser), count: first?.count ?? 0 };
}

/** Without the count of all pages, which each row of the query has. */
const toUser = (row: CountedUser): CountedUser => ({
  organizationId: row.organizationId,
  id: row.id,
  name: row.name,
  address: row.address,
  kinds: row.kinds,
  state: row.state,
  hasLeft: row.hasLeft,
  firstPointAt: row.firstPointAt,
  lastPointAt: row.lastPointAt,
  bytes: row.bytes,
});

/** Counts the users whose first restore point is in the range, by organization. */
export async function countAddedUsers(
  { sql: db, tenant }: TenantTx,
  organizations: readonly string[],
  { first, last }: ReportRange,
  timeZone: string,
): Promise<ReadonlyMap<string, number>> {
  if (organizations.length === 0) return new Map();
  const { rows } = await sql<{ readonly id: string; readonly added: number }>`
    with first_point as (
      select o.organization_id, o.directory_id, min(p.at) as at
      from backup_object as o
      cross join lateral (
        select min(at) as at from (
          select at from object_point where tenant_id = ${tenant} and object_n = o.n
          union all select first_at from jsonb_to_recordset(o.licensed_spans) as s(first_at bigint)
        ) as one having min(at) is not null
      ) as p
      where o.tenant_id = ${tenant} and o.kind in (${sql.join([...USER_KINDS])}) and not starts_with(o.directory_id, ${IMPORTED})
        and o.organization_id in (${sql.join(organizations.map((id) => sql`${id}::uuid`))})
      group by o.organization_id, o.directory_id
      union all
      select organization_id, id, first_at from vb365_licensed_user
      where tenant_id = ${tenant} and is_added and organization_id in (${sql.join(organizations.map((id) => sql`${id}::uuid`))})
    )
    select organization_id as id, count(*)::integer as added from first_point
    where at >= ${startOfDay(first, timeZone, 0)}::bigint and at < ${startOfDay(last + 1, timeZone, 0)}::bigint
    group by organization_id`.execute(db);
  return new Map(rows.map(({ id, added }) => [id, added]));
}
