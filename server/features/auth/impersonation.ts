import { toLowerCaseId } from '#contract/id-schema.ts';
import type { impersonationCalls } from '#contract/auth/impersonation-calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { ImpersonationId, TenantId, UserId } from '#contract/ids.ts';
import { mayImpersonate, seesUser } from '#contract/users/authority.ts';
import type { UserRights } from '#contract/users/authority.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { forgetSessions } from '../../platform/auth/revoke-sessions.ts';
import { NOT_FOUND } from '../../platform/http/envelope.ts';
import type {
  Handlers,
  Principal,
  RequestContext,
  SessionContext,
} from '../../platform/http/handler.ts';
import { makeOneTime } from '../../platform/crypto/one-time-secrets.ts';
import { loadPortalAddress } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { issueSession, refused } from './issue-session.ts';
import { openSession } from '../../platform/auth/sessions.ts';
import type { NewSession, IssuedSession } from '../../platform/auth/sessions.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

const NOT_ALLOWED: Failure = { kind: 'forbidden', message: MESSAGES.loginAsRefused };
const OFF: Failure = { kind: 'forbidden', message: MESSAGES.loginAsOff };
const GONE: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
/** The maximum depth of the provider tree. */
const LEVELS = 8;
export const TOKEN_KIND = 'login-as';

/** The content of a sign-in token for another provider's portal. */
export type ImpersonationToken = {
  readonly actor: UserId;
  readonly actorName: string;
  readonly actorTenant: TenantId;
  readonly parent: string;
  readonly impersonation: ImpersonationId;
  readonly reason: string;
  readonly authenticatedAt: number;
  /** The latest time at which the impersonator's own session ends. */
  readonly parentUntil: number;
};

/** ACT-1 to ACT-6: an administrator signs in as a user below them, and returns. */
export function impersonationHandlers(
  context: AppContext,
): Pick<Handlers, Exclude<keyof typeof impersonationCalls, 'loginToken'>> {
  return {
    async loginAs({ userId, reason, serviceProviderId }, ctx) {
      const { tenant } = ctx;
      const { session } = ctx;
      const target = toLowerCaseId(userId);
      const provider = serviceProviderId && toLowerCaseId(serviceProviderId);
      if (!session.roles.includes('admin') && !session.roles.includes('super-admin'))
        return failed(NOT_ALLOWED);
      const impersonation = context.chance.uuid() as ImpersonationId;
      if (provider === undefined || provider === tenant) {
        const here = await context.store.tenant(
          tenant,
          async (tx) => {
            const rights = await loadUserRights(tx, target);
            // One that the user doesn't see is looked for below, as one that doesn't exist (G29).
            return rights !== null && seesUser(session, rights);
          },
          { readOnly: true },
        );
        if (here) return actHere(session, target, { impersonation, reason }, ctx);
      }
      for (const below of await context.store.tenant(tenant, (tx) => providersBelow(tx), {
        readOnly: true,
      })) {
        if (provider !== undefined && provider !== below) continue;
        const found = await actBelow(session, below, target, { impersonation, reason }, ctx);
        if (found) return found;
      }
      return failed(NOT_FOUND);
    },

    async exitLoginAs(_, ctx) {
      const { tenant, now } = ctx;
      const { session } = ctx;
      if (session.impersonation === null)
        return failed({ kind: 'conflict', message: MESSAGES.notImpersonating });
      const key = await context.sessionKey();
      const outcome = await context.store.tenant(tenant, async (tx) => {
        const { sql } = tx;
        const row = await sql
          .updateTable('session')
          .set({ ended_at: now })
          .where('tenant_id', '=', tenant)
          .where('id', '=', session.sessionId)
          .where('ended_at', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (!row) return { kind: 'gone' as const };
        await audit(tx, context, ctx, { what: 'login-as.ended', user: session.userId });
        if (row.actor_tenant !== null)
          return { kind: 'elsewhere' as const, actorTenant: row.actor_tenant };
        const parent = await sql
          .updateTable('session')
          .set({ ended_at: now })
          .where('tenant_id', '=', tenant)
          .where('id', '=', row.parent_id)
          .where('user_id', '=', session.actor)
          .where('ended_at', 'is', null)
          .where('absolute_until', '>', now)
          .returningAll()
          .executeTakeFirst();
        const actor = parent && (await loadUserRights(tx, session.actor));
        if (!parent || !actor) return { kind: 'gone' as const };
        const opened = await openSession(tx, context, key, {
          ...here(ctx),
          userId: session.actor,
          how: parent.how,
        });
        // The new session keeps the end and the sign-in time of the original one (G40, G44).
        await sql
          .updateTable('session')
          .set({
            absolute_until: parent.absolute_until,
            made_at: parent.made_at,
            authenticated_at: parent.authenticated_at,
          })
          .where('tenant_id', '=', tenant)
          .where('id', '=', opened.session)
          .execute();
        return { kind: 'back' as const, opened: within(opened, parent.absolute_until) };
      });
      forgetSessions(context, tenant);
      if (outcome.kind === 'back') return issueSession(context, outcome.opened, ctx);
      if (outcome.kind === 'gone') return refused(GONE, ctx);
      const url = await context.store.tenant(outcome.actorTenant, async (tx) => {
        await audit(tx, context, ctx, {
          what: 'login-as.ended',
          user: session.userId,
          detail: { provider: tenant },
        });
        return loadPortalAddress(tx, context);
      });
      refused(GONE, ctx); // removes the cookie of this portal
      return url === null ? failed(GONE) : ok({ url: `${url}/` });
    },
  };

  /** Impersonates a user of the same provider on this device. */
  async function actHere(
    session: Principal,
    target: UserId,
    of: ImpersonationAction,
    ctx: SessionContext,
  ): ReturnType<Handlers['loginAs']> {
    const key = await context.sessionKey();
    const { tenant } = ctx;
    const opened = await context.store.tenant(
      tenant,
      async (tx): Promise<Result<IssuedSession>> => {
        const reach = await loadUserRights(tx, target);
        if (!reach || !seesUser(session, reach)) return failed(NOT_FOUND);
        if (target === session.userId) return failed(NOT_ALLOWED);
        if (await isOff(tx)) return failed(OFF);
        if (!mayImpersonate(session, reach, false)) return failed(NOT_ALLOWED);
        const made = await openImpersonation(tx, context, key, ctx, target, {
          ...(await loadParent(tx, session)),
          ...of,
        });
        await audit(tx, context, ctx, {
          what: 'login-as.began',
          user: target,
          detail: {
            impersonation: of.impersonation,
            reason: of.reason,
            until: ctx.now + LIMITS.impersonationMs,
          },
        });
        return ok(made);
      },
    );
    forgetSessions(context, tenant);
    return opened.ok ? issueSession(context, opened.value, ctx) : opened;
  }

  /** Returns a token for the portal of a provider below; null if that provider has no such user. */
  async function actBelow(
    session: Principal,
    below: TenantId,
    target: UserId,
    of: ImpersonationAction,
    ctx: SessionContext,
  ): Promise<Result<{ url: string }> | null> {
    const { tenant, now } = ctx;
    const { off, ...token } = await context.store.tenant(
      tenant,
      async (tx): Promise<ImpersonationToken & { readonly off: boolean }> => {
        const { name: actorName } = await tx.sql
          .selectFrom('person')
          .select('name')
          .where('tenant_id', '=', tenant)
          .where('id', '=', session.userId)
          .executeTakeFirstOrThrow();
        return {
          off: await isOff(tx),
          actorName,
          actorTenant: tenant,
          ...(await loadParent(tx, session)),
          ...of,
        };
      },
      { readOnly: true },
    );
    const made = await context.store.tenant(below, async (tx) => {
      const reach = await loadUserRights(tx, target);
      if (!reach) return null;
      if (off || (await isOff(tx))) return failed(OFF);
      const address = await loadPortalAddress(tx, context);
      if (!mayImpersonate(session, reach, true) || address === null) return failed(NOT_ALLOWED);
      return ok({
        url: `${address}/login#token=${await makeOneTime(tx, context, TOKEN_KIND, target, token, now, LIMITS.loginTokenMs)}`,
      });
    });
    if (made?.ok) {
      await context.store.tenant(tenant, (tx) =>
        audit(tx, context, ctx, {
          what: 'login-as.began',
          user: target,
          detail: {
            impersonation: of.impersonation,
            reason: of.reason,
            provider: below,
            until: now + LIMITS.impersonationMs,
          },
        }),
      );
    }
    return made;
  }
}

/**
 * Ends the impersonator's own session on sign-out, because this device has no way back to it. Call
 * it before the impersonated session ends.
 */
export async function endActor(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
): Promise<void> {
  const { tenant, sql } = tx;
  const { sessionId, actor, userId } = ctx.session;
  await sql
    .updateTable('session')
    .set({ ended_at: ctx.now })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', actor)
    .where('ended_at', 'is', null)
    .where('id', '=', (of) =>
      of
        .selectFrom('session as impersonated')
        .select('impersonated.parent_id')
        .where('impersonated.tenant_id', '=', tenant)
        .where('impersonated.id', '=', sessionId),
    )
    .execute();
  await audit(tx, context, ctx, { what: 'login-as.ended', user: userId });
}

interface ImpersonationAction {
  readonly impersonation: ImpersonationId;
  readonly reason: string;
}

/** Returns the data of the impersonator's own session that the impersonated session depends on. */
async function loadParent(
  { tenant, sql }: TenantTx,
  { userId, sessionId, authenticatedAt }: Principal,
) {
  const { absolute_until: parentUntil } = await sql
    .selectFrom('session')
    .select('absolute_until')
    .where('tenant_id', '=', tenant)
    .where('id', '=', sessionId)
    .executeTakeFirstOrThrow();
  return { actor: userId, parent: sessionId, authenticatedAt, parentUntil };
}

/**
 * Opens an impersonated session. Its sign-in time is not later than that of the impersonator's
 * session, and it does not outlast it (G40, G44).
 */
export async function openImpersonation(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  userId: UserId,
  of: Omit<ImpersonationToken, 'actorName' | 'actorTenant'> &
    Partial<Pick<ImpersonationToken, 'actorName' | 'actorTenant'>>,
): Promise<IssuedSession> {
  const { actor, parent, impersonation, reason } = of;
  const opened = await openSession(tx, context, key, {
    ...here(ctx),
    userId,
    how: 'login-as',
    impersonation: { actor, id: impersonation, parent, reason },
  });
  await tx.sql
    .updateTable('session')
    .set({
      authenticated_at: of.authenticatedAt,
      absolute_until: Math.min(ctx.now + LIMITS.impersonationMs, of.parentUntil),
      actor_tenant: of.actorTenant ?? null,
      actor_name: of.actorName ?? null,
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', opened.session)
    .execute();
  return within(opened, of.parentUntil);
}

const here = ({ now, ip, request }: RequestContext): Pick<NewSession, 'now' | 'ip' | 'agent'> => ({
  now,
  ip,
  agent: (request.headers.get('user-agent') ?? '').slice(0, 200),
});
const within = (opened: IssuedSession, end: number): IssuedSession => ({
  ...opened,
  accessUntil: Math.min(opened.accessUntil, end),
  cookieUntil: Math.min(opened.cookieUntil, end),
});

/**
 * Returns the rights of a user of this provider; null if the user does not exist or was deleted.
 */
export async function loadUserRights(tx: TenantTx, id: UserId): Promise<UserRights | null> {
  const user = (await tx.rows('user', [id])).get(id);
  return user && user.deletedAt === null ? user : null;
}

/** Returns whether this provider has turned impersonation off. */
export async function isOff(tx: TenantTx): Promise<boolean> {
  const settings = await loadProviderSettings(tx);
  return settings.loginAs === false;
}

/** Returns all providers below this one, nearest first. */
async function providersBelow({ tenant, sql }: TenantTx): Promise<readonly TenantId[]> {
  const found: TenantId[] = [];
  let level: readonly TenantId[] = [tenant];
  for (let depth = 0; depth < LEVELS && level.length > 0; depth += 1) {
    const rows = await sql
      .selectFrom('tenant_list')
      .select('tenant_id')
      .where('master_id', 'in', [...level])
      .orderBy('tenant_id')
      .execute();
    level = rows.map((row) => row.tenant_id).filter((id) => id !== tenant && !found.includes(id));
    found.push(...level);
  }
  return found;
}
