import { sql } from 'kysely';
import * as v from 'valibot';
import type {
  EngineResult,
  EngineScope,
  EngineId,
  Region,
  RequestOrigin,
  Workload,
} from '#contract/engine/engine.ts';
import type { Ms, OrganizationId, TenantId, UserId } from '#contract/ids.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { auditOrigin } from '#server/platform/auth/audit.ts';
import { seal, unseal } from '#server/platform/crypto/vault.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import { scheduleJob } from '#server/platform/jobs/schedule.ts';
import { GRANTED_TOGETHER } from '../../entra/permissions.ts';
import { EXPLORER_IDLE_MS } from '../../../shared/explorer-idle.ts';
import { type Access, ACCESS } from '../../organizations/access.ts';
import { failed, ok } from '../../../result.ts';
import { restoreMessages as t } from '../../../shared/restore.messages.en.ts';

/** What is sealed of a grant. Secret as a whole. */
const SEALED = v.object({
  /** The application with the rights; null once they have ended. */
  access: v.nullable(ACCESS),
  /** The administrator's sign-in, which removes the application. */
  accessToken: v.string(),
  tokenExpiresAt: v.number(),
});
interface SealedGrant {
  readonly access: Access | null;
  readonly accessToken: string;
  readonly tokenExpiresAt: Ms;
}

export interface Grant {
  readonly id: EngineId;
  readonly expiresAt: Ms;
}
/** A user whose grants are asked for: nobody else may use them (G69). */
interface Owner {
  readonly tenant: TenantId;
  readonly user: UserId;
  readonly actor: UserId;
}

export function getOwner({ tenant, user, origin }: EngineScope): Owner {
  if (user === null) throw new Error('Only users have rights to write.');
  return { tenant, user, actor: origin?.actor ?? user };
}

export interface NewGrant extends SealedGrant {
  readonly id: EngineId;
  readonly region: Region;
  readonly workload: Workload | null;
  readonly permissions: readonly string[];
  readonly registrationId: string;
  /** Until then, restores may start. */
  readonly expiresAt: Ms;
  /** Until then, restores that have started continue. */
  readonly restoresEndAt: Ms;
}

/**
 * Stores a grant. Without `access`, its application exists, but nobody may use it yet: if it never
 * becomes usable, its job removes it.
 */
export async function storeGrant(
  tx: TenantTx,
  context: AppContext,
  scope: EngineScope,
  {
    id,
    workload,
    permissions,
    registrationId,
    expiresAt,
    restoresEndAt,
    region,
    ...secrets
  }: NewGrant,
): Promise<void> {
  const now = context.clock.now();
  const { user, actor } = getOwner(scope);
  const sealed = await sealGrant(tx, context, id, secrets);
  const changed = {
    sealed,
    registration_id: registrationId,
    expires_at: expiresAt,
    restores_end_at: restoresEndAt,
    stopped_at: secrets.access === null ? now : null,
  };
  await tx.sql
    .insertInto('restore_grant')
    .values({
      tenant_id: tx.tenant,
      id,
      organization_id: scope.organization,
      user_id: user,
      actor_id: actor,
      workload,
      permissions: permissions.join(' '),
      region,
      granted_at: now,
      ended_at: null,
      ...changed,
    })
    .onConflict((on) => on.columns(['tenant_id', 'id']).doUpdateSet(changed))
    .execute();
  await scheduleEnd(tx, id, expiresAt);
}

/**
 * Finds rights of this user to write to the organization. `workload` null: of any kind. A grant that
 * names no workload is for those that are granted together.
 */
export async function findGrant(
  { sql: db, tenant }: TenantTx,
  scope: EngineScope,
  workload: Workload | null,
  now: Ms,
): Promise<Grant | null> {
  const { user, actor } = getOwner(scope);
  const isGrantedTogether = GRANTED_TOGETHER.some((one) => one === workload)
    ? sql`workload is null`
    : sql`false`;
  const { rows } = await sql<Grant>`
    select id, expires_at as "expiresAt" from restore_grant
    where tenant_id = ${tenant} and organization_id = ${scope.organization} and user_id = ${user} and actor_id = ${actor}
      and (${workload}::text is null or workload = ${workload} or ${isGrantedTogether})
      and ended_at is null and stopped_at is null and expires_at > ${now}
    order by expires_at desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/**
 * Opens a grant for a task that was started with it. Returns the access and until when it may be
 * used: a task outlives the session, and the time in which restores may start.
 */
export async function openGrant(
  tx: TenantTx,
  context: AppContext,
  organization: OrganizationId,
  id: EngineId,
): Promise<EngineResult<{ readonly access: Access; readonly endsAt: Ms }>> {
  const row = await loadGrant(tx, context, id);
  const isOver =
    row === null ||
    row.organization !== organization ||
    row.endedAt !== null ||
    row.restoresEndAt <= context.clock.now();
  if (isOver || !row.sealed?.access) return failed('refused', t.rightsEnded);
  return ok({ access: row.sealed.access, endsAt: row.restoresEndAt });
}

/**
 * Ends the rights for a workload with the last session of the user that restores it. Restores that
 * have started keep them until they are done.
 */
export async function stopGrants(
  tx: TenantTx,
  scope: EngineScope,
  workload: Workload,
  now: Ms,
): Promise<void> {
  const { user } = getOwner(scope);
  const { rows } = await sql<{ id: EngineId }>`
    update restore_grant as g set stopped_at = ${now}
    where g.tenant_id = ${tx.tenant} and g.user_id = ${user} and g.stopped_at is null and g.ended_at is null
      and (g.workload is null or g.workload = ${workload})
      and not exists (
        select from explorer as e where e.tenant_id = ${tx.tenant} and e.user_id = ${user} and e.stopped_at is null
          and (g.workload is null or e.workload = g.workload) and e.used_at > ${now - EXPLORER_IDLE_MS})
    returning g.id`.execute(tx.sql);
  for (const { id } of rows) await scheduleEnd(tx, id, now);
}

/** Ends all rights to write to an organization, at once. */
export async function stopAllGrants(
  tx: TenantTx,
  organization: OrganizationId,
  now: Ms,
): Promise<void> {
  const { rows } = await sql<{ id: EngineId }>`
    update restore_grant set stopped_at = coalesce(stopped_at, ${now}), expires_at = least(expires_at, ${now}),
      restores_end_at = least(restores_end_at, ${now})
    where tenant_id = ${tx.tenant} and organization_id = ${organization} and ended_at is null
    returning id`.execute(tx.sql);
  for (const { id } of rows) await scheduleEnd(tx, id, now);
}

interface LoadedGrant {
  readonly organization: OrganizationId;
  readonly user: UserId;
  readonly region: Region;
  readonly registrationId: string;
  readonly expiresAt: Ms;
  readonly restoresEndAt: Ms;
  readonly stoppedAt: Ms | null;
  readonly endedAt: Ms | null;
  readonly sealed: SealedGrant | null;
}

export async function loadGrant(
  tx: TenantTx,
  context: AppContext,
  id: EngineId,
): Promise<LoadedGrant | null> {
  const row = await tx.sql
    .selectFrom('restore_grant')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const sealed =
    row.sealed === null
      ? null
      : v.parse(SEALED, JSON.parse(await unseal(tx, context, getSecretRef(id), row.sealed)));
  return {
    organization: row.organization_id,
    user: row.user_id,
    region: row.region,
    registrationId: row.registration_id,
    expiresAt: row.expires_at,
    restoresEndAt: row.restores_end_at,
    stoppedAt: row.stopped_at,
    endedAt: row.ended_at,
    sealed,
  };
}

/** Ends a grant: deletes its key, so that nobody can use rights that still exist in the tenant. */
export async function endGrant(
  tx: TenantTx,
  context: AppContext,
  id: EngineId,
  secrets: SealedGrant,
): Promise<void> {
  await tx.sql
    .updateTable('restore_grant')
    .set({
      ended_at: context.clock.now(),
      sealed: await sealGrant(tx, context, id, { ...secrets, access: null }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute();
}

/** Forgets the administrator's sign-in. `removed`: the tenant no longer has the application. */
export async function closeGrant(
  { sql: db, tenant }: TenantTx,
  id: EngineId,
  removed: boolean,
): Promise<void> {
  await db
    .updateTable('restore_grant')
    .set({ sealed: null, removed })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** Lists applications whose removal from the tenant failed. */
export const listLeftovers = (
  { sql: db, tenant }: TenantTx,
  organization: OrganizationId,
): Promise<{ readonly id: EngineId; readonly registration_id: string }[]> =>
  db
    .selectFrom('restore_grant')
    .select(['id', 'registration_id'])
    .where('tenant_id', '=', tenant)
    .where('organization_id', '=', organization)
    .where('ended_at', 'is not', null)
    .where('sealed', 'is', null)
    .where('removed', '=', false)
    .execute();

/** Whether a restore with these rights is still at work. */
export async function isGrantInUse({ sql: db, tenant }: TenantTx, id: EngineId): Promise<boolean> {
  const { rows } = await sql`
    select from engine_task where tenant_id = ${tenant} and state <> 'done' and request -> 'rights' ->> 'grant' = ${id} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

const scheduleEnd = (tx: TenantTx, grant: EngineId, at: Ms): Promise<void> =>
  scheduleJob(tx, 'restore-rights', grant, { grant }, at);

/** Records what happened to a grant, without any secret of it. */
export const recordGrant = (
  tx: TenantTx,
  context: AppContext,
  {
    what,
    user,
    detail,
    origin,
  }: {
    readonly what:
      | 'restorerights.requested'
      | 'restorerights.granted'
      | 'restorerights.ended'
      | 'restorerights.removed';
    /** The affected user; null: the one who acts. */
    readonly user: UserId | null;
    readonly detail: Readonly<Record<string, string | number | boolean | null>>;
    readonly origin: RequestOrigin | null;
  },
): Promise<void> =>
  auditOrigin(tx, context, {
    what,
    user,
    detail,
    at: context.clock.now(),
    origin: origin ?? { ip: '', agent: '', actor: null, impersonation: null, key: null },
  });

const sealGrant = (
  tx: TenantTx,
  context: AppContext,
  id: EngineId,
  { access, accessToken, tokenExpiresAt }: SealedGrant,
): Promise<string> =>
  seal(tx, context, getSecretRef(id), JSON.stringify({ access, accessToken, tokenExpiresAt }));
const getSecretRef = (grant: EngineId) => ({
  table: 'restore_grant',
  column: 'sealed',
  row: grant,
});
