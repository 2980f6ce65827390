import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Ms, TenantId } from '#contract/ids.ts';
import { SKEW_MS } from '../clock-bounds.ts';
import type { Database } from '../db/database.ts';
import type { BackgroundJobName } from './job-types.ts';
import { mayTake, type Worker } from './places.ts';

type Sql = Transaction<Database>;

/**
 * A job whose lease wasn't renewed for this long is free where no heartbeats show which servers
 * live: more than the clocks of two servers may differ.
 */
export const LEASE_MS: Ms = SKEW_MS + 60_000;
/** How often a lease is renewed. */
export const RENEW_MS: Ms = 60_000;

export interface JobId {
  readonly tenant_id: TenantId;
  readonly type: BackgroundJobName;
  readonly key: string;
}

export interface LeasedJob extends JobId {
  readonly attempts: number;
  readonly payload: unknown;
}

/** A type with free places: how many jobs of it to take, in total and of one provider. */
export interface FreePlaces {
  readonly type: BackgroundJobName;
  readonly free: number;
  readonly per_tenant: number;
  readonly max_wait: Ms;
  readonly is_routed: boolean;
}

/**
 * Leases the due jobs of all providers to `owner`, at most as many as there are places, and returns
 * them with the time at which the next one is due. One query. A leased job's `due_at` is empty, so
 * that a due time scheduled during the run counts for the next one. `running`: the jobs that this
 * server still runs. They aren't leased again, even if their end is already stored. `worker`: of the
 * work for repositories, only what this process may take; in turns, so that each organization gets
 * its part. `endsByTime`: leases that were not renewed are free; not where heartbeats show which
 * servers live.
 */
export async function leaseDueJobs(
  db: Sql,
  owner: string,
  worker: Worker,
  places: readonly FreePlaces[],
  running: readonly JobId[],
  now: Ms,
  endsByTime = true,
): Promise<{ readonly jobs: readonly LeasedJob[]; readonly nextAt: Ms | null }> {
  const mayLease = sql`(not place.is_routed or ${mayTake(sql`${worker.name}::text`, sql`${worker.hasFolder}::boolean`)})`;
  const { rows } = await sql<LeasedJob & { readonly next_at: Ms | null }>`
    with place as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as p(type text, free int, per_tenant int, max_wait bigint, is_routed boolean)
    ), running as materialized (
      select * from ${recordset(running)}
    ), busy as materialized (
      select type, tenant_id, count(*) as running from running group by type, tenant_id
    ), at_work as materialized (
      select j.tenant_id, j.type, j.organization, count(*) as running from place cross join lateral (
        select * from background_job as b where place.is_routed and b.type = place.type and b.lease_owner is not null offset 0
      ) as j group by j.tenant_id, j.type, j.organization
    ), waiting as materialized (
      select j.tenant_id, j.type, j.key, j.due_at,
        coalesce(at_work.running, 0) + row_number() over (partition by j.tenant_id, j.type, j.organization order by j.due_at, j.key) as turn
      from place cross join lateral (
        select * from background_job as b where place.is_routed and b.type = place.type and b.lease_owner is null and b.due_at <= ${now} offset 0
      ) as j left join at_work on at_work.tenant_id = j.tenant_id and at_work.type = j.type and at_work.organization = j.organization
      where ${hasPlace} and ${isNotRunning} and ${mayLease}
    ), due as materialized (
      select found.*, place.free, place.per_tenant from place cross join lateral (
        select * from (
          select j.tenant_id, j.type, j.key, j.due_at, 0::bigint as turn from background_job as j
          where not place.is_routed and j.type = place.type and j.lease_owner is null and j.due_at <= ${now}
            and ${hasPlace} and ${isNotRunning}
          order by j.due_at limit place.free for update of j skip locked
        ) as ready
        union all
        select * from (
          select j.tenant_id, j.type, j.key, j.due_at, w.turn from waiting as w
          join background_job as j on j.tenant_id = w.tenant_id and j.type = w.type and j.key = w.key
          where w.type = place.type and j.lease_owner is null
          order by w.turn, w.due_at, w.key limit place.free for update of j skip locked
        ) as routed
        union all
        select * from (
          select j.tenant_id, j.type, j.key, j.due_at, 0::bigint as turn from background_job as j
          where j.type = place.type and j.lease_owner is null and j.due_at > ${now + SKEW_MS} + place.max_wait
            and ${isNotRunning} and ${mayLease}
          limit place.free for update of j skip locked
        ) as too_far_ahead
        union all
        select * from (
          select j.tenant_id, j.type, j.key, 0::bigint as due_at, 0::bigint as turn from background_job as j
          where ${endsByTime}::boolean and j.type = place.type and j.lease_owner is not null and (j.lease_until <= ${now} or j.lease_until > ${now + LEASE_MS + SKEW_MS})
            and ${isNotRunning} and ${mayLease}
          limit place.free for update of j skip locked
        ) as lease_expired
      ) as found
    ), ranked as (
      select due.*, row_number() over (partition by type order by turn, due_at, tenant_id, key) as n,
        row_number() over (partition by type, tenant_id order by turn, due_at, key) as n_of_tenant from due
    ), leased as (
      update background_job as j set lease_owner = ${owner}, lease_until = ${now + LEASE_MS}, due_at = null, began_at = ${now}, attempts = j.attempts + 1
      from ranked left join busy on busy.type = ranked.type and busy.tenant_id = ranked.tenant_id
      where j.tenant_id = ranked.tenant_id and j.type = ranked.type and j.key = ranked.key
        and ranked.n <= ranked.free and ranked.n_of_tenant <= ranked.per_tenant - coalesce(busy.running, 0)
      returning j.tenant_id, j.type, j.key, j.attempts, j.payload
    )
    select leased.*, (
      select min(due_at) from place cross join lateral (
        select * from (select j.due_at from background_job as j where j.type = place.type and j.lease_owner is null and j.due_at > ${now} order by j.due_at limit 1) as later
        union all
        select min(j.lease_until) from background_job as j where j.type = place.type and j.lease_owner is not null and j.lease_until > ${now}
      ) as next
    ) as next_at from (select) as always left join leased on true`.execute(db);
  return {
    jobs: rows.filter((row) => (row.type as string | null) !== null),
    nextAt: rows[0]?.next_at ?? null,
  };
}

const hasPlace = sql`not exists (select from busy where busy.type = j.type and busy.tenant_id = j.tenant_id and busy.running >= place.per_tenant)`;

const isNotRunning = sql`not exists (select from running where running.type = j.type and running.tenant_id = j.tenant_id and running.key = j.key)`;

const isJob = ({ tenant_id, type, key }: JobId) =>
  sql<boolean>`tenant_id = ${tenant_id} and type = ${type} and key = ${key}`;

/**
 * Renews the leases of the jobs that `owner` runs, and returns those that it still has. Other leases
 * of `owner` run out: it ran these jobs and could not store their end.
 */
export async function renewLeases(
  db: Sql,
  owner: string,
  running: readonly JobId[],
  now: Ms,
): Promise<readonly JobId[]> {
  const { rows } = await sql<JobId>`
    update background_job as j set lease_until = ${now + LEASE_MS} from ${recordset(running)}
    where j.tenant_id = r.tenant_id and j.type = r.type and j.key = r.key and j.lease_owner = ${owner}
    returning j.tenant_id, j.type, j.key`.execute(db);
  return rows;
}

const recordset = (jobs: readonly JobId[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(jobs)}::jsonb) as r(tenant_id uuid, type text, key text)`;

/**
 * Stores that a run succeeded. `dueAt`: the next run, unless something scheduled an earlier one
 * meanwhile. Null: a job with a key is deleted. Returns the stored due time; null if there is none,
 * or if another server took the job over.
 */
export async function finishJob(
  db: Sql,
  owner: string,
  job: JobId,
  dueAt: Ms | null,
): Promise<Ms | null> {
  if (dueAt === null && job.key !== '') {
    const { rows: deleted } =
      await sql`delete from background_job where ${isJob(job)} and lease_owner = ${owner} and due_at is null returning key`.execute(
        db,
      );
    if (deleted.length > 0) return null;
  }
  const { rows } = await sql<{ readonly due_at: Ms | null }>`
    update background_job set lease_owner = null, lease_until = 0, attempts = 0, last_error = null, due_at = least(due_at, ${dueAt}::bigint)
    where ${isJob(job)} and lease_owner = ${owner} returning due_at`.execute(db);
  return rows[0]?.due_at ?? null;
}

/** Stores that a run failed, and when it is tried again. */
export async function failJob(
  db: Sql,
  owner: string,
  job: JobId,
  error: string,
  dueAt: Ms,
): Promise<void> {
  await sql`
    update background_job set lease_owner = null, lease_until = 0, last_error = ${error}, due_at = ${dueAt}
    where ${isJob(job)} and lease_owner = ${owner}`.execute(db);
}

/**
 * Brings forward the jobs that follow the log of these providers. Jobs that failed keep their wait.
 * The rows are locked in one order, so that two servers don't block each other.
 */
export async function scheduleAfterAppend(
  db: Sql,
  tenants: readonly TenantId[],
  delays: readonly { readonly type: BackgroundJobName; readonly delay: Ms }[],
  now: Ms,
): Promise<void> {
  await sql`
    update background_job as j set due_at = soon.at from (
      select b.tenant_id, b.type, ${now} + d.delay as at from background_job as b
      join jsonb_to_recordset(${JSON.stringify(delays)}::jsonb) as d(type text, delay bigint) on d.type = b.type
      where b.tenant_id = any(${list(tenants)}::uuid[]) and b.key = '' and (b.last_error is null or b.lease_owner is not null)
        and (b.due_at is null or b.due_at > ${now} + d.delay)
      order by b.tenant_id, b.type for update of b
    ) as soon where j.tenant_id = soon.tenant_id and j.type = soon.type and j.key = ''`.execute(db);
}

/**
 * A condition for a row that a job takes: an earlier run of the job has it, whose lease has ended
 * (JOB-11). `column`: its lease.
 */
export const isLeftBehind = (column: string, lease: string): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} is not null and ${sql.ref(column)} <> ${lease})`;

const list = (values: readonly string[]): string => `{${values.join(',')}}`;

/** Adds the recurring jobs that providers don't have yet, due at once. */
export async function addMissingJobs(db: Sql, types: readonly string[]): Promise<void> {
  await sql`
    insert into background_job (tenant_id, type, key, due_at)
    select t.tenant_id, k.type, '', 0 from tenant_list as t cross join unnest(${list(types)}::text[]) as k(type)
    on conflict do nothing`.execute(db);
}

/** Returns the servers that have leases. */
export async function listLeaseOwners(db: Sql): Promise<readonly string[]> {
  const { rows } = await sql<{
    readonly owner: string;
  }>`select distinct lease_owner as owner from background_job where lease_owner is not null`.execute(
    db,
  );
  return rows.map(({ owner }) => owner);
}

/** Ends the leases that `owner` has for jobs that it doesn't run: they are due at once. */
export async function endForgottenLeases(
  db: Sql,
  owner: string,
  running: readonly JobId[],
  now: Ms,
): Promise<void> {
  await sql`
    update background_job as j set lease_owner = null, lease_until = 0, due_at = least(j.due_at, ${now}::bigint)
    where j.lease_owner = ${owner} and not exists (
      select from ${recordset(running)} where j.tenant_id = r.tenant_id and j.type = r.type and j.key = r.key
    )`.execute(db);
}

/** Ends the leases of servers that died. Their attempts count. */
export async function endLeasesByOwner(db: Sql, owners: readonly string[], now: Ms): Promise<void> {
  await sql`
    update background_job set lease_owner = null, lease_until = 0, due_at = least(due_at, ${now}::bigint)
    where lease_owner = any(${list(owners)}::text[])`.execute(db);
}

/** Ends all leases. Only where no other server can run jobs. */
export async function endLeases(db: Sql, now: Ms): Promise<void> {
  await sql`
    update background_job set lease_owner = null, lease_until = 0, due_at = ${now} where lease_owner is not null`.execute(
    db,
  );
}
