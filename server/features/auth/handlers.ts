import type { accountCalls } from '#contract/auth/calls.ts';
import type { SignInAnswer, SignInStep } from '#contract/auth/sign-in-step.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { getDirectory } from './directory/get-directory.ts';
import type { RequestContext, Handlers } from '../../platform/http/handler.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { endActor } from './impersonation.ts';
import { EXPIRED } from '../../platform/auth/authenticate.ts';
import {
  ATTEMPT_COOKIE,
  attemptCookie,
  COOKIE,
  getCookie,
  deviceCookie,
  noAttempt,
  noCookie,
} from '../../platform/auth/cookie.ts';
import { DEVICE_MS } from './devices.ts';
import { issueSession, refused } from './issue-session.ts';
import { aliveSession, endSession, refreshSession } from '../../platform/auth/sessions.ts';
import type { SignedIn } from './open-session.ts';
import { beginPasskey, showPasskey } from './sign-in-passkey.ts';
import { givePhone, presentStep, resendCode, showSecond } from './sign-in-second.ts';
import type { VerifiedFactor } from './sign-in-second.ts';
import type { Further } from './sign-in-step.ts';
import { signIn } from './sign-in.ts';
import type { FindDirectory } from './sign-in.ts';
import { readToken } from '../../platform/auth/tokens.ts';

/** `find` returns the provider's directory, for users whose passwords are stored there. */
export function accountHandlers(
  context: AppContext,
  find: FindDirectory = getDirectory,
): Pick<Handlers, keyof typeof accountCalls> {
  const first = (by: 'db' | 'ad') => async (input: ParsedInputOf<'loginDb'>, ctx: RequestContext) =>
    answered(context, await signIn(context, await context.sessionKey(), by, find, input, ctx), ctx);
  const second = async (shown: VerifiedFactor, ctx: RequestContext) =>
    answered(context, await showSecond(context, await context.sessionKey(), shown, ctx), ctx);
  const sms = (
    { smsCode, rememberComputer, userUpdatedPhoneOnce }: ParsedInputOf<'loginDbSms'>,
    ctx: RequestContext,
  ) =>
    second(
      { how: 'sms', code: smsCode, remember: rememberComputer, updatedPhone: userUpdatedPhoneOnce },
      ctx,
    );
  const phone = async (input: ParsedInputOf<'loginDbPhone'>, ctx: RequestContext) =>
    further(await givePhone(context, await context.sessionKey(), input, ctx), ctx);
  const resend = async (input: ParsedInputOf<'loginDbResend'>, ctx: RequestContext) =>
    further(await resendCode(context, await context.sessionKey(), input, ctx), ctx);

  return {
    loginDb: first('db'),
    loginAd: first('ad'),
    loginDbSms: sms,
    loginAdSms: sms,
    loginDbPhone: phone,
    loginAdPhone: phone,
    loginDbResend: resend,
    loginAdResend: resend,
    loginFactor: ({ method, code, rememberComputer }, ctx) =>
      second({ how: method, code, remember: rememberComputer }, ctx),
    loginEnrol: ({ code, rememberComputer }, ctx) =>
      second({ how: 'enrol', code, remember: rememberComputer }, ctx),
    loginStep: async (_, ctx) => further(await presentStep(context, ctx), ctx),
    loginPasskeyOptions: async (_, ctx) => further(await beginPasskey(context, ctx), ctx),
    async loginPasskey({ response, rememberComputer: remember }, ctx) {
      const alone = await showPasskey(context, await context.sessionKey(), response, remember, ctx);
      return alone === null
        ? second({ how: 'passkey', response, remember }, ctx)
        : answered(context, alone, ctx);
    },

    async refresh(_, ctx) {
      const key = await context.sessionKey();
      const token = readToken(getCookie(ctx.request.headers, COOKIE) ?? '');
      if (!token) return failed(SIGNED_OUT);
      const outcome = await context.store.tenant(ctx.tenant, (tx) =>
        refreshSession(tx, key, token, { now: ctx.now, clock: context.clock }),
      );
      context.knownSessions.forget(ctx.tenant);
      if (outcome.kind === 'fresh')
        return (await aliveSession(context, ctx.tenant, outcome.opened.session))
          ? issueSession(context, outcome.opened, ctx)
          : refused(SIGNED_OUT, ctx);
      if (outcome.kind === 'reused')
        context.log.warn('a refresh token was used twice: its session is ended', {
          tenant: ctx.tenant,
          session: token.session,
          ip: ctx.ip,
        });
      // The session may have ended by a sign-in whose cookie the browser has by now.
      return outcome.kind === 'expired' ? refused(EXPIRED, ctx) : failed(SIGNED_OUT);
    },

    async logout(_, ctx) {
      const { tenant, session, now, answer } = ctx;
      await context.store.tenant(tenant, async (tx) => {
        if (session.impersonation !== null) await endActor(tx, context, ctx);
        await endSession(tx, session.sessionId, now);
      });
      context.knownSessions.forget(tenant);
      answer.append('set-cookie', noCookie);
      return ok({});
    },
  };
}

const SIGNED_OUT: Failure = { kind: 'signed-out', message: MESSAGES.signedOut };

/** Returns the new session with its device cookie, or the next step. */
async function answered(
  context: AppContext,
  outcome: Result<SignedIn | Further>,
  ctx: RequestContext,
): Promise<Result<SignInAnswer>> {
  context.knownSessions.forget(ctx.tenant);
  if (!outcome.ok) return further(outcome, ctx);
  if (outcome.value.kind === 'step') return further(ok(outcome.value), ctx);
  const { opened, device, recoveryCodes } = outcome.value;
  context.log.info('signed in', { tenant: ctx.tenant, user: opened.userId, ip: ctx.ip });
  if (getCookie(ctx.request.headers, ATTEMPT_COOKIE) !== null)
    ctx.answer.append('set-cookie', noAttempt);
  if (device !== null) ctx.answer.append('set-cookie', deviceCookie(device, DEVICE_MS));
  const session = await issueSession(context, opened, ctx);
  return session.ok && recoveryCodes !== undefined
    ? ok({ ...session.value, recoveryCodes: [...recoveryCodes] })
    : session;
}

/** The first step sets the attempt cookie, and the end of the attempt removes it. */
function further(outcome: Result<Further>, { answer }: RequestContext): Result<SignInStep> {
  if (!outcome.ok) {
    if (outcome.failure.kind === 'expired') answer.append('set-cookie', noAttempt);
    return outcome;
  }
  const { step, token } = outcome.value;
  if (token !== null) answer.append('set-cookie', attemptCookie(token, LIMITS.attemptMs));
  return ok(step);
}
