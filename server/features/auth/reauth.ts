import type { UserId } from '#contract/ids.ts';
import type { factorCalls } from '#contract/auth/factor-calls.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { SessionContext, Handlers } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { countFactor, forgiveFactor } from './attempt-rate-limit.ts';
import { attemptOfSession, beginAttempt, endAttempt } from './attempts.ts';
import { knownDevice } from './devices.ts';
import { endForDirectory } from './directory/deprovision.ts';
import { tellFactor } from './factor-notice.ts';
import { challengeIn, requestOptions, usePasskey } from './passkeys.ts';
import { isBySms, ownedBy, loadPolicy } from './policy.ts';
import type { Owned } from './policy.ts';
import { sendReauthCode, useReauthCode } from './reauth-code.ts';
import { consumeRecoveryCode } from './recovery-codes.ts';
import { shownDevice } from './open-session.ts';
import { newChallenge } from './sign-in-step.ts';
import { provedByDirectory, provedByHash } from './sign-in.ts';
import type { FindDirectory, Proved } from './sign-in.ts';
import { giveBack, tooMany } from './rate-limit.ts';
import { useTotp } from './totp.ts';

type Reauth = Pick<Handlers, 'reauth' | 'reauthCode' | 'reauthOptions'> &
  Pick<Record<keyof typeof factorCalls, unknown>, 'reauth' | 'reauthCode' | 'reauthOptions'>;
type Way = 'passkey' | 'totp' | 'recovery' | 'password' | 'sms';

/**
 * G44: the signed-in user verifies one factor again, which allows sensitive changes for five
 * minutes.
 */
export function reauthHandlers(context: AppContext, find: FindDirectory): Reauth {
  return {
    reauthOptions: (_, ctx) =>
      context.store.tenant(ctx.tenant, async (tx) => {
        const { userId, sessionId } = ctx.session;
        const owned = await ownedBy(tx, userId);
        const person = await loadPerson(tx, userId);
        let passkey: string | null = null;
        if (owned.passkey) {
          const challenge = newChallenge(context);
          await beginAttempt(
            tx,
            context,
            { kind: 'reauth', userId, state: { challenge, session: sessionId } },
            ctx.now,
          );
          passkey = await requestOptions(tx, ctx.host, challenge, userId);
        }
        const methods: Way[] = [
          ...(owned.passkey ? ['passkey' as const] : []),
          ...(owned.totp ? ['totp' as const] : []),
          ...(!isFactor(owned) && (person.auth === 'ad' || person.password_hash !== null)
            ? [isBySms(await loadPolicy(tx), owned) ? ('sms' as const) : ('password' as const)]
            : []),
          ...(owned.recovery ? ['recovery' as const] : []),
        ];
        return ok({ methods, passkey });
      }),

    async reauth(input, ctx) {
      const supplied = [input.password, input.code, input.passkey].filter(
        (one) => one !== undefined,
      );
      if (supplied.length !== 1)
        return failed({
          kind: 'bad-input',
          message: MESSAGES.badInput,
          issues: [{ path: '', message: MESSAGES.oneFactor }],
        });
      const { userId, sessionId } = ctx.session;
      const { tenant, now } = ctx;
      // A stranger at this device may have watched the password, so a user with a stronger factor
      // has to use that one.
      const more =
        input.password === undefined
          ? null
          : await context.store.tenant(tenant, (tx) => moreThanPassword(tx, userId), {
              readOnly: true,
            });
      if (more !== null) return failed(more === 'sms' ? BY_CODE : BY_FACTOR);
      const shown = await show(context, find, input, ctx);
      if (!shown.ok) return shown;
      await context.store.tenant(tenant, async (tx) => {
        await tx.sql
          .updateTable('session')
          .set({ authenticated_at: now })
          .where('tenant_id', '=', tenant)
          .where('id', '=', sessionId)
          .execute();
        await audit(tx, context, ctx, {
          what: 'reauth.done',
          user: userId,
          detail: { how: shown.value },
        });
      });
      context.knownSessions.forget(tenant);
      return ok({ freshUntil: now + LIMITS.freshMs });
    },

    async reauthCode({ password }, ctx) {
      const { userId } = ctx.session;
      const { tenant } = ctx;
      if (
        (await context.store.tenant(tenant, (tx) => moreThanPassword(tx, userId), {
          readOnly: true,
        })) !== 'sms'
      )
        return failed(BY_FACTOR);
      const shown = await show(context, find, { password }, ctx);
      return shown.ok
        ? context.store.tenant(tenant, async (tx) =>
            sendReauthCode(tx, context, await context.sessionKey(), ctx),
          )
        : shown;
    },
  };
}

/** Returns which of the user's factors is stronger than the password alone. */
async function moreThanPassword(tx: TenantTx, userId: UserId): Promise<'factor' | 'sms' | null> {
  const owned = await ownedBy(tx, userId);
  return isFactor(owned) ? 'factor' : isBySms(await loadPolicy(tx), owned) ? 'sms' : null;
}

/** Verifies the factor. Tries count in the same buckets as sign-ins (G37). */
async function show(
  context: AppContext,
  find: FindDirectory,
  input: ParsedInputOf<'reauth'>,
  ctx: SessionContext,
): Promise<Result<Way>> {
  const { tenant, now, ip } = ctx;
  const { userId } = ctx.session;
  const key = await context.sessionKey();
  const begun = await context.store.tenant(tenant, async (tx) => {
    const device = shownDevice(ctx);
    const known = device && (await knownDevice(tx, device, userId, now));
    const counted = await countFactor(tx, userId, known, ip, now);
    const person = await loadPerson(tx, userId);
    return {
      known,
      counted,
      person,
      directory:
        input.password !== undefined && person.auth === 'ad' ? await find(tx, context) : null,
    };
  });
  const { known, counted, person } = begun;
  if ('waitMs' in counted.outcome) return failed(tooMany(counted.outcome.waitMs));
  // The password is checked outside of a transaction: a hash and a directory take time.
  let proved: Proved | null = null;
  if (input.password !== undefined) {
    proved =
      person.auth === 'ad'
        ? await provedByDirectory(begun.directory, person.username, input.password)
        : await provedByHash(person.password_hash, input.password);
  }
  if (proved === 'disabled') await endForDirectory(context, ctx, userId, 'disabled');
  return context.store.tenant(tenant, async (tx): Promise<Result<Way>> => {
    if (proved === 'later' || proved === 'unreachable') {
      await giveBack(tx, counted.tried, now);
      return failed(
        proved === 'later'
          ? tooMany(1_000)
          : { kind: 'busy', message: MESSAGES.noDirectory, retryAfterMs: 5_000 },
      );
    }
    // An expired password is accepted: the directory reports it as expired only if it is correct.
    const way =
      proved === null
        ? await wayShown(tx, context, key, input, ctx)
        : proved === 'right' || proved === 'change'
          ? 'password'
          : null;
    if (way !== null) {
      await forgiveFactor(tx, counted, userId, known, now);
      return ok(way);
    }
    await audit(tx, context, ctx, { what: 'reauth.refused', user: userId });
    context.log.warn('a factor that was asked for again was refused', { tenant, user: userId, ip });
    return failed(getReauthFailure(input));
  });
}

async function wayShown(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  { code, passkey }: ParsedInputOf<'reauth'>,
  ctx: SessionContext,
): Promise<Way | null> {
  const { userId, sessionId } = ctx.session;
  const { now, host } = ctx;
  if (passkey !== undefined) {
    const attempt = await attemptOfSession(tx, 'reauth', userId, sessionId, now);
    const challenge = attempt?.state.challenge;
    if (!attempt || challenge === undefined || challengeIn(passkey) !== challenge) return null;
    await endAttempt(tx, attempt.id, now);
    return (await usePasskey(tx, context, { host, challenge, response: passkey, now }, userId))
      ? 'passkey'
      : null;
  }
  if (code === undefined) return null;
  if (/^\d{6}$/.test(code) && (await moreThanPassword(tx, userId)) === 'sms')
    return (await useReauthCode(tx, key, ctx, code)) ? 'sms' : null;
  if (/^\d{6}$/.test(code)) return (await useTotp(tx, context, userId, code, now)) ? 'totp' : null;
  if (!(await consumeRecoveryCode(tx, key, userId, code, now))) return null;
  await audit(tx, context, ctx, { what: 'recovery-code.used', user: userId });
  await tellFactor(tx, context, userId, 'code-used');
  return 'recovery';
}

const isFactor = ({ passkey, totp }: Pick<Owned, 'passkey' | 'totp'>): boolean => passkey || totp;
const BY_CODE: Failure = { kind: 'reauth_required', message: MESSAGES.reauthByCode };
const BY_FACTOR: Failure = { kind: 'reauth_required', message: MESSAGES.reauthByFactor };

const getReauthFailure = ({ password, passkey }: ParsedInputOf<'reauth'>): Failure => ({
  kind: 'wrong-credentials',
  message:
    password !== undefined
      ? MESSAGES.currentPassword
      : passkey !== undefined
        ? MESSAGES.wrongPasskey
        : MESSAGES.wrongCode,
});

const loadPerson = ({ tenant, sql }: TenantTx, userId: UserId) =>
  sql
    .selectFrom('person')
    .select(['username', 'password_hash', 'auth'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
