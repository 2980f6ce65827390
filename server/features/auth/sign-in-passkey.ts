import type { UserId } from '#contract/ids.ts';
import type { Failure } from '#contract/errors.ts';
import { LIMITS } from '#contract/limits.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { factorBucket } from './attempt-rate-limit.ts';
import {
  beginAttempt,
  changeAttempt,
  endAttempt,
  endShown,
  heldAttempt,
  shownAttempt,
} from './attempts.ts';
import { knownDevice } from './devices.ts';
import { hasName, requestOptions, usePasskey } from './passkeys.ts';
import { openHere, shownDevice } from './open-session.ts';
import type { SignedIn } from './open-session.ts';
import { OVER } from './sign-in-second.ts';
import { newChallenge } from './sign-in-step.ts';
import type { Further } from './sign-in-step.ts';
import { countTry, forgive, strangersBuckets, tooMany } from './rate-limit.ts';
import type { WaitRule } from './rate-limit.ts';

const WRONG: Failure = { kind: 'wrong-credentials', message: MESSAGES.wrongPasskey };
/**
 * The limit per address: any client can begin a sign-in, and each one leaves a row for ten minutes.
 */
const BEGIN_RULE: WaitRule = { quick: 60, maxMs: 60_000, max: null, leakMs: 5_000 };

/** Begins a sign-in without a user name. The response is the same for everyone. */
export const beginPasskey = (context: AppContext, ctx: RequestContext): Promise<Result<Further>> =>
  context.store.tenant(ctx.tenant, async (tx): Promise<Result<Further>> => {
    const { now, host, ip } = ctx;
    if (!hasName(host)) return failed({ kind: 'conflict', message: MESSAGES.passkeyNeedsName });
    const outcome = await countTry(
      tx,
      [{ name: `passkey-${strangersBuckets('', ip)[1].name}`, rule: BEGIN_RULE }],
      now,
    );
    if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
    await endShown(tx, ctx);
    const challenge = newChallenge(context);
    const {
      attempt: { until },
      token,
    } = await beginAttempt(
      tx,
      context,
      { kind: 'passkey', userId: null, state: { challenge } },
      now,
    );
    const step = {
      step: 'code',
      methods: ['passkey'],
      phone: null,
      mayChangePhone: false,
      resends: 0,
      until,
      passkey: await requestOptions(tx, host, challenge, null),
      enrol: null,
    } as const;
    return ok({ kind: 'step', step: { ...step, methods: [...step.methods] }, token });
  });

/**
 * Signs in with a passkey alone: the device verified its user, so it counts as two factors. Returns
 * null if the attempt is of another kind. Directory users cannot sign in this way, because the
 * directory reports a disabled account only with the password.
 */
export const showPasskey = (
  context: AppContext,
  key: Buffer,
  response: string,
  remember: boolean | undefined,
  ctx: RequestContext,
): Promise<Result<SignedIn> | null> =>
  context.store.tenant(ctx.tenant, async (tx): Promise<Result<SignedIn> | null> => {
    const { now, host, ip } = ctx;
    const attempt = await heldAttempt(tx, shownAttempt(ctx), ['passkey'], now);
    if (attempt === null) return null;
    const tried = strangersBuckets('', ip).slice(1);
    const outcome = await countTry(tx, tried, now);
    if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
    const shown = await usePasskey(
      tx,
      context,
      { host, challenge: attempt.state.challenge ?? '', response, now },
      null,
    );
    if (shown === null || !(await mayEnter(tx, shown.user))) {
      const tries = attempt.tries + 1;
      const over = tries >= LIMITS.codeTries;
      await changeAttempt(tx, attempt, { tries });
      if (over) await endAttempt(tx, attempt.id, now);
      await audit(tx, context, ctx, {
        what: 'sign-in.refused',
        user: shown?.user ?? null,
        detail: { step: 'passkey' },
      });
      return failed(over ? OVER : WRONG);
    }
    const userId = shown.user;
    await forgive(tx, tried, factorBucket(userId), now);
    const device = shownDevice(ctx);
    return ok(
      await openHere(tx, context, key, ctx, {
        userId,
        how: 'passkey',
        remember,
        known: device && (await knownDevice(tx, device, userId, now)),
      }),
    );
  });

async function mayEnter(tx: TenantTx, userId: UserId): Promise<boolean> {
  const user = (await tx.rows('user', [userId])).get(userId);
  const person = await tx.sql
    .selectFrom('person')
    .select('auth')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', userId)
    .executeTakeFirst();
  return user?.deletedAt === null && person?.auth === 'db';
}
