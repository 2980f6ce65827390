import { sql } from 'kysely';
import type { BackupJobRow } from '#contract/backup/jobs.ts';
import type { BackupJobId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { IndexedObject } from '../index/objects.ts';
import { getVersionLimit } from './read-versions.ts';
import type { RunningSession } from './run-session.ts';

/** The maximum number of earlier versions of a file that a job backs up; 0: none. */
export interface VersionLimit {
  readonly job: BackupJobId;
  readonly limit: number;
}

/**
 * Returns the limits of a job and of the other jobs of its repository that want more versions, the largest
 * first and its own last.
 */
export async function loadVersionLimits(
  tx: TenantTx,
  own: BackupJobRow,
): Promise<readonly VersionLimit[]> {
  const ownLimit = { job: own.id, limit: getVersionLimit(own.fileVersions) };
  const others = (await tx.all('backupJob'))
    .filter(
      ({ id, repository, removedAt }) =>
        id !== own.id && repository === own.repository && removedAt === null,
    )
    .map(({ id, fileVersions }) => ({ job: id, limit: getVersionLimit(fileVersions) }))
    .filter(({ limit }) => limit > ownLimit.limit);
  return [...others.toSorted((a, b) => b.limit - a.limit), ownLimit];
}

/**
 * Returns how many earlier versions of a file are wanted of an object. Its index is one for all jobs of the
 * repository: as many as the job wants that wants most, of those whose last restore point has the object.
 * Otherwise, each would end what another stored, which then lists all files again.
 */
export async function loadWantedVersions(
  { context, tenant, versionLimits }: Pick<RunningSession, 'context' | 'tenant' | 'versionLimits'>,
  { n }: Pick<IndexedObject, 'n'>,
): Promise<number> {
  const others = versionLimits.slice(0, -1);
  const own = versionLimits.at(-1)?.limit ?? 0;
  if (others.length === 0) return own;
  return context.store.tenant(
    tenant,
    async (tx) => {
      for (const { job, limit } of others) if (await hasLately(tx, n, job)) return limit;
      return own;
    },
    { readOnly: true },
  );
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
