import { sql as raw } from 'kysely';
import { IMPORTED } from '#contract/engine/imports.ts';
import type { BackupJobId, BackupRepositoryId, Bytes, Ms, OrganizationId } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { USER_KINDS } from '#server/platform/queries/licensed-users.ts';

const LARGEST = 10;
const LISTED = 20;

/** Counts sessions of these jobs: those that ended since a moment, by result, and those that run. */
export async function countSessions({ sql: db, tenant }: TenantTx, jobs: BackupJobId[], since: Ms) {
  const counts = { running: 0, success: 0, warning: 0, failed: 0, cancelled: 0 };
  if (jobs.length === 0) return counts;
  const rows = await db
    .selectFrom('backup_session')
    .select(['state', 'result', (e) => e.fn.countAll<number>().as('count')])
    .where('tenant_id', '=', tenant)
    .where('job_id', 'in', jobs)
    .where((e) => e.or([e('state', '<>', 'done'), e('ended_at', '>=', since)]))
    .groupBy(['state', 'result'])
    .execute();
  for (const { state, result, count } of rows)
    counts[state === 'done' ? (result ?? 'failed') : 'running'] += count;
  return counts;
}

/** How old restore points of a job's objects may be. */
export interface Objective {
  readonly jobId: BackupJobId;
  readonly createdAt: Ms;
  readonly objectiveMs: Ms;
}

/**
 * Lists objects whose last restore point is older than their job allows, the oldest first. The
 * objects of a job are those of its last session that was no retry. One without a restore point counts
 * from the creation of the job on, unless the session found nothing to back up.
 */
export async function listPastObjective(
  { sql: db, tenant }: TenantTx,
  objectives: readonly Objective[],
  now: Ms,
) {
  if (objectives.length === 0) return { count: 0, rows: [] };
  const jobs = raw.join(
    objectives.map(
      ({ jobId, objectiveMs, createdAt }) =>
        raw`(${jobId}::uuid, ${objectiveMs}::bigint, ${createdAt}::bigint)`,
    ),
  );
  const { rows } = await raw<{
    readonly job_id: BackupJobId;
    readonly name: string;
    readonly objective_ms: number;
    readonly at: number | null;
    readonly count: number;
  }>`
    with job (id, objective_ms, created_at) as (values ${jobs}),
    last_session as (
      select distinct on (s.job_id) s.job_id, s.id, job.objective_ms, job.created_at
      from backup_session as s join job on job.id = s.job_id
      where s.tenant_id = ${tenant} and s.state = 'done' and s.reason <> 'retry'
      order by s.job_id, s.started_at desc
    ),
    covered as (
      select distinct on (o.n) s.job_id, o.name, s.objective_ms, s.created_at, w.state,
        (select max(p.at) from object_point as p where p.tenant_id = o.tenant_id and p.object_n = o.n) as at
      from last_session as s
      join backup_work as w on w.tenant_id = ${tenant} and w.session_id = s.id
      join backup_object as o on o.tenant_id = w.tenant_id and o.n = w.object_n
      order by o.n, s.objective_ms
    )
    select job_id, name, objective_ms, at, count(*) over () as count from covered
    where coalesce(at, created_at) < ${now} - objective_ms and (at is not null or state <> 'success')
    order by coalesce(at, 0), name limit ${LISTED}`.execute(db);
  return {
    count: rows[0]?.count ?? 0,
    rows: rows.map(({ job_id: jobId, name, objective_ms: objectiveMs, at }) => ({
      jobId,
      name,
      objectiveMs,
      lastPointAt: at,
    })),
  };
}

/** Lists running sessions with objects that wait: how many, until when, and the last reason. */
export async function listWaiting({ sql: db, tenant }: TenantTx, jobs: BackupJobId[], now: Ms) {
  if (jobs.length === 0) return [];
  const rows = await db
    .selectFrom('backup_work as w')
    .innerJoin('backup_session as s', (join) =>
      join.onRef('s.tenant_id', '=', 'w.tenant_id').onRef('s.id', '=', 'w.session_id'),
    )
    .select([
      's.job_id',
      (e) => e.fn.countAll<number>().as('objects'),
      raw<number>`max((w.waiting ->> 'until')::bigint)`.as('until'),
      raw<string>`max(w.waiting ->> 'reason')`.as('reason'),
    ])
    .where('w.tenant_id', '=', tenant)
    .where('s.job_id', 'in', jobs)
    .where('s.state', '<>', 'done')
    .where(raw<boolean>`(w.waiting ->> 'until')::bigint > ${now}`)
    .groupBy('s.job_id')
    .execute();
  return rows.map(({ job_id: jobId, ...row }) => ({ jobId, ...row }));
}

/**
 * Counts users with a restore point: in the directory, and no longer in it. Also users of the
 * directory, and those of them without a restore point; null until it was listed.
 */
export async function countUsers({ sql: db, tenant }: TenantTx, organizations: OrganizationId[]) {
  if (organizations.length === 0)
    return { protected: 0, left: 0, inDirectory: null, unprotected: null };
  const users = db
    .selectFrom('backup_object')
    .select(['organization_id', 'directory_id'])
    .distinct()
    .where('tenant_id', '=', tenant)
    .where('organization_id', 'in', organizations)
    .where('kind', 'in', [...USER_KINDS])
    .where('directory_id', 'not like', `${IMPORTED}%`)
    .where('point', '>', 0)
    .unionAll(
      db
        .selectFrom('vb365_licensed_user')
        .select(['organization_id', 'id as directory_id'])
        .where('tenant_id', '=', tenant)
        .where('organization_id', 'in', organizations)
        .where('gone_at', 'is', null),
    );
  const directory = db
    .selectFrom('directory_object')
    .select(['organization_id', 'id', 'deleted_at'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', 'in', organizations)
    .where('kind', '=', 'user');
  const listed = db
    .selectFrom('directory_list')
    .select('organization_id')
    .where('tenant_id', '=', tenant)
    .where('list', '=', 'users')
    .where('listed_at', 'is not', null);
  // Who left before the first listing was never in it.
  const { all, left } = await db
    .selectFrom(users.as('u'))
    .leftJoin(directory.as('d'), (join) =>
      join
        .onRef('d.organization_id', '=', 'u.organization_id')
        .onRef('d.id', '=', 'u.directory_id'),
    )
    .select([
      (e) => e.fn.countAll<number>().as('all'),
      (e) =>
        e.fn
          .countAll<number>()
          .filterWhere((where) =>
            where.or([
              where('d.deleted_at', 'is not', null),
              where.and([where('d.id', 'is', null), where('u.organization_id', 'in', listed)]),
            ]),
          )
          .as('left'),
    ])
    .executeTakeFirstOrThrow();
  const { present, unprotected } = await db
    .selectFrom(directory.as('d'))
    .leftJoin(users.as('u'), (join) =>
      join
        .onRef('u.organization_id', '=', 'd.organization_id')
        .onRef('u.directory_id', '=', 'd.id'),
    )
    .select([
      (e) => e.fn.countAll<number>().as('present'),
      (e) => e.fn.countAll<number>().filterWhere('u.directory_id', 'is', null).as('unprotected'),
    ])
    .where('d.deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  const isListed =
    present > 0 ||
    (await listed.where('organization_id', 'in', organizations).executeTakeFirst()) !== undefined;
  return {
    protected: all - left,
    left,
    inDirectory: isListed ? present : null,
    unprotected: isListed ? unprotected : null,
  };
}

/** Returns when each user got the first restore point, as far as that was since a moment. */
export async function countFirstPoints(
  { sql: db, tenant }: TenantTx,
  organizations: OrganizationId[],
  since: Ms,
): Promise<number[]> {
  if (organizations.length === 0) return [];
  const rows = await db
    .selectFrom('backup_object as o')
    .innerJoin('object_point as p', (join) =>
      join.onRef('p.tenant_id', '=', 'o.tenant_id').onRef('p.object_n', '=', 'o.n'),
    )
    .select((e) => e.fn.min<number>('p.at').as('at'))
    .where('o.tenant_id', '=', tenant)
    .where('o.organization_id', 'in', organizations)
    .where('o.kind', 'in', [...USER_KINDS])
    .where('o.directory_id', 'not like', `${IMPORTED}%`)
    .groupBy(['o.organization_id', 'o.directory_id'])
    .having((e) => e(e.fn.min('p.at'), '>=', since))
    .unionAll(
      db
        .selectFrom('vb365_licensed_user')
        .select('first_at as at')
        .where('tenant_id', '=', tenant)
        .where('organization_id', 'in', organizations)
        .where('is_added', '=', true)
        .where('first_at', '>=', since),
    )
    .execute();
  return rows.map(({ at }) => at);
}

/** Lists the users with the most data in their newest restore points. */
export async function listLargestUsers(
  { sql: db, tenant }: TenantTx,
  organizations: OrganizationId[],
): Promise<{ name: string; organizationId: OrganizationId; bytes: Bytes }[]> {
  if (organizations.length === 0) return [];
  const rows = await db
    .selectFrom('backup_object')
    .select([
      'organization_id',
      (e) => e.fn.max('name').as('name'),
      raw<number>`sum(bytes)::bigint`.as('bytes'),
    ])
    .where('tenant_id', '=', tenant)
    .where('organization_id', 'in', organizations)
    .where('kind', 'in', [...USER_KINDS])
    .where('directory_id', 'not like', `${IMPORTED}%`)
    .where('point', '>', 0)
    .groupBy(['organization_id', 'directory_id'])
    .orderBy(raw`sum(bytes)`, 'desc')
    .orderBy((e) => e.fn.max('name'))
    .limit(LARGEST)
    .execute();
  return rows.map(({ organization_id: organizationId, name, bytes }) => ({
    name,
    organizationId,
    bytes,
  }));
}

/** Counts the restore points of each repository. */
export async function countPoints(
  { sql: db, tenant }: TenantTx,
  repositories: BackupRepositoryId[],
): Promise<ReadonlyMap<string, { readonly count: number; readonly oldestAt: Ms }>> {
  if (repositories.length === 0) return new Map();
  const rows = await db
    .selectFrom('restore_point')
    .select([
      'repository_id',
      (e) => e.fn.countAll<number>().as('count'),
      (e) => e.fn.min<number>('at').as('oldest'),
    ])
    .where('tenant_id', '=', tenant)
    .where('repository_id', 'in', repositories)
    .where('complete', '=', true)
    .groupBy('repository_id')
    .execute();
  return new Map(
    rows.map(({ repository_id: id, count, oldest }) => [id, { count, oldestAt: oldest }]),
  );
}
