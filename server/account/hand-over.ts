import type { Session } from '#contract/account/me.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Ask } from '../http/handler.ts';
import { meOf } from '../me.ts';
import type { TenantTx } from '../store/store.ts';
import type { World } from '../world.ts';
import { noCookie, refreshCookie } from './cookie.ts';
import { readSession } from './sessions.ts';
import type { Opened } from './sessions.ts';

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };

/** The session as its device gets it: access token in the answer, refresh token in the cookie. */
export async function handOver(world: World, opened: Opened, ask: Ask): Promise<Result<Session>> {
  const made = await world.store.tenant(ask.tenant, (tx) => sessionOf(tx, opened, ask.now), {
    readOnly: true,
  });
  if (!made) return refused(SIGNED_OUT, ask);
  ask.answer.append('set-cookie', refreshCookie(opened.pair.refresh, opened.cookieUntil, ask.now));
  return ok(made);
}

/** A cookie that does not open anything any more is taken back. */
export function refused(failure: Failure, { answer }: Ask): Result<never> {
  answer.append('set-cookie', noCookie);
  return failed(failure);
}

/** Null where the user is gone. */
async function sessionOf(
  tx: TenantTx,
  { session, pair, userId, accessUntil }: Opened,
  now: Ms,
): Promise<Session | null> {
  const found = await readSession(tx, session);
  if (!found?.signed) return null;
  const { branding } = await tx.sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  // Who acts as another takes nothing along that outlasts it.
  const offlineUntil =
    found.signed.impersonation === null
      ? now + branding.offlineDays * 86_400_000
      : found.row.absolute_until;
  return {
    token: pair.access,
    tokenExpiresAt: accessUntil,
    userId,
    user: await meOf(tx, found.signed),
    offlineUntil,
  };
}
