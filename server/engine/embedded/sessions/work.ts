import { sql, type RawBuilder } from 'kysely';
import type { SessionObject, Waiting } from '#contract/engine/sessions.ts';
import type { BackupSessionId, Bytes, Ms } from '#contract/ids.ts';
import type { TenantTx } from '#server/platform/db/store.ts';

/** Another process takes over the work on an object whose lease wasn't renewed for so long. */
export const WORK_LEASE_MS: Ms = 4 * 60_000;
/** Work that failed in an unexpected way this often is given up. */
export const MAX_ATTEMPTS = 5;

interface Owner {
  readonly session: BackupSessionId;
  /** The process, or part of one, that works. */
  readonly owner: string;
}
export interface WorkId extends Owner {
  readonly object: number;
}
export interface LeasedWork {
  readonly object: number;
  readonly attempts: number;
}

/** Queues the work on the objects of a session. */
export async function queueWork(
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
  objects: readonly number[],
): Promise<void> {
  await sql`
    insert into backup_work (tenant_id, session_id, object_n)
    select h.tenant_id, ${session}, value::bigint from jsonb_array_elements_text(${JSON.stringify(objects)}::text::jsonb)
    join head as h on h.tenant_id = ${tenant}
    on conflict do nothing`.execute(db);
}

/**
 * Leases the next object of a session that nobody works on, in this session or another; undefined:
 * none now. What the owner has leased already it still works on, also if the database was away for
 * longer than its lease: two parts of one process would not notice each other.
 */
export async function leaseWork(
  { sql: db, tenant }: TenantTx,
  { session, owner }: Owner,
  now: Ms,
): Promise<LeasedWork | undefined> {
  const { rows } = await sql<LeasedWork>`
    with free as materialized (
      select w.object_n from backup_work as w
      join backup_object as o on o.tenant_id = w.tenant_id and o.n = w.object_n
      where w.tenant_id = ${tenant} and w.session_id = ${session} and (
          w.state = 'queued'
          or w.state = 'waiting' and coalesce((w.waiting ->> 'until')::bigint, 0) <= ${now}
          or w.state = 'running' and w.lease_owner is distinct from ${owner} and not ${isLeased(sql`w`, now)})
        and not ${isTaken(tenant, now)}
      order by w.attempts, w.object_n limit 1 for update of w, o skip locked
    )
    update backup_work as w set state = 'running', lease_owner = ${owner}, lease_until = ${now + WORK_LEASE_MS},
      attempts = w.attempts + 1, waiting = null
    from free where w.tenant_id = ${tenant} and w.session_id = ${session} and w.object_n = free.object_n
    returning w.object_n as object, w.attempts`.execute(db);
  return rows[0];
}

/** Another session works on the object of the work `w`. */
const isTaken = (tenant: string, now: Ms): RawBuilder<boolean> => sql`exists (
  select from backup_work as other where other.tenant_id = ${tenant} and other.object_n = w.object_n
    and other.session_id <> w.session_id and other.state = 'running' and ${isLeased(sql`other`, now)})`;

/** A lease that ends later than any that is taken now was written by a wrong clock (G13). */
const isLeased = (work: RawBuilder<unknown>, now: Ms): RawBuilder<boolean> =>
  sql`(${work}.lease_until > ${now} and ${work}.lease_until <= ${now + WORK_LEASE_MS})`;

/**
 * Renews the lease of an object. Returns the state of the session; undefined if another process has
 * taken over.
 */
export async function renewWork(
  { sql: db, tenant }: TenantTx,
  { session, owner, object }: WorkId,
  now: Ms,
): Promise<string | undefined> {
  const { rows } = await sql<{ readonly state: string }>`
    update backup_work as w set lease_until = ${now + WORK_LEASE_MS} from backup_session as s
    where w.tenant_id = ${tenant} and w.session_id = ${session} and w.object_n = ${object}
      and w.state = 'running' and w.lease_owner = ${owner} and s.tenant_id = w.tenant_id and s.id = w.session_id
    returning s.state`.execute(db);
  return rows[0]?.state;
}

/** Ends the lease. `queued` and `waiting`: the work continues later. */
export async function endWork(
  { sql: db, tenant }: TenantTx,
  { session, owner, object }: WorkId,
  end: {
    readonly state: SessionObject['state'];
    readonly message?: string | null;
    readonly waiting?: Waiting | null;
    /** Read by this lease. */
    readonly items: number;
    readonly bytes: Bytes;
    /** It was interrupted without a reason of its own: the attempt doesn't count. */
    readonly isFree?: boolean;
  },
): Promise<void> {
  await db
    .updateTable('backup_work')
    .set((work) => ({
      state: end.state,
      message: end.message ?? null,
      waiting: end.waiting ? JSON.stringify(end.waiting) : null,
      items: work('items', '+', end.items),
      bytes: work('bytes', '+', end.bytes),
      attempts: work('attempts', '-', end.isFree === true ? 1 : 0),
      lease_owner: null,
      lease_until: 0,
    }))
    .where('tenant_id', '=', tenant)
    .where('session_id', '=', session)
    .where('object_n', '=', object)
    .where('lease_owner', '=', owner)
    .execute();
}

/** Ends the leases of a process that can't store how its work ended. The attempts count. */
export async function releaseWork(
  { sql: db, tenant }: TenantTx,
  { session, owner }: Owner,
): Promise<void> {
  await db
    .updateTable('backup_work')
    .set({ state: 'queued', lease_owner: null, lease_until: 0 })
    .where('tenant_id', '=', tenant)
    .where('session_id', '=', session)
    .where('lease_owner', '=', owner)
    .execute();
}

/**
 * Frees the objects of a session that another process had when its lease of the session ended. If it
 * lives after all, it stores nothing more: each of its transactions renews the lease of its object.
 */
export async function takeWorkOver(
  { sql: db, tenant }: TenantTx,
  { session, owner }: Owner,
): Promise<void> {
  await db
    .updateTable('backup_work')
    .set({ state: 'queued', lease_owner: null, lease_until: 0 })
    .where('tenant_id', '=', tenant)
    .where('session_id', '=', session)
    .where('state', '=', 'running')
    .where('lease_owner', '<>', owner)
    .execute();
}

/** How far the objects of a session are. */
export interface WorkCounts {
  readonly total: number;
  readonly succeeded: number;
  readonly warned: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly items: number;
  readonly bytes: Bytes;
  /** When the next one can continue; null: at once, or none is open. */
  readonly waitingUntil: Ms | null;
  readonly waitingReason: string | null;
  /** Some work could be leased now. */
  readonly hasFree: boolean;
}

export async function countWork(
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
  now: Ms,
): Promise<WorkCounts> {
  const {
    rows: [counts],
  } = await sql<WorkCounts>`
    select count(*) as total, count(*) filter (where state = 'success') as succeeded,
      count(*) filter (where state = 'warning') as warned, count(*) filter (where state = 'failed') as failed,
      count(*) filter (where state = 'cancelled') as cancelled,
      coalesce(sum(items), 0)::bigint as items, coalesce(sum(bytes), 0)::bigint as bytes,
      min((waiting ->> 'until')::bigint) filter (where state = 'waiting') as "waitingUntil",
      min(waiting ->> 'reason') filter (where state = 'waiting') as "waitingReason",
      coalesce(bool_or(state = 'queued' and not ${isTaken(tenant, now)}), false) as "hasFree"
    from backup_work as w where tenant_id = ${tenant} and session_id = ${session}`.execute(db);
  if (counts === undefined) throw new Error('An aggregate has one row.');
  return counts;
}

/** Cancels all work of a session that hasn't ended. */
export async function cancelWork(
  { sql: db, tenant }: TenantTx,
  session: BackupSessionId,
): Promise<void> {
  await db
    .updateTable('backup_work')
    .set({ state: 'cancelled', waiting: null, lease_owner: null, lease_until: 0 })
    .where('tenant_id', '=', tenant)
    .where('session_id', '=', session)
    .where('state', 'in', ['queued', 'waiting', 'running'])
    .execute();
}
