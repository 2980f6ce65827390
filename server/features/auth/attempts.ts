import * as v from 'valibot';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { columnAhead } from '../../platform/clock-bounds.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { ATTEMPT_COOKIE, getCookie } from '../../platform/auth/cookie.ts';
import { hashToken, makeToken, readToken } from '../../platform/auth/tokens.ts';
import type { AuthToken } from '../../platform/auth/tokens.ts';

/**
 * The flows that take more than one step. `passkey` is a sign-in without a user name. `reauth`,
 * `passkey-new` and `totp-new` belong to a signed-in user.
 */
export type AttemptKind =
  | 'sign-in'
  | 'passkey'
  | 'reauth'
  | 'passkey-new'
  | 'totp-new'
  | 'recovery'
  | 'oidc'
  | 'operator';

/**
 * - `first`: the factor that was already verified.
 * - `remember`: whether the user chose to remember this device.
 * - `challenge`: what a passkey has to sign, base64url.
 * - `codeShown`: an SMS code was verified, and another step follows.
 * - `newPhone`: the number that receives this attempt's codes; the user's own once a code is typed.
 * - `enrol`: the new authenticator's secret, sealed.
 * - `session`: the session of the signed-in user who began the attempt.
 * - `counted`: the bucket that counts wrong recovery codes.
 * - `mailedTo`: the address that received the code.
 * - `code`: a device code and its cloud, sealed; none in a sign-in on Microsoft's page.
 */
const StateSchema = v.object({
  first: v.optional(v.picklist(['password', 'directory', 'oidc'])),
  remember: v.optional(v.boolean()),
  challenge: v.optional(v.string()),
  codeShown: v.optional(v.boolean()),
  newPhone: v.optional(v.string()),
  enrol: v.optional(v.string()),
  session: v.optional(v.string()),
  counted: v.optional(v.string()),
  mailedTo: v.optional(v.string()),
  code: v.optional(v.string()),
});
export type AttemptState = v.InferOutput<typeof StateSchema>;

export interface Attempt {
  readonly id: string;
  readonly kind: string;
  readonly userId: UserId | null;
  readonly state: AttemptState;
  readonly codeHash: string | null;
  readonly codeUntil: Ms | null;
  readonly tries: number;
  readonly sends: number;
  readonly madeAt: Ms;
  readonly until: Ms;
}

/**
 * Creates an attempt that is valid for ten minutes. Only a hash of the token is stored. Deletes
 * expired attempts.
 */
export async function beginAttempt(
  { tenant, sql }: TenantTx,
  { chance }: AppContext,
  of: { readonly kind: AttemptKind; readonly userId: UserId | null; readonly state: AttemptState },
  now: Ms,
): Promise<{ readonly attempt: Attempt; readonly token: string }> {
  await sql
    .deleteFrom('attempt')
    .where('tenant_id', '=', tenant)
    .where('until', '<=', now)
    .execute();
  const { token, text } = makeToken(chance.uuid(), chance);
  const attempt: Attempt = {
    id: token.session,
    ...of,
    codeHash: null,
    codeUntil: null,
    tries: 0,
    sends: 0,
    madeAt: now,
    until: now + LIMITS.attemptMs,
  };
  await sql
    .insertInto('attempt')
    .values({
      tenant_id: tenant,
      id: attempt.id,
      kind: of.kind,
      user_id: of.userId,
      secret_hash: hashToken(token),
      state: JSON.stringify(of.state),
      code_hash: null,
      code_until: null,
      made_at: now,
      until: attempt.until,
      done_at: null,
    })
    .execute();
  return { attempt, token: text };
}

/** Returns the token in the request's attempt cookie; null if there is none. */
export const shownAttempt = ({ request }: Pick<RequestContext, 'request'>): AuthToken | null =>
  readToken(getCookie(request.headers, ATTEMPT_COOKIE) ?? '');

/**
 * Returns the open attempt for a token and locks its row until the transaction ends; null if there
 * is none, or it has expired.
 */
export async function heldAttempt(
  { tenant, sql }: TenantTx,
  token: AuthToken | null,
  kinds: readonly AttemptKind[],
  now: Ms,
): Promise<Attempt | null> {
  if (token === null) return null;
  const row = await sql
    .selectFrom('attempt')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('id', '=', token.session)
    .where('kind', 'in', [...kinds])
    .where('secret_hash', '=', hashToken(token))
    .where('done_at', 'is', null)
    .where(columnAhead('until', now, LIMITS.attemptMs))
    .forUpdate()
    .executeTakeFirst();
  return row ? getAttempt(row) : null;
}

/**
 * Returns the latest open attempt of this kind that the session of a signed-in user began; null if
 * there is none.
 */
export async function attemptOfSession(
  { tenant, sql }: TenantTx,
  kind: AttemptKind,
  userId: UserId,
  session: string,
  now: Ms,
): Promise<Attempt | null> {
  const rows = await sql
    .selectFrom('attempt')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('done_at', 'is', null)
    .where(columnAhead('until', now, LIMITS.attemptMs))
    .orderBy('made_at', 'desc')
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(getAttempt).find(({ state }) => state.session === session) ?? null;
}

/** Saves the changes and returns the updated attempt. */
export async function changeAttempt(
  { tenant, sql }: TenantTx,
  attempt: Attempt,
  change: Partial<Pick<Attempt, 'state' | 'codeHash' | 'codeUntil' | 'tries' | 'sends'>>,
): Promise<Attempt> {
  const next = { ...attempt, ...change };
  await sql
    .updateTable('attempt')
    .set({
      state: JSON.stringify(next.state),
      code_hash: next.codeHash,
      code_until: next.codeUntil,
      tries: next.tries,
      sends: next.sends,
    })
    .where('tenant_id', '=', tenant)
    .where('id', '=', attempt.id)
    .execute();
  return next;
}

export async function endAttempt({ tenant, sql }: TenantTx, id: string, now: Ms): Promise<void> {
  await sql
    .updateTable('attempt')
    .set({ done_at: now, code_hash: null })
    .where('tenant_id', '=', tenant)
    .where('id', '=', id)
    .execute();
}

/** Ends the sign-in attempt that this device began earlier. */
export async function endShown(
  tx: TenantTx,
  ask: Pick<RequestContext, 'request' | 'now'>,
): Promise<void> {
  const before = await heldAttempt(tx, shownAttempt(ask), ['sign-in', 'passkey'], ask.now);
  if (before) await endAttempt(tx, before.id, ask.now);
}

interface Row {
  id: string;
  kind: string;
  user_id: UserId | null;
  state: unknown;
  code_hash: string | null;
  code_until: Ms | null;
  tries: number;
  sends: number;
  made_at: Ms;
  until: Ms;
}
const getAttempt = (row: Row): Attempt => ({
  id: row.id,
  kind: row.kind,
  userId: row.user_id,
  state: v.parse(StateSchema, row.state),
  codeHash: row.code_hash,
  codeUntil: row.code_until,
  tries: row.tries,
  sends: row.sends,
  madeAt: row.made_at,
  until: row.until,
});
