import { withLanguage } from '#contract/i18n/messages.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { isAhead } from '../../platform/clock-bounds.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { takeTurn, type Turns } from '../../platform/rate-limit/per-hour.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { loadUserLanguage } from '../../platform/tenancy/reader-language.ts';
import type { Chance, AppContext } from '../../platform/app-context.ts';
import type { Attempt } from './attempts.ts';
import { changeAttempt } from './attempts.ts';
import { authMailMessages as t } from './messages.en.ts';

const MAX_PER_USER = 10;
/** Values from here on are rejected, so that every code is equally likely. */
const EVEN = 2 ** 32 - (2 ** 32 % 1_000_000);

/** Returns six random digits; every code is equally likely. */
export function makeCode(chance: Chance): string {
  for (;;) {
    const value = Buffer.from(chance.bytes(4)).readUInt32BE();
    if (value < EVEN) return String(value % 1_000_000).padStart(6, '0');
  }
}

/**
 * Returns the keyed hash under which a code is stored. It is valid only for its attempt, and
 * useless without the server's key (G38).
 */
export const codeHash = (key: Buffer, attempt: string, code: string): string =>
  createHmac('sha256', key).update(`sign-in code|${attempt}|${code}`).digest('hex');

/** Returns whether the attempt has no valid code left. */
export const codeOver = ({ codeHash: stored, codeUntil }: Attempt, now: Ms): boolean =>
  stored === null || codeUntil === null || !isAhead(codeUntil, now, LIMITS.codeMs);

export function rightCode(key: Buffer, attempt: Attempt, code: string, now: Ms): boolean {
  const { id, codeHash: stored } = attempt;
  return (
    !codeOver(attempt, now) &&
    stored !== null &&
    timingSafeEqual(Buffer.from(stored, 'hex'), Buffer.from(codeHash(key, id, code), 'hex'))
  );
}

/**
 * Sends a new code, which replaces the previous one. Returns null at a limit: three codes per
 * attempt, three an hour per number, and ten an hour per user.
 */
export async function sendCode(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  attempt: Attempt,
  phone: string,
  purpose: 'sign-in' | 'confirm' = 'sign-in',
): Promise<Attempt | null> {
  const { now } = ctx;
  if (attempt.sends >= LIMITS.codeSends) return null;
  if (
    !(await takeTurn(
      tx,
      key,
      { kind: 'sms-turn', owner: `user|${attempt.userId}`, perHour: MAX_PER_USER },
      now,
    )) ||
    !(await takeTurn(tx, key, getTurns(phone), now))
  )
    return null;
  const code = makeCode(context.chance);
  const { branding } = await tx.sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  // The last line binds the code to this site, so that browsers and phones fill it in nowhere else.
  // It uses the portal's configured address, because a client can send any host header.
  const { hostname } = new URL(await portalAddress(tx, context, ctx));
  const text = withLanguage(await loadUserLanguage(tx, attempt.userId), () =>
    (purpose === 'sign-in' ? t.signInCode : t.confirmCode)({ code, portal: branding.name }),
  );
  await post(tx, context, { kind: 'sms', to: phone, text: `${text}\n\n@${hostname} #${code}` });
  await audit(tx, context, ctx, { what: 'sign-in.code-sent', user: attempt.userId });
  return changeAttempt(tx, attempt, {
    codeHash: codeHash(key, attempt.id, code),
    codeUntil: Math.min(now + LIMITS.codeMs, attempt.until),
    sends: attempt.sends + 1,
  });
}

/** The codes that a phone number gets in an hour. */
export const getTurns = (phone: string): Turns => ({
  kind: 'sms-turn',
  owner: `number|${phone}`,
  perHour: LIMITS.codeSends,
});

/** Returns a phone number reduced to its last two digits. */
export const maskedPhone = (phone: string): string => `••• ${phone.slice(-2)}`;
