import { createHash } from 'node:crypto';
import { sql as raw } from 'kysely';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { failed, type Result } from '#contract/result.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { isUsernameTaken } from '#server/platform/auth/usernames.ts';
import { seal, unseal, type SecretRef } from '#server/platform/crypto/vault.ts';
import type { TenantTx } from '#server/platform/db/store.ts';
import type { RequestContext } from '#server/platform/http/handler.ts';
import { post } from '#server/platform/mail/queue-mail.ts';
import { takeTurn } from '#server/platform/rate-limit/per-hour.ts';
import { loadBranding } from '#server/platform/tenancy/branding.ts';
import { portalAddress } from '#server/platform/tenancy/portal-address.ts';
import { signUpMailMessages as t } from './messages.en.ts';
import type { SignUpRow } from './provision.ts';

/** An abandoned sign-up expires after this time without a step. */
export const VALID_MS: Ms = 7 * 86_400_000;
const TOKEN_BYTES = 32;
/** Emails to one address. All of them have the same link. */
const MAILS_PER_HOUR = 3;

/** `key`: hashes the addresses whose emails are counted. */
export interface SignUpContext extends RequestContext {
  readonly key: Buffer;
}

export const LINK_OVER: Result<never> = failed({
  kind: 'not-found',
  message: MESSAGES.signUpOver,
});

/** Returns the sign-up of a link; null if there is none or it has expired. */
export async function findSignUp(
  { sql, tenant }: TenantTx,
  hash: string,
  now: Ms,
): Promise<SignUpRow | null> {
  const row = await sql
    .selectFrom('sign_up')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('token_hash', '=', hashToken(hash))
    .where('until', '>', now)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the sign-up of an address that has no account yet. */
async function findPending(
  { sql, tenant }: TenantTx,
  email: string,
  now: Ms,
): Promise<SignUpRow | null> {
  const row = await sql
    .selectFrom('sign_up')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('email_key', '=', toKey(email))
    .where('until', '>', now)
    .where('ready_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}

export const updateSignUp = (
  { sql, tenant }: TenantTx,
  { id }: SignUpRow,
  next: Partial<SignUpRow>,
): Promise<unknown> =>
  sql
    .updateTable('sign_up')
    .set(next)
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();

/**
 * Stores a registration and emails its link. If the address has one already, the email repeats its link,
 * and nothing of it changes. A known address gets an email that leads to the sign-in (G36).
 */
export async function register(
  tx: TenantTx,
  context: AppContext,
  ctx: SignUpContext,
  details: Pick<SignUpRow, 'email' | 'name' | 'company' | 'level'>,
): Promise<void> {
  if (await sendAgain(tx, context, ctx, details.email)) return;
  const id = context.chance.uuid();
  const token = makeToken(context);
  const row = {
    ...details,
    id,
    password_hash: '',
    token_hash: hashToken(token),
    sealed_token: await seal(tx, context, placeToken(id), token),
    made_at: ctx.now,
    until: ctx.now + VALID_MS,
    verified_at: null,
    captcha_at: null,
    session_id: null,
    ready_at: null,
  };
  await tx.sql
    .insertInto('sign_up')
    .values({ tenant_id: tx.tenant, email_key: toKey(details.email), ...row })
    .onConflict((on) => on.columns(['tenant_id', 'email_key']).doUpdateSet(row))
    .execute();
  await sendLink(tx, context, ctx, { email: details.email, token });
}

/** Returns false if the address is neither known nor registered. */
export async function sendAgain(
  tx: TenantTx,
  context: AppContext,
  ctx: SignUpContext,
  email: string,
): Promise<boolean> {
  if (await isKnown(tx, email)) {
    await sendLink(tx, context, ctx, { email, token: null });
    return true;
  }
  const row = await findPending(tx, email, ctx.now);
  if (row === null) return false;
  await updateSignUp(tx, row, { until: ctx.now + VALID_MS });
  await sendLink(tx, context, ctx, { email: row.email, token: await loadToken(tx, context, row) });
  return true;
}

/** A sign-up of a former version has no sealed link: it gets a new one. */
async function loadToken(tx: TenantTx, context: AppContext, row: SignUpRow): Promise<string> {
  if (row.sealed_token !== null) return unseal(tx, context, placeToken(row.id), row.sealed_token);
  const token = makeToken(context);
  await updateSignUp(tx, row, {
    token_hash: hashToken(token),
    sealed_token: await seal(tx, context, placeToken(row.id), token),
  });
  return token;
}

const placeToken = (row: string): SecretRef => ({ table: 'sign_up', column: 'sealed_token', row });
const toKey = (email: string): string => email.trim().toLowerCase();
const makeToken = ({ chance }: AppContext): string =>
  `s-${Buffer.from(chance.bytes(TOKEN_BYTES)).toString('base64url')}`;
const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

async function isKnown(tx: TenantTx, email: string): Promise<boolean> {
  if (await isUsernameTaken(tx, email, null)) return true;
  const row = await tx.sql
    .selectFrom('person')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(raw<string>`lower(email)`, '=', toKey(email))
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Emails the link of a sign-up, or to a known address the one to sign in. Neither beyond the limit of the
 * address, and nobody learns of that.
 */
async function sendLink(
  tx: TenantTx,
  context: AppContext,
  ctx: SignUpContext,
  { email, token }: { readonly email: string; readonly token: string | null },
): Promise<void> {
  const turns = { kind: 'sign-up-turn', owner: toKey(email), perHour: MAILS_PER_HOUR } as const;
  if (!(await takeTurn(tx, ctx.key, turns, ctx.now))) return;
  const { title: portal } = await loadBranding(tx);
  const path = token === null ? '/login' : `/o365/register/${token}`;
  await post(tx, context, {
    kind: 'mail',
    to: email,
    subject: t.subject({ portal }),
    text: [
      t.hello,
      token === null ? t.known({ portal }) : t.verify({ portal }),
      `${await portalAddress(tx, context, ctx)}${path}`,
      t.ignore,
    ].join('\n\n'),
  });
}

/** Deletes the sign-ups that were abandoned. */
export const deleteExpiredSignUps = async ({ sql, tenant }: TenantTx, now: Ms): Promise<void> => {
  await sql
    .deleteFrom('sign_up')
    .where('tenant_id', '=', tenant)
    .where('until', '<', now)
    .execute();
};
