import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { SessionContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { attemptOfSession, beginAttempt, changeAttempt, endAttempt } from './attempts.ts';
import { maskedPhone, rightCode, sendCode } from './codes.ts';
import { ownedBy } from './policy.ts';
import { noMoreCodes } from './sign-in-step.ts';

/**
 * Sends a code to the user's number after the password was verified. The code is valid in this
 * session only and replaces the previous one.
 */
export async function sendReauthCode(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: SessionContext,
): Promise<Result<{ phone: string }>> {
  const { session, now } = ctx;
  const { userId, sessionId } = session;
  const { phone } = await ownedBy(tx, userId);
  if (phone === null) throw new Error('A code without a number to send it to.');
  const former = await attemptOfSession(tx, 'reauth', userId, sessionId, now);
  const { attempt } = await beginAttempt(
    tx,
    context,
    { kind: 'reauth', userId, state: { first: 'password', session: sessionId } },
    now,
  );
  if ((await sendCode(tx, context, key, ctx, attempt, phone, 'confirm')) === null) {
    // The previous code stays valid.
    await endAttempt(tx, attempt.id, now);
    return failed(noMoreCodes());
  }
  if (former) await endAttempt(tx, former.id, now);
  return ok({ phone: maskedPhone(phone) });
}

/**
 * Returns whether the code is the one sent to this session after its password. It is valid once,
 * for up to five tries.
 */
export async function useReauthCode(
  tx: TenantTx,
  key: Buffer,
  { session, now }: SessionContext,
  code: string,
): Promise<boolean> {
  const attempt = await attemptOfSession(tx, 'reauth', session.userId, session.sessionId, now);
  if (!attempt || attempt.state.first === undefined) return false;
  const right = rightCode(key, attempt, code, now);
  const tries = attempt.tries + 1;
  if (right || tries >= LIMITS.codeTries) await endAttempt(tx, attempt.id, now);
  else await changeAttempt(tx, attempt, { tries });
  return right;
}
