import { sql, type RawBuilder } from 'kysely';
import type { EngineId, EngineScope } from '#contract/engine/engine.ts';
import { IMPORTED } from '#contract/engine/imports.ts';
import type { OrganizationId } from '#contract/ids.ts';

/** Whose roles count. `object`: the id of a person in the directory of the organization. */
export interface OperatorRef {
  readonly organization: OrganizationId;
  readonly object: EngineId;
}

/** The roles of whom count; null: those of nobody, because everything is seen. */
export const getOperator = ({ organization, operator }: EngineScope): OperatorRef | null =>
  operator === undefined ? null : { organization, object: operator };

/** The tenant's roles of an organization, with what they allow. */
const roles = (tenant: string, organization: OrganizationId): RawBuilder<unknown> => sql`
  select r.id, r.row, r.row ->> 'roleType' = 'EntireOrganization' as entire,
    (r.row ->> 'withoutReading')::boolean as blind, (r.row ->> 'mayDownload')::boolean as downloads,
    (r.row ->> 'needsSecondPerson')::boolean as second
  from restore_role as r
  where r.tenant_id = ${tenant} and r.organization_id = ${organization} and r.row ->> 'removedAt' is null`;

/**
 * Common table expressions: `role` are the roles in question, `covered` is what each of them selects
 * and excludes by the ids of the directory: people (also as members of groups), teams, and sites with
 * those below them.
 */
const covered = (
  tenant: string,
  organization: OrganizationId,
  of: RawBuilder<unknown>,
): RawBuilder<unknown> =>
  sql`role as materialized (${of}),
  named as (
    select r.id as role, true as chosen, x.type, x.id from role as r, json_to_recordset(r.row -> 'selectedItems') as x(type text, id text)
    union all
    select r.id, false, x.type, x.id from role as r, json_to_recordset(r.row -> 'excludedItems') as x(type text, id text)
  ),
  site_of(role, chosen, id) as (
    select role, chosen, id from named where type = 'Site'
    union
    select above.role, above.chosen, s.id from site_of as above join directory_object as s
      on s.tenant_id = ${tenant} and s.organization_id = ${organization} and s.kind = 'site' and s.parent_id = above.id
  ),
  covered as materialized (
    select role, chosen, 'person' as class, id from named where type = 'User'
    union
    select n.role, n.chosen, 'person', m.user_id from named as n join directory_member as m
      on m.tenant_id = ${tenant} and m.organization_id = ${organization} and m.group_id = n.id
    where n.type = 'Group'
    union
    select role, chosen, 'team', id from named where type = 'Team'
    union
    select role, chosen, 'site', id from site_of
  )`;

/**
 * Whether the role `r` covers the object with this `class` and `id`. An imported mailbox or drive
 * belongs to nobody in the organization: only a role that names it covers it.
 */
const isCovered = (kind: RawBuilder<unknown>, id: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  (r.entire and not starts_with(${id}, ${IMPORTED}) or exists (select from covered as c where c.chosen and c.role = r.id and c.class = ${kind} and c.id = ${id}))
  and not exists (select from covered as c where not c.chosen and c.role = r.id and c.class = ${kind} and c.id = ${id})`;

const CLASS = sql`case o.kind when 'site' then 'site' when 'team' then 'team' else 'person' end`;

/**
 * The objects of backups that an operator restores, by their numbers, with what the roles together
 * allow: `reads` content and subjects, `downloads`, and restores `alone`. Whoever isn't in the
 * directory any more has no role. A role that excludes a group covers nothing until the group's
 * members were read.
 */
export const getOperatorScope = (
  tenant: string,
  { organization, object }: OperatorRef,
): RawBuilder<{ n: number; reads: boolean; downloads: boolean; alone: boolean }> => sql`
  with recursive ${covered(
    tenant,
    organization,
    sql`select r.* from (${roles(tenant, organization)}) as r
      where exists (select from directory_object as p where p.tenant_id = ${tenant} and p.organization_id = ${organization}
          and p.kind = 'user' and p.id = ${object} and p.deleted_at is null)
        and exists (select from json_to_recordset(r.row -> 'operators') as x(type text, id text)
          where (x.type = 'User' and x.id = ${object}) or (x.type = 'Group' and exists (
            select from directory_member as m where m.tenant_id = ${tenant} and m.organization_id = ${organization}
              and m.group_id = x.id and m.user_id = ${object})))
        and not exists (select from json_to_recordset(r.row -> 'excludedItems') as x(type text, id text)
          where x.type = 'Group' and not exists (
            select from directory_member_list as l where l.tenant_id = ${tenant} and l.organization_id = ${organization}
              and l.group_id = x.id))`,
  )}
  select o.n, bool_or(not r.blind) as reads, bool_or(r.downloads and not r.blind) as downloads, bool_or(not r.second) as alone
  from backup_object as o join role as r on ${isCovered(CLASS, sql`o.directory_id`)}
  where o.tenant_id = ${tenant} and o.organization_id = ${organization}
  group by o.n`;

/** How many people of the directory each role of an organization is about. */
export const countRolePeople = (
  tenant: string,
  organization: OrganizationId,
): RawBuilder<{ role: string; people: number }> => sql`
  with recursive ${covered(tenant, organization, roles(tenant, organization))}
  select r.id as role, count(p.id) as people
  from role as r left join directory_object as p on p.tenant_id = ${tenant} and p.organization_id = ${organization}
    and p.kind = 'user' and p.deleted_at is null and ${isCovered(sql`'person'`, sql`p.id`)}
  group by r.id`;
