import type { accountCalls } from '#contract/account/calls.ts';
import type { Session } from '#contract/account/me.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Ask, Handlers } from '../http/handler.ts';
import type { TenantTx } from '../store/store.ts';
import { meOf } from '../me.ts';
import type { World } from '../world.ts';
import { EXPIRED } from './authenticate.ts';
import { COOKIE, cookieOf, deviceCookie, noCookie, refreshCookie } from './cookie.ts';
import { DEVICE_MS } from './devices.ts';
import { knownSessions } from './known-sessions.ts';
import { signIn } from './sign-in.ts';
import { endSession, readSession, refreshSession } from './sessions.ts';
import type { Opened } from './sessions.ts';
import { sessionKey } from './session-key.ts';
import { readToken } from './tokens.ts';

export function accountHandlers(world: World): Pick<Handlers, keyof typeof accountCalls> {
  return {
    ...begun,
    async loginDb(input, ask) {
      const key = await sessionKey(world);
      const signed = await signIn(world, key, input, ask);
      knownSessions(world.store).forget(ask.tenant);
      if (!signed.ok) return signed;
      const { opened, device } = signed.value;
      world.log.info('signed in', { tenant: ask.tenant, user: opened.userId, ip: ask.ip });
      if (device !== null) ask.answer.append('set-cookie', deviceCookie(device, DEVICE_MS));
      return handOver(world, opened, ask);
    },

    async refresh(_, ask) {
      const key = await sessionKey(world);
      const token = readToken(cookieOf(ask.request.headers, COOKIE) ?? '');
      if (!token) return refused(SIGNED_OUT, ask);
      const outcome = await world.store.tenant(ask.tenant, (tx) => refreshSession(tx, key, token, ask.now));
      knownSessions(world.store).forget(ask.tenant);
      if (outcome.is === 'fresh') return handOver(world, outcome.opened, ask);
      if (outcome.is === 'reused') world.log.warn('a refresh token was used twice: its session is ended', { tenant: ask.tenant, session: token.session, ip: ask.ip });
      return refused(outcome.is === 'expired' ? EXPIRED : SIGNED_OUT, ask);
    },

    async logout(_, ask) {
      const { tenant, signed, now, answer } = ask;
      if (signed) await world.store.tenant(tenant, (tx) => endSession(tx, signed.sessionId, now));
      knownSessions(world.store).forget(tenant);
      answer.append('set-cookie', noCookie);
      return ok({});
    },
  };
}

const none = () => Promise.resolve(failed({ kind: 'expired', message: MESSAGES.attemptOver }));
const begun = {
  loginAd: none, loginDbSms: none, loginAdSms: none, loginDbPhone: none, loginAdPhone: none, loginDbResend: none, loginAdResend: none,
  loginFactor: none, loginPasskeyOptions: none, loginPasskey: none, loginEnrol: none,
};

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };

/** A cookie that does not open anything any more is taken back. */
function refused(failure: Failure, { answer }: Ask): Result<never> {
  answer.append('set-cookie', noCookie);
  return failed(failure);
}

/** The session as its device gets it: access token in the answer, refresh token in the cookie. */
async function handOver(world: World, opened: Opened, ask: Ask): Promise<Result<Session>> {
  const made = await world.store.tenant(ask.tenant, (tx) => sessionOf(tx, opened, ask.now), { readOnly: true });
  if (!made) return refused(SIGNED_OUT, ask);
  ask.answer.append('set-cookie', refreshCookie(opened.pair.refresh, opened.cookieUntil, ask.now));
  return ok(made);
}

/** Null where the user is gone. */
async function sessionOf(tx: TenantTx, { session, pair, userId, accessUntil }: Opened, now: Ms): Promise<Session | null> {
  const found = await readSession(tx, session);
  if (!found?.signed) return null;
  const { branding } = await tx.sql.selectFrom('provider').select('branding').where('tenant_id', '=', tx.tenant).executeTakeFirstOrThrow();
  return { token: pair.access, tokenExpiresAt: accessUntil, userId, user: await meOf(tx, found.signed), offlineUntil: now + branding.offlineDays * 86_400_000 };
}
