import { sql } from 'kysely';
import type { BackupRepositoryId, Ms, PointId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { EXPLORER_IDLE_MS } from '../../shared/explorer-idle.ts';
import { BATCH_ROWS } from '../index/pages.ts';
import { hasUnnumbered, hasUnnumberedBeside, removeUnnumbered } from './unnumbered.ts';

/** A restore point that is removed: it has a snapshot and is no longer complete. */
export interface ExpiredPoint {
  readonly id: PointId;
  readonly snapshot: string;
}

interface Expiring {
  readonly repository: BackupRepositoryId;
  readonly since: Ms;
  readonly now: Ms;
  /** Objects on legal hold. */
  readonly onHold: readonly number[];
}

/** A condition on `p`: it has an object on hold. */
const hasHold = (tenant: string, onHold: readonly number[]) =>
  sql<boolean>`(exists (
    select from object_point as s where s.tenant_id = ${tenant} and s.point_id = p.id and s.object_n = any(${onHold}::bigint[]))
    or ${hasUnnumbered(onHold)})`;

/** A condition on `p`: an open explorer, an unfinished task or a download needs it. */
const isRead = (tenant: string, now: Ms) =>
  sql<boolean>`(exists (
    select from explorer as e where e.tenant_id = ${tenant} and e.point_id = p.id and e.stopped_at is null and e.used_at >= ${now - EXPLORER_IDLE_MS})
    or exists (
      select from engine_task as t where t.tenant_id = ${tenant} and t.organization_id = p.organization_id and t.state <> 'done')
    or ${isBeingListed(tenant, now)})`;

/**
 * Makes points from before `since` invisible. Returns those, and the ones of an interrupted clean-up,
 * except what an open explorer, an unfinished task or a download that isn't listed yet needs, and
 * what has an object on hold. `isShown`: some are visible again, which may lack other objects.
 */
export async function expirePoints(
  { sql: db, tenant }: TenantTx,
  { repository, since, now, onHold }: Expiring,
): Promise<{ readonly points: readonly ExpiredPoint[]; readonly isShown: boolean }> {
  await sql`
    update restore_point as p set complete = false
    where p.tenant_id = ${tenant} and p.repository_id = ${repository} and p.complete and p.snapshot is not null
      and p.at < ${since} and not ${hasHold(tenant, onHold)}`.execute(db);
  // A hold came before an interrupted clean-up went on.
  const shown = await sql`
    update restore_point as p set complete = true
    where p.tenant_id = ${tenant} and p.repository_id = ${repository} and not p.complete and p.snapshot is not null
      and ${hasHold(tenant, onHold)}`.execute(db);
  const { rows } = await sql<ExpiredPoint>`
    select p.id, p.snapshot from restore_point as p
    where p.tenant_id = ${tenant} and p.repository_id = ${repository} and not p.complete and p.snapshot is not null
      and not ${isRead(tenant, now)}
    order by p.at`.execute(db);
  return { points: rows, isShown: (shown.numAffectedRows ?? 0n) > 0n };
}

/** Returns points from before `since` that stay for objects on hold, and still have others, too. */
export async function listPointsOnHold(
  { sql: db, tenant }: TenantTx,
  { repository, since, now, onHold }: Expiring,
): Promise<readonly ExpiredPoint[]> {
  if (onHold.length === 0) return [];
  const { rows } = await sql<ExpiredPoint>`
    select p.id, p.snapshot from restore_point as p
    where p.tenant_id = ${tenant} and p.repository_id = ${repository} and p.complete and p.snapshot is not null
      and p.at < ${since} and ${hasHold(tenant, onHold)} and not ${isRead(tenant, now)}
      and (${hasUnnumberedBeside(onHold)} or exists (
        select from object_point as s where s.tenant_id = ${tenant} and s.point_id = p.id and s.object_n <> all(${onHold}::bigint[])))
    order by p.at`.execute(db);
  return rows;
}

/** Returns the points without those that have an object on hold since, which are visible again. */
export async function withoutPointsOnHold(
  { sql: db, tenant }: TenantTx,
  points: readonly ExpiredPoint[],
  onHold: readonly number[],
): Promise<readonly ExpiredPoint[]> {
  if (onHold.length === 0 || points.length === 0) return points;
  const { rows } = await sql<{ readonly id: PointId }>`
    update restore_point as p set complete = true
    where p.tenant_id = ${tenant} and p.id = any(${getIds(points)}::uuid[]) and ${hasHold(tenant, onHold)}
    returning p.id`.execute(db);
  const shown = new Set(rows.map(({ id }) => id));
  return points.filter(({ id }) => !shown.has(id));
}

/**
 * A condition on `p`: a job has yet to list what a download takes from the repository. Its explorer also
 * shows what only points before its own have.
 */
const isBeingListed = (tenant: string, now: Ms) => sql<boolean>`exists (
  select from prepared_download as d
  where d.tenant_id = ${tenant} and d.unlisted is not null and d.expires_at > ${now} and d.repository_id = p.repository_id)`;

/** Whether an open restore session, or a restore or download that isn't finished, reads a repository. */
export async function isInUse(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
  now: Ms,
): Promise<boolean> {
  const { rows } = await sql`
    select from restore_point as p where p.tenant_id = ${tenant} and p.repository_id = ${repository} and (
      exists (select from explorer as e where e.tenant_id = ${tenant} and e.point_id = p.id and e.stopped_at is null and e.used_at >= ${now - EXPLORER_IDLE_MS})
      or exists (select from engine_task as t where t.tenant_id = ${tenant} and t.organization_id = p.organization_id and t.state <> 'done')
      or ${isBeingListed(tenant, now)})
    limit 1`.execute(db);
  return rows.length > 0;
}

interface Expired {
  readonly since: Ms;
  readonly points: readonly ExpiredPoint[];
}

/** Returns the numbers of all objects of a repository. */
export async function listObjectNumbers(
  { sql: db, tenant }: TenantTx,
  repository: BackupRepositoryId,
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('backup_object')
    .select('n')
    .where('tenant_id', '=', tenant)
    .where('repository_id', '=', repository)
    .orderBy('n')
    .execute();
  return rows.map(({ n }) => n);
}

/** A condition on `s`. */
const isExpired = (tenant: string, { since, points }: Expired) =>
  sql<boolean>`(s.point_id = any(${getIds(points)}::uuid[]) or s.at < ${since} and not exists (
    select from restore_point as p where p.tenant_id = ${tenant} and p.id = s.point_id))`;

const getIds = (points: readonly ExpiredPoint[]): readonly PointId[] => points.map(({ id }) => id);

/**
 * Removes the expired states of an object. If none is left and no session works on it, the object
 * begins again: the next session reads all of it.
 */
export async function removeObjectPoints(
  tx: TenantTx,
  object: number,
  expired: Expired,
): Promise<void> {
  const { sql: db, tenant } = tx;
  // Sessions that begin wait for this row.
  await sql`select from backup_object where tenant_id = ${tenant} and n = ${object} for update`.execute(
    db,
  );
  await removeUnnumbered(tx, [object], getIds(expired.points));
  await sql`
    delete from object_point as s using backup_object as o
    where o.tenant_id = ${tenant} and o.n = ${object} and s.tenant_id = ${tenant} and s.object_n = ${object}
      and s.point < o.point and ${isExpired(tenant, expired)}`.execute(db);
  const { numAffectedRows } = await sql`
    delete from object_point as s
    where s.tenant_id = ${tenant} and s.object_n = ${object} and ${isExpired(tenant, expired)}
      and not exists (select from object_point as other where other.tenant_id = ${tenant} and other.object_n = ${object} and other.point < s.point)
      and not exists (
        select from backup_work as w join backup_session as b on b.tenant_id = w.tenant_id and b.id = w.session_id
        where w.tenant_id = ${tenant} and w.object_n = ${object} and b.state <> 'done')`.execute(
    db,
  );
  if (numAffectedRows === 0n) return;
  await sql`
    update backup_object set tree = null, items = 0, bytes = 0 where tenant_id = ${tenant} and n = ${object}`.execute(
    db,
  );
  for (const table of ['object_cursor', 'listed_item'] as const)
    await db
      .deleteFrom(table)
      .where('tenant_id', '=', tenant)
      .where('object_n', '=', object)
      .execute();
  for (const table of ['item', 'folder'] as const) {
    await sql`
      delete from ${sql.table(table)} as v using backup_object as o
      where o.tenant_id = ${tenant} and o.n = ${object} and v.tenant_id = ${tenant} and v.object_n = ${object} and v.from_point > o.point`.execute(
      db,
    );
    // No point has this range.
    await sql`
      update ${sql.table(table)} set to_point = from_point
      where tenant_id = ${tenant} and object_n = ${object} and to_point is null`.execute(db);
  }
}

/** The range of versions that no point has, and that a task still needs. */
export const NOWHERE = 2_147_483_647;

/**
 * A condition on `v`: a task needs the version. What a restore wrote can be undone as long as backups
 * of its day are retained.
 */
export const isNeededVersion = (tenant: string, object: number, since: Ms) =>
  sql<boolean>`exists (
    select from restore_item as r join engine_task as t on t.tenant_id = r.tenant_id and t.id = r.task_id
    where r.tenant_id = ${tenant} and r.object_n = ${object} and r.item_n = v.n and (t.state <> 'done' or t.created_at >= ${since}))`;

/** Removes folders and items that no point has; at most one batch. Returns whether that was all. */
export async function removeVersions(
  { sql: db, tenant }: TenantTx,
  object: number,
  since: Ms,
): Promise<boolean> {
  const isUnseen = sql<boolean>`v.tenant_id = ${tenant} and v.object_n = ${object} and v.to_point is not null and not exists (
    select from object_point as s where s.tenant_id = ${tenant} and s.object_n = ${object} and s.point between v.from_point and v.to_point)`;
  const isNeeded = isNeededVersion(tenant, object, since);
  const { rows } = await sql<{ readonly items: number; readonly folders: number }>`
    with unseen as (
      select v.n, ${isNeeded} as "isNeeded" from item as v
      where ${isUnseen} and not (v.from_point = ${NOWHERE} and ${isNeeded}) limit ${BATCH_ROWS}
    ), hidden as (
      update item as i set from_point = ${NOWHERE}, to_point = ${NOWHERE} from unseen as u
      where i.tenant_id = ${tenant} and i.object_n = ${object} and i.n = u.n and u."isNeeded"
    ), dropped as (
      delete from item as i using unseen as u
      where i.tenant_id = ${tenant} and i.object_n = ${object} and i.n = u.n and not u."isNeeded"
    ), folders as (
      delete from folder as f using (select v.n from folder as v where ${isUnseen} limit ${BATCH_ROWS}) as u
      where f.tenant_id = ${tenant} and f.object_n = ${object} and f.n = u.n returning f.n
    )
    select (select count(*) from unseen) as items, (select count(*) from folders) as folders`.execute(
    db,
  );
  return rows.every(({ items, folders }) => items < BATCH_ROWS && folders < BATCH_ROWS);
}

export async function deletePoints(
  { sql: db, tenant }: TenantTx,
  points: readonly ExpiredPoint[],
): Promise<void> {
  await sql`
    delete from restore_point where tenant_id = ${tenant} and id = any(${getIds(points)}::uuid[])`.execute(
    db,
  );
}
