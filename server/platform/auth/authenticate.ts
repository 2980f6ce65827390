import type { Failure } from '#contract/errors.ts';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { LIMITS } from '#contract/limits.ts';
import { isAhead } from '../clock-bounds.ts';
import type { Principal } from '../http/handler.ts';
import type { AppContext } from '../app-context.ts';
import { isActorActive } from './impersonation-rights.ts';
import { StoreError } from '../db/retry.ts';
import { confirmPair, readSession } from './sessions.ts';
import { hashToken, readToken } from './tokens.ts';
import type { AuthToken } from './tokens.ts';

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
export const EXPIRED: Failure = { kind: 'expired', message: MESSAGES.sessionExpired };

/**
 * Returns the principal of the request's access token, with its current roles and companies. A
 * session of another provider is unknown here. Fails with `expired` if the session exists or
 * existed and this token has run out (a refresh may help), else with `signed-out`.
 */
export async function authenticate(
  context: AppContext,
  tenant: TenantId,
  request: Request,
): Promise<Result<Principal>> {
  const token = readToken(
    /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '',
  );
  if (!token) return failed(SIGNED_OUT);
  const now = context.clock.now();
  const { knownSessions } = context;
  const known = knownSessions.get(tenant, token.session);
  // A different secret of a live session is an access token from before its last refresh. No access
  // token outlives its session.
  if (known)
    return known.accessHash === hashToken(token) && isAhead(known.accessUntil, now, LIMITS.accessMs)
      ? ok(known.session)
      : failed(EXPIRED);
  const { round } = knownSessions;
  const found = await context.store.tenant(tenant, (tx) => readSession(tx, token.session), {
    readOnly: true,
  });
  if (
    !found?.session ||
    found.row.ended_at !== null ||
    !(await isActorActive(context, tenant, found.row, found.session))
  )
    return failed(SIGNED_OUT);
  const {
    session,
    row: { access_hash: accessHash, access_until: accessUntil, pair_used: isUsed },
  } = found;
  const isCurrent = accessHash === hashToken(token);
  const isConfirmed = isUsed || (isCurrent && (await confirm(context, tenant, token, accessHash)));
  // This provider's cache can't notice a change to an actor of another provider.
  if (found.row.actor_tenant === null && isConfirmed)
    knownSessions.put(round, tenant, token.session, { accessHash, accessUntil, session });
  return isCurrent && isAhead(accessUntil, now, LIMITS.accessMs) ? ok(session) : failed(EXPIRED);
}

/**
 * From now on, the refresh token before this pair ends the session. Returns false if the disk is full:
 * the device can still read then.
 */
async function confirm(
  { store }: AppContext,
  tenant: TenantId,
  { session }: AuthToken,
  accessHash: string,
): Promise<boolean> {
  try {
    await store.tenant(tenant, (tx) => confirmPair(tx, session, accessHash));
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'disk-full') return false;
    throw error;
  }
}
