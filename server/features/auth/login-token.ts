import { storedIdSchema } from '#contract/id-schema.ts';
import type { ImpersonationId, TenantId, UserId } from '#contract/ids.ts';
import * as v from 'valibot';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import { forgetSessions } from '../../platform/auth/revoke-sessions.ts';
import type { Handlers } from '../../platform/http/handler.ts';
import { readOneTime, useOneTime } from '../../platform/crypto/one-time-secrets.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { isOff, openImpersonation, loadUserRights, TOKEN_KIND } from './impersonation.ts';
import { isActorActive } from '../../platform/auth/impersonation-rights.ts';
import { issueSession } from './issue-session.ts';
import { endFormer } from './open-session.ts';
import type { IssuedSession } from '../../platform/auth/sessions.ts';
import { askingBuckets } from './recovery-limits.ts';
import { countTry, tooMany } from './rate-limit.ts';

const OVER: Failure = { kind: 'wrong-credentials', message: MESSAGES.attemptOver };
const TokenSchema = v.object({
  actor: storedIdSchema<UserId>(),
  actorName: v.string(),
  actorTenant: storedIdSchema<TenantId>(),
  parent: v.string(),
  impersonation: storedIdSchema<ImpersonationId>(),
  reason: v.string(),
  authenticatedAt: v.number(),
  parentUntil: v.number(),
});

/**
 * ACT-7: a token is valid once, for one minute, at the portal it was issued for, and while its
 * issuer still has the permission.
 */
export const loginTokenHandlers = (context: AppContext): Pick<Handlers, 'loginToken'> => ({
  async loginToken({ token }, ctx) {
    const { tenant, now } = ctx;
    const key = await context.sessionKey();
    const found = await context.store.tenant(tenant, async (tx) => {
      const outcome = await countTry(tx, askingBuckets(ctx.ip), now);
      if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
      const row = await readOneTime(tx, TOKEN_KIND, token, now);
      const data = v.safeParse(TokenSchema, row?.data);
      const user = row?.user_id ? await loadUserRights(tx, row.user_id) : null;
      return data.success && user ? ok({ data: data.output, user }) : failed(OVER);
    });
    if (!found.ok) return found;
    const { data } = found.value;
    // The other provider's data is read outside of this provider's transaction.
    const isValid = await isActorActive(
      context,
      tenant,
      { actor_id: data.actor, actor_tenant: data.actorTenant, parent_id: data.parent },
      found.value.user,
    );
    const opened = await context.store.tenant(
      tenant,
      async (tx): Promise<Result<IssuedSession>> => {
        const row = await useOneTime(tx, TOKEN_KIND, token, now);
        const user = row?.user_id ? await loadUserRights(tx, row.user_id) : null;
        if (!isValid || !row?.user_id || !user || (await isOff(tx))) return failed(OVER);
        await endFormer(tx, ctx);
        const made = await openImpersonation(tx, context, key, ctx, row.user_id, data);
        await audit(tx, context, ctx, {
          what: 'login-as.began',
          user: row.user_id,
          detail: {
            impersonation: data.impersonation,
            reason: data.reason,
            actor: data.actor,
            actorProvider: data.actorTenant,
            until: now + LIMITS.impersonationMs,
          },
        });
        return ok(made);
      },
    );
    forgetSessions(context, tenant);
    return opened.ok ? issueSession(context, opened.value, ctx) : opened;
  },
});
