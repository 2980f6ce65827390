import type { accountCalls } from '#contract/account/calls.ts';
import type { SignInAnswer, SignInStep } from '#contract/account/step.ts';
import type { TakenOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { ok } from '#contract/result.ts';
import { directoryOf } from '../directory/of.ts';
import type { Ask, Handlers } from '../http/handler.ts';
import type { World } from '../world.ts';
import { endActor } from './acting.ts';
import { EXPIRED } from './authenticate.ts';
import {
  ATTEMPT_COOKIE,
  attemptCookie,
  COOKIE,
  cookieOf,
  deviceCookie,
  noAttempt,
  noCookie,
} from './cookie.ts';
import { DEVICE_MS } from './devices.ts';
import { handOver, refused } from './hand-over.ts';
import { knownSessions } from './known-sessions.ts';
import { aliveSession, endSession, refreshSession } from './sessions.ts';
import { sessionKey } from './session-key.ts';
import type { SignedIn } from './sign-in-open.ts';
import { beginPasskey, showPasskey } from './sign-in-passkey.ts';
import { givePhone, presentStep, resendCode, showSecond } from './sign-in-second.ts';
import type { Shown } from './sign-in-second.ts';
import type { Further } from './sign-in-step.ts';
import { signIn } from './sign-in.ts';
import type { FindDirectory } from './sign-in.ts';
import { readToken } from './tokens.ts';

/** `find`: the provider's directory, for those who keep their passwords there. */
export function accountHandlers(
  world: World,
  find: FindDirectory = directoryOf,
): Pick<Handlers, keyof typeof accountCalls> {
  const first = (by: 'db' | 'ad') => async (input: TakenOf<'loginDb'>, ask: Ask) =>
    answered(world, await signIn(world, await sessionKey(world), by, find, input, ask), ask);
  const second = async (shown: Shown, ask: Ask) =>
    answered(world, await showSecond(world, await sessionKey(world), shown, ask), ask);
  const sms = (
    { smsCode, rememberComputer, userUpdatedPhoneOnce }: TakenOf<'loginDbSms'>,
    ask: Ask,
  ) =>
    second(
      { how: 'sms', code: smsCode, remember: rememberComputer, updatedPhone: userUpdatedPhoneOnce },
      ask,
    );
  const phone = async (input: TakenOf<'loginDbPhone'>, ask: Ask) =>
    further(await givePhone(world, await sessionKey(world), input, ask), ask);
  const resend = async (input: TakenOf<'loginDbResend'>, ask: Ask) =>
    further(await resendCode(world, await sessionKey(world), input, ask), ask);

  return {
    loginDb: first('db'),
    loginAd: first('ad'),
    loginDbSms: sms,
    loginAdSms: sms,
    loginDbPhone: phone,
    loginAdPhone: phone,
    loginDbResend: resend,
    loginAdResend: resend,
    loginFactor: ({ method, code, rememberComputer }, ask) =>
      second({ how: method, code, remember: rememberComputer }, ask),
    loginEnrol: ({ code, rememberComputer }, ask) =>
      second({ how: 'enrol', code, remember: rememberComputer }, ask),
    loginStep: async (_, ask) => further(await presentStep(world, ask), ask),
    loginPasskeyOptions: async (_, ask) => further(await beginPasskey(world, ask), ask),
    async loginPasskey({ response, rememberComputer: remember }, ask) {
      const alone = await showPasskey(world, await sessionKey(world), response, remember, ask);
      return alone === null
        ? second({ how: 'passkey', response, remember }, ask)
        : answered(world, alone, ask);
    },

    async refresh(_, ask) {
      const key = await sessionKey(world);
      const token = readToken(cookieOf(ask.request.headers, COOKIE) ?? '');
      if (!token) return refused(SIGNED_OUT, ask);
      const outcome = await world.store.tenant(ask.tenant, (tx) =>
        refreshSession(tx, key, token, ask.now),
      );
      knownSessions(world.store).forget(ask.tenant);
      if (outcome.is === 'fresh')
        return (await aliveSession(world, ask.tenant, outcome.opened.session))
          ? handOver(world, outcome.opened, ask)
          : refused(SIGNED_OUT, ask);
      if (outcome.is === 'reused')
        world.log.warn('a refresh token was used twice: its session is ended', {
          tenant: ask.tenant,
          session: token.session,
          ip: ask.ip,
        });
      return refused(outcome.is === 'expired' ? EXPIRED : SIGNED_OUT, ask);
    },

    async logout(_, ask) {
      const { tenant, signed, now, answer } = ask;
      if (signed) {
        await world.store.tenant(tenant, async (tx) => {
          if (signed.impersonation !== null) await endActor(tx, world, ask, signed);
          await endSession(tx, signed.sessionId, now);
        });
      }
      knownSessions(world.store).forget(tenant);
      answer.append('set-cookie', noCookie);
      return ok({});
    },
  };
}

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };

/** In, with what the device is given; or a step further. */
async function answered(
  world: World,
  outcome: Result<SignedIn | Further>,
  ask: Ask,
): Promise<Result<SignInAnswer>> {
  knownSessions(world.store).forget(ask.tenant);
  if (!outcome.ok) return further(outcome, ask);
  if (outcome.value.is === 'step') return further(ok(outcome.value), ask);
  const { opened, device, recoveryCodes } = outcome.value;
  world.log.info('signed in', { tenant: ask.tenant, user: opened.userId, ip: ask.ip });
  if (cookieOf(ask.request.headers, ATTEMPT_COOKIE) !== null)
    ask.answer.append('set-cookie', noAttempt);
  if (device !== null) ask.answer.append('set-cookie', deviceCookie(device, DEVICE_MS));
  const session = await handOver(world, opened, ask);
  return session.ok && recoveryCodes !== undefined
    ? ok({ ...session.value, recoveryCodes: [...recoveryCodes] })
    : session;
}

/** The cookie of an attempt comes with its first step, and goes with its end. */
function further(outcome: Result<Further>, { answer }: Ask): Result<SignInStep> {
  if (!outcome.ok) {
    if (outcome.failure.kind === 'expired') answer.append('set-cookie', noAttempt);
    return outcome;
  }
  const { step, token } = outcome.value;
  if (token !== null) answer.append('set-cookie', attemptCookie(token, LIMITS.attemptMs));
  return ok(step);
}
