import { withLanguage } from '#contract/i18n/messages.ts';
import type { Method } from '#contract/auth/sign-in-step.ts';
import type { ParsedInputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { countFactor, forgiveFactor } from './attempt-rate-limit.ts';
import { changeAttempt, endAttempt, heldAttempt, shownAttempt } from './attempts.ts';
import type { Attempt } from './attempts.ts';
import { codeOver, rightCode, sendCode } from './codes.ts';
import { knownDevice } from './devices.ts';
import { tellFactor } from './factor-notice.ts';
import { usePasskey } from './passkeys.ts';
import { getNeededStep, ownedBy, loadPolicy } from './policy.ts';
import type { Need, Owned } from './policy.ts';
import { renewCodes, consumeRecoveryCode } from './recovery-codes.ts';
import { openHere, shownDevice } from './open-session.ts';
import type { SignedIn } from './open-session.ts';
import { changedOnce, noMoreCodes, buildStep, withSecret } from './sign-in-step.ts';
import type { Further } from './sign-in-step.ts';
import { keepTotp, stepOfCode, unsealForAttempt, useTotp } from './totp.ts';
import { authMailMessages as t } from './messages.en.ts';
import { tooMany } from './rate-limit.ts';

export const OVER: Failure = { kind: 'expired', message: MESSAGES.attemptOver };
const CODE_OVER: Failure = { kind: 'wrong-credentials', message: MESSAGES.codeOver };
const getSecondFactorFailure = (how: Second): Failure => ({
  kind: 'wrong-credentials',
  message: how === 'passkey' ? MESSAGES.wrongPasskey : MESSAGES.wrongCode,
});
const UNFIT: Failure = { kind: 'conflict', message: MESSAGES.otherStep };

type Second = Method | 'enrol';
/** An attempt of an active user, and the step that it needs now. */
interface Under {
  readonly attempt: Attempt & { readonly userId: string };
  readonly need: Exclude<Need, { step: 'none' }>;
  readonly owned: Owned;
}

/**
 * Returns the attempt of the request's cookie. Returns null if it has expired, has no tries left,
 * or the user or password changed since. The required step is computed again without the device's
 * skip, because an attempt only begins when a step is required.
 */
async function under(tx: TenantTx, ctx: RequestContext): Promise<Under | null> {
  const attempt = await heldAttempt(tx, shownAttempt(ctx), ['sign-in'], ctx.now);
  if (attempt === null || attempt.userId === null) return null;
  const { userId } = attempt;
  const user = (await tx.rows('user', [userId])).get(userId);
  const person = await tx.sql
    .selectFrom('person')
    .select('password_at')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', userId)
    .executeTakeFirst();
  if (!user || user.deletedAt !== null || !person || (person.password_at ?? 0) > attempt.madeAt)
    return null;
  const owned = await ownedBy(tx, userId);
  const need = getNeededStep(await loadPolicy(tx), owned, false, attempt.state.codeShown === true);
  return need.step === 'none' ? null : { attempt: { ...attempt, userId }, need, owned };
}

/**
 * Returns whether the step accepts this factor. At the `phone` step an SMS code is accepted once a
 * number was entered.
 */
function takes({ need, attempt }: Under, how: Second): boolean {
  if (need.step === 'code') return how !== 'enrol' && need.methods.includes(how);
  return need.step === 'phone'
    ? how === 'sms' && attempt.state.newPhone !== undefined
    : how === 'enrol';
}

export type VerifiedFactor =
  | {
      readonly how: 'totp' | 'recovery' | 'enrol';
      readonly code: string;
      readonly remember: boolean | undefined;
    }
  | {
      readonly how: 'sms';
      readonly code: string;
      readonly remember: boolean | undefined;
      readonly updatedPhone: boolean | undefined;
    }
  | { readonly how: 'passkey'; readonly response: string; readonly remember: boolean | undefined };

/**
 * Verifies the second factor and opens a session. Each try counts before it is checked, for the
 * account (G37) and for the attempt, which ends with the fifth wrong one (G38). The transaction
 * locks the attempt's row, so concurrent tries run one after another.
 */
export const showSecond = (
  context: AppContext,
  key: Buffer,
  shown: VerifiedFactor,
  ctx: RequestContext,
): Promise<Result<SignedIn | Further>> =>
  context.store.tenant(ctx.tenant, async (tx): Promise<Result<SignedIn | Further>> => {
    const { now, ip, tenant } = ctx;
    const at = await under(tx, ctx);
    if (at === null) return failed(OVER);
    if (!takes(at, shown.how)) return failed(UNFIT);
    const {
      attempt,
      attempt: { userId, state },
    } = at;
    // Checked before the code, so that a wrong flag from the client costs no try.
    if (shown.how === 'sms' && shown.updatedPhone === true && state.newPhone === undefined)
      return failed({ kind: 'conflict', message: MESSAGES.phoneNotUpdated });
    // An expired code is not compared, so it costs no try.
    if (shown.how === 'sms' && codeOver(attempt, now)) return failed(CODE_OVER);
    const device = shownDevice(ctx);
    const known = device && (await knownDevice(tx, device, userId, now));
    const counted = await countFactor(tx, userId, known, ip, now);
    if ('waitMs' in counted.outcome) return failed(tooMany(counted.outcome.waitMs));

    const right = await look(tx, context, key, ctx, at, shown);
    if (!right.ok) {
      const tries = attempt.tries + 1;
      const over = tries >= LIMITS.codeTries;
      await changeAttempt(tx, attempt, { tries });
      if (over) await endAttempt(tx, attempt.id, now);
      await audit(tx, context, ctx, {
        what: 'sign-in.refused',
        user: userId,
        detail: { step: shown.how, device: known === null ? 'unknown' : 'known' },
      });
      context.log.warn('a second factor was refused', {
        tenant,
        user: userId,
        ip,
        step: shown.how,
      });
      return failed(over ? OVER : getSecondFactorFailure(shown.how));
    }
    await forgiveFactor(tx, counted, userId, known, now);
    if (shown.how === 'sms' && (await loadPolicy(tx)) === 'strong')
      return ok(await onToEnrol(tx, context, ctx, at));
    await endAttempt(tx, attempt.id, now);
    const session = await openHere(tx, context, key, ctx, {
      userId,
      how: `${state.first ?? 'password'}${state.codeShown === true ? '+sms' : ''}+${right.value.how}`,
      remember: shown.remember ?? state.remember,
      known,
    });
    return ok(
      right.value.recoveryCodes === undefined
        ? session
        : { ...session, recoveryCodes: right.value.recoveryCodes },
    );
  });

/**
 * Continues the attempt with setting up an authenticator, which the provider requires after the
 * code.
 */
async function onToEnrol(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext,
  { attempt, owned }: Under,
): Promise<Further> {
  const shown = await changeAttempt(tx, attempt, {
    state: { ...attempt.state, codeShown: true },
    codeHash: null,
    codeUntil: null,
  });
  return {
    kind: 'step',
    step: await buildStep(
      tx,
      context,
      ctx,
      await withSecret(tx, context, shown),
      { step: 'enrol' },
      owned,
    ),
    token: null,
  };
}

interface Right {
  readonly how: string;
  readonly recoveryCodes?: readonly string[];
}
const NO = failed(UNFIT);

/** Verifies the factor and stores the result. */
async function look(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  at: Under,
  shown: VerifiedFactor,
): Promise<Result<Right>> {
  const {
    attempt,
    attempt: { id, userId, state },
  } = at;
  const { now, host } = ctx;
  switch (shown.how) {
    case 'sms':
      if (!rightCode(key, attempt, shown.code, now)) return NO;
      await phoneProved(tx, context, ctx, at);
      return ok({ how: 'sms' });
    case 'totp':
      return (await useTotp(tx, context, userId, shown.code, now)) ? ok({ how: 'totp' }) : NO;
    case 'recovery':
      if (!(await consumeRecoveryCode(tx, key, userId, shown.code, now))) return NO;
      await audit(tx, context, ctx, { what: 'recovery-code.used', user: userId });
      await tellFactor(tx, context, userId, 'code-used');
      return ok({ how: 'recovery' });
    case 'passkey':
      return state.challenge !== undefined &&
        (await usePasskey(
          tx,
          context,
          { host, challenge: state.challenge, response: shown.response, now },
          userId,
        ))
        ? ok({ how: 'passkey' })
        : NO;
    case 'enrol': {
      const secret =
        state.enrol === undefined ? null : await unsealForAttempt(tx, context, id, state.enrol);
      const step = secret === null ? null : stepOfCode(secret, shown.code, now, 0);
      if (secret === null || step === null) return NO;
      await keepTotp(tx, context, userId, secret, step, now);
      await audit(tx, context, ctx, {
        what: 'factor.added',
        user: userId,
        detail: { factor: 'totp' },
      });
      await tellFactor(tx, context, userId, 'totp-added');
      return ok({ how: 'totp', recoveryCodes: await renewCodes(tx, context.chance, key, userId) });
    }
  }
}

/**
 * Marks the number as the user's own after its code was entered. It can no longer change during
 * sign-in.
 */
async function phoneProved(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext,
  {
    attempt: {
      userId,
      state: { newPhone },
    },
    owned,
  }: Under,
): Promise<void> {
  if (newPhone === undefined && owned.phoneProven) return;
  await tx.sql
    .updateTable('person')
    .set({ phone_updated_once: true, ...(newPhone !== undefined && { mobile_phone: newPhone }) })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', userId)
    .execute();
  if (newPhone === undefined) return;
  await audit(tx, context, ctx, {
    what: 'phone.changed',
    user: userId,
    detail: { way: 'sign-in' },
  });
  await tellFactor(tx, context, userId, 'phone-set');
}

/** Returns the current step of the cookie's attempt. */
export const presentStep = (context: AppContext, ctx: RequestContext): Promise<Result<Further>> =>
  context.store.tenant(ctx.tenant, async (tx): Promise<Result<Further>> => {
    const at = await under(tx, ctx);
    return at === null
      ? failed(OVER)
      : ok({
          kind: 'step',
          step: await buildStep(tx, context, ctx, at.attempt, at.need, at.owned),
          token: null,
        });
  });

/** Sends a code to the number that the user entered. A second call replaces the number. */
export const givePhone = (
  context: AppContext,
  key: Buffer,
  { mobilePhone }: ParsedInputOf<'loginDbPhone'>,
  ctx: RequestContext,
): Promise<Result<Further>> =>
  context.store.tenant(ctx.tenant, async (tx): Promise<Result<Further>> => {
    const at = await under(tx, ctx);
    if (at === null) return failed(OVER);
    return at.need.step === 'phone' ? send(tx, context, key, ctx, at, mobilePhone) : failed(UNFIT);
  });

/**
 * Sends another code. FACTOR-5: the number can change only while no code to the current one was
 * ever entered, and while no better factor exists, so that a stolen password cannot redirect a
 * user's codes. The old number and the mailbox get a notice. The number can change once in a
 * sign-in.
 */
export const resendCode = (
  context: AppContext,
  key: Buffer,
  { newMobilePhone }: ParsedInputOf<'loginDbResend'>,
  ctx: RequestContext,
): Promise<Result<Further>> =>
  context.store.tenant(ctx.tenant, async (tx): Promise<Result<Further>> => {
    const at = await under(tx, ctx);
    if (at === null) return failed(OVER);
    const { owned, attempt } = at;
    const present = attempt.state.newPhone ?? owned.phone;
    const next = newMobilePhone ?? present;
    if (next === null || !(at.need.step === 'phone' || takes(at, 'sms'))) return failed(UNFIT);
    if (next === present) return send(tx, context, key, ctx, at, attempt.state.newPhone);
    if (owned.phoneProven || (at.need.step === 'code' && at.need.methods[0] !== 'sms'))
      return failed({ kind: 'conflict', message: MESSAGES.phoneFixed });
    if (changedOnce(attempt, owned))
      return failed({ kind: 'conflict', message: MESSAGES.phoneUpdatedOnce });
    const sent = await send(tx, context, key, ctx, at, next);
    if (sent.ok && owned.phone !== null) {
      const { branding } = await tx.sql
        .selectFrom('provider')
        .select('branding')
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow();
      const language = await loadUserLanguage(tx, attempt.userId);
      await post(tx, context, {
        kind: 'sms',
        to: owned.phone,
        text: withLanguage(language, () => t.codeElsewhere({ portal: branding.name })),
      });
      await tellFactor(tx, context, attempt.userId, 'phone-asked');
      await audit(tx, context, ctx, { what: 'phone.asked', user: attempt.userId });
    }
    return sent;
  });

/** Sends a code. `newPhone` is stored only in the attempt until its code is entered. */
async function send(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  at: Under,
  newPhone: string | undefined,
): Promise<Result<Further>> {
  const phone = newPhone ?? at.owned.phone;
  if (phone === null) return failed(UNFIT);
  const sent = await sendCode(tx, context, key, ctx, at.attempt, phone);
  if (sent === null) return failed(noMoreCodes());
  const attempt =
    newPhone === undefined
      ? sent
      : await changeAttempt(tx, sent, { state: { ...sent.state, newPhone } });
  return ok({
    kind: 'step',
    step: await buildStep(tx, context, ctx, attempt, at.need, at.owned),
    token: null,
  });
}
