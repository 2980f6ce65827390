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
import { knownSessions } from './known-sessions.ts';
import { readSession } from './sessions.ts';
import { hashOf, readToken } from './tokens.ts';

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };
export const EXPIRED: Failure = { kind: 'expired', message: MESSAGES.sessionExpired };

/**
 * Who holds the request's access token, with the roles and companies of this moment. A session of
 * another provider does not exist here. `expired`: the session is or was there and this token ran
 * out (a refresh may help); `signed-out`: anything else.
 */
export async function authenticate(
  world: AppContext,
  tenant: TenantId,
  request: Request,
): Promise<Result<Principal>> {
  const token = readToken(
    /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '',
  );
  if (!token) return failed(SIGNED_OUT);
  const now = world.clock.now();
  const memory = knownSessions(world.store);
  const known = memory.get(tenant, token.session);
  // Another secret of a living session is an access token from before its last refresh. No access
  // token outlives its session's end.
  if (known)
    return known.accessHash === hashOf(token) && isAhead(known.accessUntil, now, LIMITS.accessMs)
      ? ok(known.session)
      : failed(EXPIRED);
  const { round } = memory;
  const found = await world.store.tenant(tenant, (tx) => readSession(tx, token.session), {
    readOnly: true,
  });
  if (
    !found?.session ||
    found.row.ended_at !== null ||
    !(await isActorActive(world, tenant, found.row, found.session))
  )
    return failed(SIGNED_OUT);
  const {
    session,
    row: { access_hash: accessHash, access_until: accessUntil },
  } = found;
  // What becomes of an actor of another provider is not told to this one's memory.
  if (found.row.actor_tenant === null)
    memory.put(round, tenant, token.session, { accessHash, accessUntil, session });
  return accessHash === hashOf(token) && isAhead(accessUntil, now, LIMITS.accessMs)
    ? ok(session)
    : failed(EXPIRED);
}
