import type { Failure } from '#contract/errors.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import { columnAhead } from '../../platform/clock-bounds.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { seal } from '../../platform/crypto/vault.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { countedTry } from './attempt-rate-limit.ts';
import { beginAttempt, changeAttempt, endAttempt, heldAttempt, shownAttempt } from './attempts.ts';
import { codeHash, codeOver, makeCode, rightCode, takeTurn } from './codes.ts';
import { knownDevice } from './devices.ts';
import { codeMail, portalName } from './mails.ts';
import { ownedBy, policyOf } from './policy.ts';
import { codeBucket, codeBucketName, deviceCodeBucket, tooMany } from './recovery-limits.ts';
import { shownDevice } from './open-session.ts';
import { giveBack } from './rate-limit.ts';

/** `mailedTo`: the address that the code was sent to; null where it went to a phone. */
export interface ProvenRecovery {
  readonly attempt: string;
  readonly userId: UserId;
  readonly mailedTo: string | null;
}

/** Whom a code is sent to. */
export interface Reached {
  readonly id: UserId;
  readonly email: string | null;
  readonly mobile_phone: string | null;
}

/**
 * Begins an attempt to get back in and sends its code: by mail, else to the number on record,
 * unless that is what the second factor goes to: a phone alone is never both. For a name that
 * nobody has, the same is done but sent nowhere. `token` goes into the cookie.
 */
export async function beginRecovery(
  tx: TenantTx,
  world: AppContext,
  key: Buffer,
  ctx: RequestContext,
  username: string,
  person: Reached | undefined,
): Promise<{ readonly token: string; readonly until: Ms }> {
  const { now } = ctx;
  const { attempt, token } = await beginAttempt(
    tx,
    world,
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
  const code = makeCode(world.chance);
  const until = now + LIMITS.codeMs;
  const portal = await portalName(tx);
  await changeAttempt(tx, attempt, {
    codeHash: codeHash(key, attempt.id, code),
    codeUntil: until,
    sends: 1,
  });
  const mail = codeMail(portal, code);
  if (person?.email) await post(tx, world, { kind: 'mail', to: person.email, ...mail });
  else if (
    person?.mobile_phone &&
    !(await isPhoneFactor(tx, person.id)) &&
    (await takeTurn(tx, key, `number|${person.mobile_phone}`, LIMITS.codeSends, now))
  )
    await post(tx, world, {
      kind: 'sms',
      to: person.mobile_phone,
      text: `${code} is your code for ${portal}. It is good for five minutes. Give it to nobody.`,
    });
  else
    await seal(
      tx,
      world,
      { table: 'outgoing', column: 'sealed', row: attempt.id },
      JSON.stringify(mail),
    );
  await audit(tx, world, ctx, { what: 'recovery.began', user: person?.id ?? null });
  return { token, until };
}

/**
 * Whose attempt the cookie stands for, if the code is right; a wrong one is counted, for the
 * attempt, which is over after five, and for the name, over all attempts (RECOVER-6). `message`:
 * what is answered then. Nothing is used up yet.
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

/** Whether the second factor of this user is a code by SMS. */
async function isPhoneFactor(tx: TenantTx, userId: UserId): Promise<boolean> {
  const owned = await ownedBy(tx, userId);
  return !owned.totp && !owned.passkey && (owned.smsAsked || (await policyOf(tx)) !== 'own');
}

/** Uses a proven attempt up: of two that try at once one gets it. */
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

/** What the directory did not do can be tried again with the same code. */
export async function giveBackRecovery({ tenant, sql }: TenantTx, attempt: string): Promise<void> {
  await sql
    .updateTable('attempt')
    .set({ done_at: null })
    .where('tenant_id', '=', tenant)
    .where('id', '=', attempt)
    .execute();
}
