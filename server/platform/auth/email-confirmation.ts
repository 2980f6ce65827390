import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { withLanguage } from '#contract/i18n/messages.ts';
import { HOUR_MS } from '#contract/time/durations.ts';
import { loadBranding } from '../tenancy/branding.ts';
import { loadUserLanguage } from '../tenancy/reader-language.ts';
import type { RequestContext } from '../http/handler.ts';
import { makeOneTime } from '../crypto/one-time-secrets.ts';
import { post } from '../mail/queue-mail.ts';
import { portalAddress } from '../tenancy/portal-address.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';
import { accountMailMessages as t } from './messages.en.ts';

/** The kind of a link that confirms an email address. */
export const EMAIL_LINK = 'email';

/**
 * Returns how long to wait until another link may be sent to this user; 0 if now. Limits how much
 * mail a user can cause by typing addresses.
 */
export async function waitForEmailLink(
  { tenant, sql }: TenantTx,
  userId: UserId,
  now: Ms,
): Promise<Ms> {
  const sent = await sql
    .selectFrom('one_time')
    .select('made_at')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('kind', '=', EMAIL_LINK)
    .where('made_at', '>', now - HOUR_MS)
    .orderBy('made_at', 'desc')
    .limit(LIMITS.emailLinksPerHour)
    .execute();
  return sent.length < LIMITS.emailLinksPerHour ? 0 : (sent.at(-1)?.made_at ?? now) + HOUR_MS - now;
}

/**
 * Mails a link that confirms this address. Sends nothing if too many were sent in the last hour.
 */
export async function sendEmailLink(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext,
  userId: UserId,
  address: string,
): Promise<void> {
  if ((await waitForEmailLink(tx, userId, ctx.now)) > 0) return;
  const secret = await makeOneTime(
    tx,
    context,
    EMAIL_LINK,
    userId,
    { address },
    ctx.now,
    LIMITS.emailLinkMs,
  );
  const link = `${await portalAddress(tx, context, ctx)}/confirm-email#${secret}`;
  const portal = (await loadBranding(tx)).name.replace(/[\s\p{Cc}]+/gu, ' ');
  await post(tx, context, {
    kind: 'mail',
    to: address,
    ...withLanguage(await loadUserLanguage(tx, userId), () => confirmationMail(portal, link)),
  });
}

/** Invalidates links for the previous address after a change. */
export async function endEmailLinks(
  { tenant, sql }: TenantTx,
  userId: UserId,
  now: Ms,
): Promise<void> {
  await sql
    .updateTable('one_time')
    .set({ used_at: now })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('kind', '=', EMAIL_LINK)
    .where('used_at', 'is', null)
    .execute();
}

/** Returns until when a link sent to this user is valid; null if none is. */
export async function emailLinkUntil(
  { tenant, sql }: TenantTx,
  userId: UserId,
  now: Ms,
): Promise<Ms | null> {
  const { until } = await sql
    .selectFrom('one_time')
    .select((e) => e.fn.max('until').as('until'))
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('kind', '=', EMAIL_LINK)
    .where('used_at', 'is', null)
    .where('until', '>', now)
    .executeTakeFirstOrThrow();
  return until;
}

/** Returns whether the address that received a link is still the one on record. */
export async function hasAddress(
  { tenant, sql }: TenantTx,
  userId: UserId,
  mailedTo: unknown,
): Promise<boolean> {
  const person = await sql
    .selectFrom('person')
    .select('email')
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .executeTakeFirst();
  return typeof mailedTo === 'string' && person?.email === mailedTo;
}

/**
 * Marks the address as verified if it is still the one on record. `mailedTo`: the address that
 * received the link or code. Returns whether it is.
 */
export async function verifyEmail(
  { tenant, sql }: TenantTx,
  userId: UserId,
  mailedTo: unknown,
): Promise<boolean> {
  if (typeof mailedTo !== 'string') return false;
  const verified = await sql
    .updateTable('person')
    .set({ email_verified: true })
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .where('email', '=', mailedTo)
    .executeTakeFirst();
  return verified.numUpdatedRows > 0n;
}

/** Returns the address for mail with portal content: the user's address, once verified. */
export async function loadMailAddress(
  { tenant, sql }: TenantTx,
  userId: UserId,
): Promise<string | null> {
  const person = await sql
    .selectFrom('person')
    .select('email')
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .where('email_verified', '=', true)
    .executeTakeFirst();
  return person?.email || null;
}

/** Returns the unverified address of a user, in lower case; null if there is none. */
export async function loadUnverifiedAddress(
  { tenant, sql }: TenantTx,
  userId: UserId,
): Promise<string | null> {
  const person = await sql
    .selectFrom('person')
    .select('email')
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .where('email_verified', '=', false)
    .executeTakeFirst();
  return person?.email?.toLowerCase() ?? null;
}

/** Goes to an address that the user typed. The address counts only after its reader confirms it. */
const confirmationMail = (
  portal: string,
  link: string,
): { readonly subject: string; readonly text: string } => ({
  subject: t.confirmSubject({ portal }),
  text: `${[t.confirmAddress({ portal }), link, t.confirmNotYours].join('\n\n')}\n`,
});
