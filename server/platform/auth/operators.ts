import { sql, type RawBuilder } from 'kysely';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../db/store.ts';
import type { OperatorIdentity, Principal } from '../http/handler.ts';

/** The issuer of identities of people who signed in to their own tenant, by its id in Entra. */
export const getTenantIssuer = (directoryId: string): string => `microsoft365:${directoryId}`;

/**
 * What an organization `o` has in other tables, as `x`. In a condition, PostgreSQL would use no index for
 * it under row-level security, which allows only leakproof functions there.
 */
const ITS_KEYS = sql`(select o.id::uuid as id, 'microsoft365:' || (o.row ->> 'directoryId') as issuer offset 0) as x`;

/** The user is the person `p` in the directory of the organization `o` with the keys `x`. */
const isPerson = (tenant: string, userId: UserId): RawBuilder<boolean> => sql`(
  exists (select from identity as i where i.tenant_id = ${tenant} and i.user_id = ${userId}
    and i.issuer = x.issuer and i.subject = p.id)
  or exists (select from person as u where u.tenant_id = ${tenant} and u.id = ${userId} and u.email_verified
    and p.address <> '' and lower(u.email) = lower(p.address)))`;

/** Whether two users are one person in the directory of an organization. */
export async function areSamePerson(
  { sql: db, tenant }: TenantTx,
  organization: string,
  [first, second]: readonly [UserId, UserId],
): Promise<boolean> {
  if (first === second) return true;
  const { rows } = await sql`
    select from organization as o cross join lateral ${ITS_KEYS}
      join directory_object as p on p.tenant_id = ${tenant} and p.organization_id = x.id and p.kind = 'user'
    where o.tenant_id = ${tenant} and o.id = ${organization} and ${isPerson(tenant, first)} and ${isPerson(tenant, second)}
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Returns the people of directories that a user is: who signed in with Microsoft, by the tenant and
 * the id there, and who has a verified email address of an organization that the user's companies
 * have. Only those that a role of restore operators names.
 */
export async function loadOperators(
  { sql: db, tenant }: TenantTx,
  { userId, companies, key }: Pick<Principal, 'userId' | 'companies' | 'key'>,
): Promise<readonly OperatorIdentity[]> {
  if (key !== undefined) return [];
  const { rows } = await sql<OperatorIdentity>`
    select o.id as organization, p.id as object from organization as o cross join lateral ${ITS_KEYS}
      join directory_object as p on p.tenant_id = ${tenant} and p.organization_id = x.id and p.kind = 'user' and p.deleted_at is null
    where o.tenant_id = ${tenant} and o.row ->> 'removedAt' is null
      and ${companies === null ? sql`true` : sql`o.company_n in (select x::bigint from json_array_elements_text(${JSON.stringify(companies)}::text::json) as x)`}
      and ${isPerson(tenant, userId)}
      and exists (select from restore_role as r, json_to_recordset(r.row -> 'operators') as named(type text, id text)
        where r.tenant_id = ${tenant} and r.organization_id = o.id and r.row ->> 'removedAt' is null
          and ((named.type = 'User' and named.id = p.id) or (named.type = 'Group' and exists (
            select from directory_member as m where m.tenant_id = ${tenant} and m.organization_id = x.id
              and m.group_id = named.id and m.user_id = p.id))))
    order by 1, 2`.execute(db);
  return rows;
}
