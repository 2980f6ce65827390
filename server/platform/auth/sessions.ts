import { sql } from 'kysely';
import type { Selectable } from 'kysely';
import type { CompanyN, ImpersonationId, Ms, TenantId, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Tables } from '#contract/tables.ts';
import { isAhead } from '../clock-bounds.ts';
import type { Principal } from '../http/handler.ts';
import type { SessionTable } from '../db/database-account.ts';
import { sqlName } from '../db/projected-tables.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext, Clock } from '../app-context.ts';
import { isActorActive } from './impersonation-rights.ts';
import { firstPair, hashToken, nextPair } from './tokens.ts';
import type { Pair, AuthToken } from './tokens.ts';

/** A session that was opened or refreshed. The tokens exist in clear text only here. */
export interface IssuedSession {
  readonly session: string;
  readonly pair: Pair;
  readonly userId: UserId;
  readonly accessUntil: Ms;
  readonly cookieUntil: Ms;
}

const KEEP_MS: Ms = 7 * 86_400_000;

/**
 * `how`: the sign-in method. `fresh`: false if the sign-in used fewer factors than the user
 * normally needs, so that a sensitive change requires another one (G44). `impersonation`: the
 * impersonating actor, its session and its reason (G42); such a session ends after an hour.
 */
export interface NewSession {
  readonly userId: UserId;
  readonly now: Ms;
  readonly ip: string;
  readonly agent: string;
  readonly how?: string;
  readonly fresh?: boolean;
  readonly impersonation?: {
    readonly actor: UserId;
    readonly id: ImpersonationId;
    readonly parent: string;
    readonly reason: string;
  };
}

export async function openSession(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  of: NewSession,
): Promise<IssuedSession> {
  // Expired sessions are kept for a while, so that their devices learn that they expired.
  await tx.sql
    .deleteFrom('session')
    .where('tenant_id', '=', tx.tenant)
    .where('absolute_until', '<', of.now - KEEP_MS)
    .execute();
  const id = context.chance.uuid();
  const pair = firstPair(id, key, context.chance);
  const until = {
    access: of.now + LIMITS.accessMs,
    idle: of.now + LIMITS.idleMs,
    absolute: of.now + (of.impersonation ? LIMITS.impersonationMs : LIMITS.absoluteMs),
  };
  await tx.sql
    .insertInto('session')
    .values({
      tenant_id: tx.tenant,
      id,
      user_id: of.userId,
      access_hash: pair.accessHash,
      access_until: until.access,
      refresh_hash: pair.refreshHash,
      previous_refresh_hash: null,
      rotated_at: of.now,
      idle_until: until.idle,
      absolute_until: until.absolute,
      made_at: of.now,
      ended_at: null,
      ip: of.ip,
      agent: of.agent,
      authenticated_at: of.fresh === false ? 0 : of.now,
      how: of.how ?? 'password',
      actor_id: of.impersonation?.actor ?? null,
      impersonation_id: of.impersonation?.id ?? null,
      parent_id: of.impersonation?.parent ?? null,
      reason: of.impersonation?.reason ?? null,
    })
    .execute();
  return {
    session: id,
    pair,
    userId: of.userId,
    accessUntil: until.access,
    cookieUntil: until.idle,
  };
}

export type Refreshed =
  | { readonly kind: 'fresh'; readonly opened: IssuedSession }
  | { readonly kind: 'expired' | 'unknown' | 'reused' };

/**
 * Moves one step along the token chain. The previous token gets the same pair again while nobody has
 * used this pair (its answer was lost, however long ago), and for a moment after (two tabs that
 * raced). Any older token was stolen and ends the session for both (A2).
 */
export async function refreshSession(
  tx: TenantTx,
  key: Buffer,
  token: AuthToken,
  { now, clock }: { readonly now: Ms; readonly clock: Clock },
): Promise<Refreshed> {
  const row = await tx.sql
    .selectFrom('session')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', token.session)
    .forUpdate()
    .executeTakeFirst();
  if (!row || row.ended_at !== null) return { kind: 'unknown' };
  const hash = hashToken(token);
  const pair = nextPair(token, key);
  const isFormer = hash === row.previous_refresh_hash && pair.refreshHash === row.refresh_hash;
  if (hash === row.refresh_hash || (isFormer && !row.pair_used)) {
    if (isOver(row, now)) return { kind: 'expired' };
    const accessUntil = Math.min(now + LIMITS.accessMs, row.absolute_until);
    const cookieUntil = Math.min(now + LIMITS.idleMs, row.absolute_until);
    await tx.sql
      .updateTable('session')
      .set({
        access_hash: pair.accessHash,
        access_until: accessUntil,
        refresh_hash: pair.refreshHash,
        previous_refresh_hash: hash,
        pair_used: false,
        // Not when the request arrived: a busy server would answer when the moment is over.
        rotated_at: clock.now(),
        idle_until: cookieUntil,
      })
      .where('tenant_id', '=', tx.tenant)
      .where('id', '=', row.id)
      .execute();
    return {
      kind: 'fresh',
      opened: { session: row.id, pair, userId: row.user_id, accessUntil, cookieUntil },
    };
  }
  const inRace = isFormer && now - row.rotated_at <= LIMITS.refreshGraceMs;
  if (inRace && !isOver(row, now))
    return {
      kind: 'fresh',
      opened: {
        session: row.id,
        pair,
        userId: row.user_id,
        accessUntil: row.access_until,
        cookieUntil: row.idle_until,
      },
    };
  await endSession(tx, row.id, now);
  return { kind: 'reused' };
}

/** Records that the session's current access token was used: its device has the pair. */
export async function confirmPair(tx: TenantTx, id: string, accessHash: string): Promise<void> {
  await tx.sql
    .updateTable('session')
    .set({ pair_used: true })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('access_hash', '=', accessHash)
    .execute();
}

export async function endSession(tx: TenantTx, id: string, now: Ms): Promise<void> {
  await tx.sql
    .updateTable('session')
    .set({ ended_at: now })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/**
 * Returns the session's row and its user with current rights (G33). The user is null if it no
 * longer exists.
 */
export async function readSession(
  tx: TenantTx,
  id: string,
): Promise<{ readonly row: Selectable<SessionTable>; readonly session: Principal | null } | null> {
  const row = await tx.sql
    .selectFrom('session')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const holder = await readHolder(tx, row.user_id);
  return { row, session: holder && toPrincipal(row, holder) };
}

type SessionRow = Pick<
  Selectable<SessionTable>,
  | 'id'
  | 'user_id'
  | 'made_at'
  | 'ended_at'
  | 'idle_until'
  | 'absolute_until'
  | 'authenticated_at'
  | 'actor_id'
  | 'actor_tenant'
  | 'impersonation_id'
  | 'parent_id'
>;

const toPrincipal = (row: SessionRow, holder: Holder): Principal => ({
  ...holder,
  sessionId: row.id,
  actor: row.actor_id ?? holder.userId,
  impersonation: row.impersonation_id,
  beganAt: row.made_at,
  authenticatedAt: row.authenticated_at,
  mustReset: holder.mustReset && row.impersonation_id === null,
});

type Holder = Pick<Principal, 'userId' | 'roles' | 'companies' | 'deleted' | 'mustReset'>;

/**
 * Returns a user with current rights (G33); null if it no longer exists. `mustReset`: the user has
 * to choose a password first.
 */
export async function readHolder(tx: TenantTx, id: UserId): Promise<Holder | null> {
  const user = (await tx.rows('user', [id])).get(id);
  const person = await tx.sql
    .selectFrom('person')
    .select('password_reset')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!user || !person) return null;
  return toHolder(user, person.password_reset, await readDeletedCompanies(tx));
}

async function readDeletedCompanies(tx: TenantTx): Promise<readonly CompanyN[]> {
  const rows = await tx.sql
    .selectFrom('company')
    .select('n')
    .where('tenant_id', '=', tx.tenant)
    .where(sql`row->>'deletedAt'`, 'is not', null)
    .execute();
  return rows.map(({ n }) => n);
}

/** `deletedCompanies`: all of the provider. */
function toHolder(
  user: Tables['user'],
  mustReset: boolean,
  deletedCompanies: readonly CompanyN[],
): Holder | null {
  if (user.deletedAt !== null) return null;
  const deleted = deletedCompanies.filter(
    (n) => user.companies === null || user.companies.includes(n),
  );
  return {
    userId: user.id,
    roles: user.roles,
    companies: user.companies && user.companies.filter((n) => !deleted.includes(n)),
    deleted,
    mustReset,
  };
}

/** Sessions as one transaction found them. `isActive` says whether the actor may still impersonate. */
export interface FoundSession {
  readonly row: SessionRow;
  readonly session: Principal;
}

/**
 * Returns those of the sessions that have neither ended nor expired, with their users' current
 * rights, in one query for all. Pass them to `withActiveActors` after the transaction.
 */
export async function readOpenSessions(
  tx: TenantTx,
  ids: readonly string[],
  now: Ms,
): Promise<readonly FoundSession[]> {
  if (ids.length === 0) return [];
  const [{ rows }, deleted] = await Promise.all([
    sql<SessionRow & { readonly user: Tables['user']; readonly password_reset: boolean }>`
      select s.id, s.user_id, s.made_at, s.ended_at, s.idle_until, s.absolute_until, s.authenticated_at,
        s.actor_id, s.actor_tenant, s.impersonation_id, s.parent_id, p.password_reset, u.row as "user"
      from session as s
      join person as p on p.tenant_id = s.tenant_id and p.id = s.user_id
      cross join lateral (select s.user_id::text as id offset 0) as x
      join ${sql.table(sqlName('user'))} as u on u.tenant_id = s.tenant_id and u.id = x.id
      where s.tenant_id = ${tx.tenant}::uuid and p.tenant_id = ${tx.tenant}::uuid and u.tenant_id = ${tx.tenant}::uuid
        and s.id = any(${`{${ids.join(',')}}`}::uuid[]) and s.ended_at is null`.execute(tx.sql),
    readDeletedCompanies(tx),
  ]);
  return rows.flatMap(({ user, password_reset, ...row }) => {
    const holder = isOver(row, now) ? null : toHolder(user, password_reset, deleted);
    return holder === null ? [] : [{ row, session: toPrincipal(row, holder) }];
  });
}

/** Returns what the sessions may do, by their IDs, without those whose actor may no longer impersonate. */
export async function withActiveActors(
  context: AppContext,
  tenant: TenantId,
  found: readonly FoundSession[],
): Promise<ReadonlyMap<string, Principal>> {
  const active = await Promise.all(
    found.map(({ row, session }) => isActorActive(context, tenant, row, session)),
  );
  return new Map(
    found.flatMap(({ row, session }, n) =>
      active[n] === true ? [[row.id, session] as const] : [],
    ),
  );
}

/** Returns what the session may do now; null if it has ended or expired, or its user is gone. */
export async function aliveSession(
  context: AppContext,
  tenant: TenantId,
  sessionId: string,
): Promise<Principal | null> {
  const found = await context.store.tenant(tenant, (tx) => readSession(tx, sessionId), {
    readOnly: true,
  });
  if (!found?.session || found.row.ended_at !== null || isOver(found.row, context.clock.now()))
    return null;
  return (await isActorActive(context, tenant, found.row, found.session)) ? found.session : null;
}

export const isOver = (
  row: Pick<Selectable<SessionTable>, 'idle_until' | 'absolute_until'>,
  now: Ms,
): boolean =>
  !isAhead(row.idle_until, now, LIMITS.idleMs) ||
  !isAhead(row.absolute_until, now, LIMITS.absoluteMs);
