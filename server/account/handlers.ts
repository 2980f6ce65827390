import type { accountCalls } from '#contract/account/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, ok } from '#contract/result.ts';
import type { Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';
import { EXPIRED } from './authenticate.ts';
import { COOKIE, cookieOf, deviceCookie, noCookie } from './cookie.ts';
import { DEVICE_MS } from './devices.ts';
import { handOver, refused } from './hand-over.ts';
import { knownSessions } from './known-sessions.ts';
import { signIn } from './sign-in.ts';
import { endSession, refreshSession } from './sessions.ts';
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

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };

const none = () => Promise.resolve(failed({ kind: 'expired', message: MESSAGES.attemptOver }));
const begun = {
  loginAd: none, loginDbSms: none, loginAdSms: none, loginDbPhone: none, loginAdPhone: none, loginDbResend: none, loginAdResend: none,
  loginFactor: none, loginPasskeyOptions: none, loginPasskey: none, loginEnrol: none,
};
