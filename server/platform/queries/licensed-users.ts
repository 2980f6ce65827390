import { sql } from 'kysely';
import { IMPORTED } from '#contract/engine/imports.ts';
import type { Bytes, Ms, OrganizationId } from '#contract/ids.ts';
import { type DayN, getDay, startOfDay } from '#contract/time/day.ts';
import type { TenantTx } from '../db/store.ts';

/** What a user has; sites and teams belong to nobody. */
export const USER_KINDS = ['mailbox', 'archive', 'drive'] as const;

/** BILL-12: a user counts as licensed for this long after a restore point. */
export const LICENSED_MS: Ms = 31 * 86_400_000;

/** The restore points that count at the end of a day, or at a moment of it. */
export interface LicenseWindow {
  readonly day: DayN;
  /** Included. */
  readonly since: Ms;
  /** Not included. */
  readonly until: Ms;
}

/** `now` cuts the day that has not ended. Days of reports begin at midnight. */
export function getLicenseWindow(day: DayN, timeZone: string, now: Ms): LicenseWindow {
  const until = Math.min(startOfDay(day + 1, timeZone, 0), now + 1);
  return { day, since: until - LICENSED_MS, until };
}

export const getToday = (now: Ms, timeZone: string): DayN => getDay(now, timeZone, 0);

export interface OrganizationDay {
  readonly organizationId: OrganizationId;
  readonly day: DayN;
  readonly used: number;
  readonly free: number;
  readonly bytes: Bytes;
}

/**
 * Counts the users of organizations with a restore point in each window: `used` need a license;
 * `free` have no Microsoft 365 license, such as shared mailboxes (BILL-12). A user whom the directory
 * doesn't know counts as used. Of organizations on Veeam servers, the users with a license there count,
 * from the first to 31 days after the last backup that is known. `bytes`: of the newest points in the
 * window; Veeam servers don't say.
 */
export async function countLicensedUsers(
  { sql: db, tenant }: TenantTx,
  organizations: readonly string[],
  windows: readonly LicenseWindow[],
): Promise<readonly OrganizationDay[]> {
  if (organizations.length === 0 || windows.length === 0) return [];
  const { rows } = await sql<OrganizationDay>`
    with window_day (day, since, until) as (values ${sql.join(
      windows.map(
        ({ day, since, until }) => sql`(${day}::integer, ${since}::bigint, ${until}::bigint)`,
      ),
    )}),
    protected as (
      select o.organization_id, o.directory_id, w.day, sum(p.bytes) as bytes
      from window_day as w
      cross join backup_object as o
      cross join lateral (
        select bytes from object_point where tenant_id = ${tenant} and object_n = o.n and at >= w.since and at < w.until
        order by at desc limit 1
      ) as p
      where o.tenant_id = ${tenant} and o.organization_id in (${sql.join(organizations.map((id) => sql`${id}::uuid`))})
        and o.kind in (${sql.join([...USER_KINDS])}) and not starts_with(o.directory_id, ${IMPORTED})
      group by o.organization_id, o.directory_id, w.day
      union all
      -- Only those without a restore point that is left.
      select distinct o.organization_id, o.directory_id, w.day, 0
      from window_day as w
      cross join backup_object as o
      cross join lateral jsonb_to_recordset(o.licensed_spans) as s(first_at bigint, last_at bigint)
      where o.tenant_id = ${tenant} and o.organization_id in (${sql.join(organizations.map((id) => sql`${id}::uuid`))})
        and s.first_at < w.until and s.last_at >= w.since and o.kind in (${sql.join([...USER_KINDS])})
        and not exists (
          select from backup_object as other join object_point as p on p.tenant_id = other.tenant_id and p.object_n = other.n
          where other.tenant_id = ${tenant} and other.organization_id = o.organization_id and other.directory_id = o.directory_id
            and other.kind in (${sql.join([...USER_KINDS])}) and p.at >= w.since and p.at < w.until)
      union all
      select u.organization_id, u.id, w.day, 0
      from window_day as w
      join vb365_licensed_user as u on u.first_at < w.until and u.last_at >= w.since and (u.gone_at is null or u.gone_at >= w.until)
      where u.tenant_id = ${tenant} and u.organization_id in (${sql.join(organizations.map((id) => sql`${id}::uuid`))})
    )
    select p.organization_id as "organizationId", p.day,
      (count(*) filter (where d.licensed is distinct from false))::integer as used,
      (count(*) filter (where d.licensed = false))::integer as free,
      sum(p.bytes)::bigint as bytes
    from protected as p
    left join directory_object as d on d.tenant_id = ${tenant} and d.organization_id = p.organization_id and d.kind = 'user' and d.id = p.directory_id
    group by p.organization_id, p.day`.execute(db);
  return rows;
}
