import { withLanguage } from '#contract/i18n/messages.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { columnAhead } from '../../platform/clock-bounds.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { takeTurn } from '../../platform/rate-limit/per-hour.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { seal } from '../../platform/crypto/vault.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { countedTry } from './attempt-rate-limit.ts';
import { beginAttempt, changeAttempt, endAttempt, heldAttempt, shownAttempt } from './attempts.ts';
import { codeHash, codeOver, getTurns, makeCode, rightCode } from './codes.ts';
import { knownDevice } from './devices.ts';
import { codeMail, portalName } from './mails.ts';
import { ownedBy, loadPolicy } from './policy.ts';
import { codeBucket, codeBucketName, deviceCodeBucket } from './recovery-limits.ts';
import { shownDevice } from './open-session.ts';
import { giveBack, tooMany } from './rate-limit.ts';
import { authMailMessages as t } from './messages.en.ts';

/** `mailedTo`: the address that received the code; null if the code went to a phone. */
export interface ProvenRecovery {
  readonly attempt: string;
  readonly userId: UserId;
  readonly mailedTo: string | null;
}

/** The recipient of a code. */
export interface Reached {
  readonly id: UserId;
  readonly email: string | null;
  readonly mobile_phone: string | null;
}

/**
 * Begins a recovery attempt and sends its code by email, or else to the stored phone number. A
 * number that is also the second factor gets no code, because a phone alone must not be both. For
 * an unknown name the steps are the same, but nothing is sent. `token` goes into the cookie.
 */
export async function beginRecovery(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  username: string,
  person: Reached | undefined,
): Promise<{ readonly token: string; readonly until: Ms }> {
  const { now } = ctx;
  const { attempt, token } = await beginAttempt(
    tx,
    context,
    {
      kind: 'recovery',
      userId: person?.id ?? null,
      state: {
        counted: codeBucketName(username),
        ...(person?.email && { mailedTo: person.email }),
      },
    },
    now,
  );
  const code = makeCode(context.chance);
  const until = now + LIMITS.codeMs;
  const portal = await portalName(tx);
  await changeAttempt(tx, attempt, {
    codeHash: codeHash(key, attempt.id, code),
    codeUntil: until,
    sends: 1,
  });
  const language = await loadUserLanguage(tx, person?.id ?? null);
  const mail = withLanguage(language, () => codeMail(portal, code));
  if (person?.email) await post(tx, context, { kind: 'mail', to: person.email, ...mail });
  else if (
    person?.mobile_phone &&
    !(await isPhoneFactor(tx, person.id)) &&
    (await takeTurn(tx, key, getTurns(person.mobile_phone), now))
  )
    await post(tx, context, {
      kind: 'sms',
      to: person.mobile_phone,
      text: withLanguage(language, () => t.code({ code, portal })),
    });
  else
    await seal(
      tx,
      context,
      { table: 'outgoing', column: 'sealed', row: attempt.id },
      JSON.stringify(mail),
    );
  await audit(tx, context, ctx, { what: 'recovery.began', user: person?.id ?? null });
  return { token, until };
}

/**
 * Returns the user of the cookie's attempt if the code is correct. A wrong code counts for the
 * attempt, which ends after five, and for the name over all attempts (RECOVER-6). `message` is the
 * message of the failure. It does not use up the attempt.
 */
export async function provenRecovery(
  tx: TenantTx,
  key: Buffer,
  ctx: RequestContext,
  code: string,
  message: string,
): Promise<Result<ProvenRecovery>> {
  const wrong: Failure = { kind: 'wrong-credentials', message };
  const over: Failure = { kind: 'conflict', message };
  const attempt = await heldAttempt(tx, shownAttempt(ctx), ['recovery'], ctx.now);
  if (!attempt || codeOver(attempt, ctx.now)) return failed(over);
  const {
    userId,
    state: { counted = '', mailedTo = null },
  } = attempt;
  const device = shownDevice(ctx);
  const known = device && (await knownDevice(tx, device, userId ?? undefined, ctx.now));
  const { tried, outcome } = await countedTry(
    tx,
    known !== null && userId !== null ? deviceCodeBucket(known, userId) : null,
    [codeBucket(counted)],
    ctx.now,
  );
  if ('waitMs' in outcome) return failed(tooMany(outcome.waitMs));
  if (rightCode(key, attempt, code.replace(/\s/g, ''), ctx.now) && userId !== null) {
    await giveBack(tx, tried, ctx.now);
    return ok({ attempt: attempt.id, userId, mailedTo });
  }
  await changeAttempt(tx, attempt, { tries: attempt.tries + 1 });
  if (attempt.tries + 1 >= LIMITS.codeTries) await endAttempt(tx, attempt.id, ctx.now);
  return failed(wrong);
}

/** Returns whether this user's second factor is an SMS code. */
async function isPhoneFactor(tx: TenantTx, userId: UserId): Promise<boolean> {
  const owned = await ownedBy(tx, userId);
  return !owned.totp && !owned.passkey && (owned.smsAsked || (await loadPolicy(tx)) !== 'own');
}

/** Uses up a proven attempt. Returns true for only one of several concurrent requests. */
export async function useRecovery(
  { tenant, sql }: TenantTx,
  attempt: string,
  now: Ms,
): Promise<boolean> {
  const used = await sql
    .updateTable('attempt')
    .set({ done_at: now })
    .where('tenant_id', '=', tenant)
    .where('id', '=', attempt)
    .where('done_at', 'is', null)
    .where(columnAhead('until', now, LIMITS.attemptMs))
    .executeTakeFirst();
  return used.numUpdatedRows > 0n;
}

/**
 * Reopens the attempt after the directory failed, so that the user can retry with the same code.
 */
export async function giveBackRecovery({ tenant, sql }: TenantTx, attempt: string): Promise<void> {
  await sql
    .updateTable('attempt')
    .set({ done_at: null })
    .where('tenant_id', '=', tenant)
    .where('id', '=', attempt)
    .execute();
}
