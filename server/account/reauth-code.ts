import { LIMITS } from '#contract/limits.ts';
import type { Result } from '#contract/result.ts';
import { failed, ok } from '#contract/result.ts';
import type { Ask } from '../http/handler.ts';
import type { TenantTx } from '../store/store.ts';
import type { World } from '../world.ts';
import { attemptOfSession, beginAttempt, changeAttempt, endAttempt } from './attempts.ts';
import { maskedPhone, rightCode, sendCode } from './codes.ts';
import { ownedBy } from './policy.ts';
import { noMoreCodes } from './sign-in-step.ts';

/**
 * The password was shown: a code goes to the user's number, good in this session alone. One sent
 * before it is good no more.
 */
export async function sendReauthCode(
  tx: TenantTx,
  world: World,
  key: Buffer,
  ask: Ask,
): Promise<Result<{ phone: string }>> {
  const { signed, now } = ask;
  if (signed === null) throw new Error('A code for nobody.');
  const { userId, sessionId } = signed;
  const { phone } = await ownedBy(tx, userId);
  if (phone === null) throw new Error('A code without a number to send it to.');
  const former = await attemptOfSession(tx, 'reauth', userId, sessionId, now);
  const { attempt } = await beginAttempt(
    tx,
    world,
    { kind: 'reauth', userId, state: { first: 'password', session: sessionId } },
    now,
  );
  if ((await sendCode(tx, world, key, ask, attempt, phone, 'confirm a change at')) === null) {
    // The one that was sent before still opens.
    await endAttempt(tx, attempt.id, now);
    return failed(noMoreCodes());
  }
  if (former) await endAttempt(tx, former.id, now);
  return ok({ phone: maskedPhone(phone) });
}

/**
 * Whether it is the code that was sent to this session after its password; once, and five tries.
 */
export async function useReauthCode(
  tx: TenantTx,
  key: Buffer,
  { signed, now }: Ask,
  code: string,
): Promise<boolean> {
  const attempt =
    signed && (await attemptOfSession(tx, 'reauth', signed.userId, signed.sessionId, now));
  if (!attempt || attempt.state.first === undefined) return false;
  const right = rightCode(key, attempt, code, now);
  const tries = attempt.tries + 1;
  if (right || tries >= LIMITS.codeTries) await endAttempt(tx, attempt.id, now);
  else await changeAttempt(tx, attempt, { tries });
  return right;
}
