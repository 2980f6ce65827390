import type { Failure } from '#contract/errors.ts';
import type { TenantId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { LIMITS } from '#contract/limits.ts';
import { isAhead } from '../clock-bounds.ts';
import type { Signed } from '../http/handler.ts';
import type { World } from '../world.ts';
import { actorStands } from './acting-rights.ts';
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
  world: World,
  tenant: TenantId,
  request: Request,
): Promise<Result<Signed>> {
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
      ? ok(known.signed)
      : failed(EXPIRED);
  const { round } = memory;
  const found = await world.store.tenant(tenant, (tx) => readSession(tx, token.session), {
    readOnly: true,
  });
  if (
    !found?.signed ||
    found.row.ended_at !== null ||
    !(await actorStands(world, tenant, found.row, found.signed))
  )
    return failed(SIGNED_OUT);
  const {
    signed,
    row: { access_hash: accessHash, access_until: accessUntil },
  } = found;
  // What becomes of an actor of another provider is not told to this one's memory.
  if (found.row.actor_tenant === null)
    memory.put(round, tenant, token.session, { accessHash, accessUntil, signed });
  return accessHash === hashOf(token) && isAhead(accessUntil, now, LIMITS.accessMs)
    ? ok(signed)
    : failed(EXPIRED);
}
