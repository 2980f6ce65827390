import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { isAhead } from '../../platform/clock-bounds.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { endShown } from './attempts.ts';
import { COOKIE, getCookie, DEVICE_COOKIE } from '../../platform/auth/cookie.ts';
import { forgetDevice, keepDevice } from './devices.ts';
import { endSession, openSession } from '../../platform/auth/sessions.ts';
import type { IssuedSession } from '../../platform/auth/sessions.ts';
import { hashToken, readToken } from '../../platform/auth/tokens.ts';
import type { AuthToken } from '../../platform/auth/tokens.ts';

/** `device`: the device's new token; null if it should not be remembered. */
export interface SignedIn {
  readonly kind: 'in';
  readonly opened: IssuedSession;
  readonly device: string | null;
  readonly recoveryCodes?: readonly string[];
}

/** Returns the device token in the request's cookie; null if there is none. */
export const shownDevice = ({ request }: Pick<RequestContext, 'request'>): AuthToken | null =>
  readToken(getCookie(request.headers, DEVICE_COOKIE) ?? '');

/**
 * `how`: the verified factors, such as `password+totp`. `known`: the device's id if this user has
 * signed in on it before. `skippedSecondFactor`: the device skipped the SMS code.
 */
export interface VerifiedFactors {
  readonly userId: UserId;
  readonly how: string;
  readonly skippedSecondFactor?: boolean;
  readonly remember: boolean | undefined;
  readonly known: string | null;
}

/**
 * Opens a session that replaces the device's previous one (AUTH-6), and remembers the device if the
 * user wants it.
 */
export async function openHere(
  tx: TenantTx,
  context: AppContext,
  key: Buffer,
  ctx: RequestContext,
  { userId, how, skippedSecondFactor = false, remember, known }: VerifiedFactors,
): Promise<SignedIn> {
  const { now, ip, request } = ctx;
  await endShown(tx, ctx);
  await endFormer(tx, ctx);
  const agent = (request.headers.get('user-agent') ?? '').slice(0, 200);
  const opened = await openSession(tx, context, key, {
    userId,
    now,
    ip,
    agent,
    how,
    fresh: !skippedSecondFactor,
  });
  await audit(tx, context, ctx, {
    what: 'sign-in.done',
    user: userId,
    detail: { how, device: known === null ? 'new' : 'known' },
  });
  if (remember === false) {
    if (known !== null) await forgetDevice(tx, known, userId);
    return { kind: 'in', opened, device: null };
  }
  // The device is remembered unless the user says that it is not theirs. This only gives it its own
  // failure count.
  const device = await keepDevice(tx, context, shownDevice(ctx), userId, now);
  // A password alone never makes a device skip SMS codes.
  if (remember === true && how.includes('+')) await skipCodes(tx, readToken(device), userId, now);
  return { kind: 'in', opened, device };
}

/** Lets this device skip the user's SMS codes for 30 days. */
async function skipCodes(
  { tenant, sql }: TenantTx,
  device: AuthToken | null,
  userId: UserId,
  now: Ms,
): Promise<void> {
  if (device === null) return;
  await sql
    .updateTable('trusted_device')
    .set({ skips_code_until: now + LIMITS.rememberMs })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('id', '=', device.session)
    .execute();
}

/** Returns whether this device skips the SMS code. Its token must already be known. */
export async function skipsCode(
  { tenant, sql }: TenantTx,
  device: string | null,
  userId: UserId,
  now: Ms,
): Promise<boolean> {
  if (device === null) return false;
  const row = await sql
    .selectFrom('trusted_device')
    .select('skips_code_until')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('id', '=', device)
    .executeTakeFirst();
  return row !== undefined && isAhead(row.skips_code_until, now, LIMITS.rememberMs);
}

/** Ends the session that the device's cookie still opens; a new sign-in replaces it (AUTH-6). */
export async function endFormer(
  tx: TenantTx,
  { request, now }: Pick<RequestContext, 'request' | 'now'>,
): Promise<void> {
  const former = readToken(getCookie(request.headers, COOKIE) ?? '');
  if (!former) return;
  const row = await tx.sql
    .selectFrom('session')
    .select(['refresh_hash', 'previous_refresh_hash'])
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', former.session)
    .executeTakeFirst();
  // The one before, if the answer with the current one was lost.
  const hash = hashToken(former);
  if (row?.refresh_hash === hash || row?.previous_refresh_hash === hash)
    await endSession(tx, former.session, now);
}
