import type { SignInStep } from '#contract/auth/sign-in-step.ts';
import type { Failure } from '#contract/errors.ts';
import type { UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { beginAttempt, changeAttempt, endShown } from './attempts.ts';
import type { Attempt, AttemptState } from './attempts.ts';
import { maskedPhone, sendCode } from './codes.ts';
import { requestOptions } from './passkeys.ts';
import type { Need, Owned } from './policy.ts';
import { newSecret, sealForAttempt, unsealForAttempt, getUri } from './totp.ts';

/**
 * The next step. `token` is the attempt's token for its cookie; null if the device already has it.
 */
export interface Further {
  readonly kind: 'step';
  readonly step: SignInStep;
  readonly token: string | null;
}

/** The failure when this number or this sign-in can receive no more codes. */
export const noMoreCodes = (retryAfterMs = HOUR_MS / LIMITS.codeSends): Failure => ({
  kind: 'too-many',
  message: MESSAGES.noMoreCodes,
  retryAfterMs,
});

/**
 * Begins the step required after the password. The new attempt replaces the device's previous one,
 * and sends a code if SMS is the best method.
 */
export async function beginStep(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  userId: UserId,
  need: Exclude<Need, { step: 'none' }>,
  owned: Owned,
  state: AttemptState,
): Promise<Result<Further>> {
  await endShown(tx, ctx);
  const begun = await beginAttempt(tx, context, { kind: 'sign-in', userId, state }, ctx.now);
  let { attempt } = begun;
  if (need.step === 'enrol') {
    attempt = await withSecret(tx, context, attempt);
  } else if (need.step === 'code' && need.methods.includes('passkey')) {
    attempt = await changeAttempt(tx, attempt, {
      state: { ...state, challenge: newChallenge(context) },
    });
  } else if (need.step === 'code' && need.methods[0] === 'sms' && owned.phone !== null) {
    const sent = await sendCode(tx, context, key, ctx, attempt, owned.phone);
    if (sent === null) return failed(noMoreCodes());
    attempt = sent;
  }
  return ok({
    kind: 'step',
    step: await buildStep(tx, context, ctx, attempt, need, owned),
    token: begun.token,
  });
}

/** Adds a new authenticator's secret, sealed. */
export const withSecret = async (
  tx: TenantTx,
  context: AppContext,
  attempt: Attempt,
): Promise<Attempt> =>
  changeAttempt(tx, attempt, {
    state: {
      ...attempt.state,
      enrol: await sealForAttempt(tx, context, attempt.id, newSecret(context.chance)),
    },
  });

/** Returns 256 random bits, base64url. */
export const newChallenge = ({ chance }: AppContext): string =>
  Buffer.from(chance.bytes(32)).toString('base64url');

/**
 * Returns whether this sign-in has already changed the number. Adding a missing number is not a
 * change.
 */
export const changedOnce = ({ state }: Attempt, { phone }: Owned): boolean =>
  phone !== null && state.newPhone !== undefined;

/** Returns the step as the page shows it. */
export async function buildStep(
  tx: TenantTx,
  context: AppContext,
  { host }: RequestContext,
  attempt: Attempt,
  need: Exclude<Need, { step: 'none' }>,
  owned: Owned,
): Promise<SignInStep> {
  const { state, userId, until } = attempt;
  const phone = state.newPhone ?? owned.phone;
  // A number entered during sign-in counts as the user's own once its code is entered.
  const step = need.step === 'phone' && phone !== null ? 'code' : need.step;
  const methods = need.step === 'code' ? need.methods : step === 'code' ? ['sms' as const] : [];
  return {
    step,
    methods: [...methods],
    until,
    resends: LIMITS.codeSends - attempt.sends,
    phone: methods.includes('sms') && phone !== null ? maskedPhone(phone) : null,
    mayChangePhone: methods[0] === 'sms' && !owned.phoneProven && !changedOnce(attempt, owned),
    passkey:
      methods.includes('passkey') && state.challenge !== undefined
        ? await requestOptions(tx, host, state.challenge, userId)
        : null,
    enrol:
      step === 'enrol' && state.enrol !== undefined && userId !== null
        ? await startEnrollment(
            tx,
            userId,
            await unsealForAttempt(tx, context, attempt.id, state.enrol),
          )
        : null,
  };
}

/** Returns a new authenticator's data, to scan or to type. */
export async function startEnrollment(
  { tenant, sql }: TenantTx,
  userId: UserId,
  secret: string,
): Promise<{ readonly secret: string; readonly uri: string }> {
  const { username } = await sql
    .selectFrom('person')
    .select('username')
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const { branding } = await sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return { secret, uri: getUri(secret, branding.name, username) };
}
