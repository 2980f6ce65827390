import { sql } from 'kysely';
import type { BackupJobId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { IndexedObject } from '../index/objects.ts';
import { getVersionLimit } from './read-versions.ts';

/**
 * Returns how many earlier versions of a file are wanted of an object. Its index is one for all jobs of the
 * repository: as many as the job wants that wants most, of those whose last restore point has the object.
 * Otherwise, each would end what another stored, which then lists all files again. `own`: the limit of
 * the job that runs.
 */
export async function loadWantedVersions(
  tx: TenantTx,
  { n }: Pick<IndexedObject, 'n'>,
  own: number,
): Promise<number> {
  const { sql: db, tenant } = tx;
  const { rows } = await sql<{ readonly job: BackupJobId }>`
    select distinct s.job_id as job from object_point as o
    join restore_point as p on p.tenant_id = o.tenant_id and p.id = o.point_id
    join backup_session as s on s.tenant_id = p.tenant_id and s.id = p.session_id
    where o.tenant_id = ${tenant} and o.object_n = ${n}`.execute(db);
  const jobs = await tx.rows(
    'backupJob',
    rows.map(({ job }) => job),
  );
  let limit = own;
  for (const { id, fileVersions, removedAt } of jobs.values()) {
    const wanted = getVersionLimit(fileVersions);
    if (removedAt === null && wanted > limit && (await hasLately(tx, n, id))) limit = wanted;
  }
  return limit;
}

/** Whether the last restore point of a job has an object. */
async function hasLately(
  { sql: db, tenant }: TenantTx,
  n: number,
  job: BackupJobId,
): Promise<boolean> {
  const { rows } = await sql`
    select from object_point where tenant_id = ${tenant} and object_n = ${n} and point_id = (
      select p.id from restore_point as p
      join backup_session as s on s.tenant_id = p.tenant_id and s.id = p.session_id
      where p.tenant_id = ${tenant} and p.complete and s.job_id = ${job}
      order by p.at desc limit 1)`.execute(db);
  return rows.length > 0;
}
