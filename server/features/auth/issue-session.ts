import type { UserSession } from '#contract/auth/current-user.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { noCookie, refreshCookie } from '../../platform/auth/cookie.ts';
import { readSession } from '../../platform/auth/sessions.ts';
import type { IssuedSession } from '../../platform/auth/sessions.ts';
import { signedInUser } from './profile-read.ts';

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };

/**
 * Returns the session to its device: the access token in the response, the refresh token in a
 * cookie.
 */
export async function issueSession(
  context: AppContext,
  opened: IssuedSession,
  ctx: RequestContext,
): Promise<Result<UserSession>> {
  const made = await context.store.tenant(ctx.tenant, (tx) => loadSession(tx, opened, ctx.now), {
    readOnly: true,
  });
  if (!made) return refused(SIGNED_OUT, ctx);
  ctx.answer.append('set-cookie', refreshCookie(opened.pair.refresh, opened.cookieUntil, ctx.now));
  return ok(made);
}

/** Removes a cookie that no longer opens a session. */
export function refused(failure: Failure, { answer }: RequestContext): Result<never> {
  answer.append('set-cookie', noCookie);
  return failed(failure);
}

/** Returns the session output; null if the user no longer exists. */
async function loadSession(
  tx: TenantTx,
  { session, pair, userId, accessUntil }: IssuedSession,
  now: Ms,
): Promise<UserSession | null> {
  const found = await readSession(tx, session);
  if (!found?.session) return null;
  const { branding } = await tx.sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  // An impersonated session stores nothing on the device that outlasts it.
  const offlineUntil =
    found.session.impersonation === null
      ? now + branding.offlineDays * 86_400_000
      : found.row.absolute_until;
  return {
    token: pair.access,
    tokenExpiresAt: accessUntil,
    userId,
    user: await signedInUser(tx, found.session, now),
    offlineUntil,
  };
}
