import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Ms } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { columnOver, isAhead } from '../../platform/clock-bounds.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import { post } from '../../platform/mail/queue-mail.ts';
import { portalAddress } from '../../platform/tenancy/portal-address.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { Chance, AppContext } from '../../platform/app-context.ts';
import type { Attempt } from './attempts.ts';
import { changeAttempt } from './attempts.ts';

const TURN_MS: Ms = 3_600_000;
const MOST_OF_USER = 10;
/** Below it every code is as likely as any other. */
const EVEN = 2 ** 32 - (2 ** 32 % 1_000_000);

/** Six digits by chance, each code as likely as any other. */
export function makeCode(chance: Chance): string {
  for (;;) {
    const value = Buffer.from(chance.bytes(4)).readUInt32BE();
    if (value < EVEN) return String(value % 1_000_000).padStart(6, '0');
  }
}

/**
 * All that is kept of a code: good in its attempt alone, and no use to who reads the database
 * without the server's key (G38).
 */
export const codeHash = (key: Buffer, attempt: string, code: string): string =>
  createHmac('sha256', key).update(`sign-in code|${attempt}|${code}`).digest('hex');

/** There is no code that could be typed any more. */
export const codeOver = ({ codeHash: kept, codeUntil }: Attempt, now: Ms): boolean =>
  kept === null || codeUntil === null || !isAhead(codeUntil, now, LIMITS.codeMs);

export function rightCode(key: Buffer, attempt: Attempt, code: string, now: Ms): boolean {
  const { id, codeHash: kept } = attempt;
  return (
    !codeOver(attempt, now) &&
    kept !== null &&
    timingSafeEqual(Buffer.from(kept, 'hex'), Buffer.from(codeHash(key, id, code), 'hex'))
  );
}

/**
 * Sends a fresh code, which takes the place of one before it. Null where no more go out: three for
 * an attempt, three an hour for a number, whoever asks, and ten an hour for a user, whatever the
 * numbers. `to`: what it is for, before the portal's name.
 */
export async function sendCode(
  tx: TenantTx,
  world: AppContext,
  key: Buffer,
  ctx: RequestContext,
  attempt: Attempt,
  phone: string,
  to = 'sign in to',
): Promise<Attempt | null> {
  const { now } = ctx;
  if (attempt.sends >= LIMITS.codeSends) return null;
  if (
    !(await takeTurn(tx, key, `user|${attempt.userId}`, MOST_OF_USER, now)) ||
    !(await takeTurn(tx, key, `number|${phone}`, LIMITS.codeSends, now))
  )
    return null;
  const code = makeCode(world.chance);
  const { branding } = await tx.sql
    .selectFrom('provider')
    .select('branding')
    .where('tenant_id', '=', tx.tenant)
    .executeTakeFirstOrThrow();
  // The last line binds the code to this site: browsers and phones fill it in nowhere else. The
  // host that was asked may be anybody's.
  const { hostname } = new URL(await portalAddress(tx, world, ctx));
  const text = `${code} is your code to ${to} ${branding.name}. It is good for five minutes. Give it to nobody.\n\n@${hostname} #${code}`;
  await post(tx, world, { kind: 'sms', to: phone, text });
  await audit(tx, world, ctx, { what: 'sign-in.code-sent', user: attempt.userId });
  return changeAttempt(tx, attempt, {
    codeHash: codeHash(key, attempt.id, code),
    codeUntil: Math.min(now + LIMITS.codeMs, attempt.until),
    sends: attempt.sends + 1,
  });
}

/**
 * So many turns, each free again an hour after it was taken: never more in any hour, also where
 * many ask at once. Whose turns they are stands as a keyed hash.
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

/** A number by its last two digits. */
export const maskedPhone = (phone: string): string => `••• ${phone.slice(-2)}`;
