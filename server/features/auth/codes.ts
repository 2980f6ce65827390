import { withLanguage } from '#contract/i18n/messages.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { columnOver, isAhead } from '../../platform/clock-bounds.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { loadLanguage } from '../../platform/tenancy/reader-language.ts';
import type { Chance, AppContext } from '../../platform/app-context.ts';
import type { Attempt } from './attempts.ts';
import { changeAttempt } from './attempts.ts';
import { authMailMessages as t } from './messages.en.ts';

const TURN_MS: Ms = 3_600_000;
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
    !(await takeTurn(tx, key, `user|${attempt.userId}`, MAX_PER_USER, now)) ||
    !(await takeTurn(tx, key, `number|${phone}`, LIMITS.codeSends, now))
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
  const text = withLanguage(await loadLanguage(tx, attempt.userId), () =>
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

/**
 * Takes one of `turns` slots, each of which is free again after an hour. Concurrent requests cannot
 * exceed the limit. The owner is stored only as a keyed hash. Returns whether a slot was free.
 */
export async function takeTurn(
  { tenant, sql }: TenantTx,
  key: Buffer,
  whose: string,
  turns: number,
  now: Ms,
): Promise<boolean> {
  for (let turn = 0; turn < turns; turn += 1) {
    const hash = createHmac('sha256', key)
      .update(`sms turn|${tenant}|${whose}|${turn}`)
      .digest('hex');
    const taken = { made_at: now, until: now + TURN_MS };
    const row = await sql
      .insertInto('one_time')
      .values({
        tenant_id: tenant,
        hash,
        kind: 'sms-turn',
        user_id: null,
        data: '{}',
        used_at: null,
        ...taken,
      })
      .onConflict((on) =>
        on
          .columns(['tenant_id', 'hash'])
          .doUpdateSet(taken)
          .where(columnOver('one_time.until', now, TURN_MS)),
      )
      .returning('hash')
      .executeTakeFirst();
    if (row) return true;
  }
  return false;
}

/** Returns a phone number reduced to its last two digits. */
export const maskedPhone = (phone: string): string => `••• ${phone.slice(-2)}`;
