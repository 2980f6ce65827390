import { sql } from 'kysely';
import type { BackupRepositoryId, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { isFileVersion } from '../index/file-versions.ts';
import { FAILED, REMOVED, UNREAD_VERSIONS } from '../index/marks.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import { isNeededVersion, NOWHERE } from './expired.ts';

/**
 * Returns whether a repository has item versions that were last changed before `since`, of objects
 * that are not on hold.
 */
export async function hasExpiredItems(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  since: Ms,
  onHold: readonly number[],
): Promise<boolean> {
  const { rows } = await sql`
    select from item as v join backup_object as o on o.tenant_id = v.tenant_id and o.n = v.object_n
    where v.tenant_id = ${tenant} and o.repository_id = ${repository} and v.changed_at < ${since} and v.from_point <> ${NOWHERE}
      and v.object_n <> all(${onHold}::bigint[])
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Removes item versions of an object that were last changed before `since` from all points, at most
 * one batch. Those that a task needs are hidden. Returns whether that was all.
 */
export async function removeExpiredItems(
  { sql: db, tenant }: TenantTx,
  object: number,
  since: Ms,
): Promise<boolean> {
  // Sessions that store a point of the object wait for this row.
  await sql`select from backup_object where tenant_id = ${tenant} and n = ${object} for update`.execute(
    db,
  );
  const { rows } = await sql<{ readonly items: number }>`
    with expired as (
      select v.n, v.key, v.from_point, v.to_point, v.bytes, ${isFileVersion(sql`v`)} as "isVersion", ${isNeededVersion(tenant, object, since)} as "isNeeded" from item as v
      where v.tenant_id = ${tenant} and v.object_n = ${object} and v.changed_at < ${since} and v.from_point <> ${NOWHERE}
      limit ${BATCH_ROWS}
    ), hidden as (
      update item as i set from_point = ${NOWHERE}, to_point = ${NOWHERE} from expired as e
      where i.tenant_id = ${tenant} and i.object_n = ${object} and i.n = e.n and e."isNeeded"
    ), dropped as (
      delete from item as i using expired as e
      where i.tenant_id = ${tenant} and i.object_n = ${object} and i.n = e.n and not e."isNeeded"
    ), unmarked as (
      delete from listed_item as l using expired as e
      where l.tenant_id = ${tenant} and l.object_n = ${object} and l.scope in (${FAILED}, ${REMOVED}, ${UNREAD_VERSIONS}) and l.key = e.key and e.to_point is null
    ), lost as (
      select s.point, count(*) as items, sum(e.bytes) as bytes from expired as e
      join object_point as s on s.tenant_id = ${tenant} and s.object_n = ${object}
        and s.point >= e.from_point and (e.to_point is null or s.point <= e.to_point)
      where not e."isVersion"
      group by s.point
    ), points as (
      update object_point as s set items = s.items - l.items, bytes = s.bytes - l.bytes from lost as l
      where s.tenant_id = ${tenant} and s.object_n = ${object} and s.point = l.point
    ), newest as (
      update backup_object as o set items = o.items - l.items, bytes = o.bytes - l.bytes from lost as l
      where o.tenant_id = ${tenant} and o.n = ${object} and l.point = o.point
    )
    select count(*) as items from expired`.execute(db);
  return (rows[0]?.items ?? 0) < BATCH_ROWS;
}
