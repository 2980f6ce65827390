import * as v from 'valibot';
import type { Ms, UserId } from '#contract/ids.ts';
import { LIMITS } from '#contract/limits.ts';
import { columnAhead } from '../../platform/clock-bounds.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { ATTEMPT_COOKIE, cookieOf } from '../../platform/auth/cookie.ts';
import { hashOf, makeToken, readToken } from '../../platform/auth/tokens.ts';
import type { Token } from '../../platform/auth/tokens.ts';

/**
 * What takes more than one step. `passkey`: a sign-in without a name. The last three are of a
 * signed-in user.
 */
export type AttemptKind =
  | 'sign-in'
  | 'passkey'
  | 'reauth'
  | 'passkey-new'
  | 'totp-new'
  | 'recovery'
  | 'oidc';

/**
 * `first`: what was shown already. `remember`: as the person said of this device. `challenge`: what
 * a passkey has to sign, base64url. `codeShown`: a code by SMS was, and more is to come.
 * `newPhone`: where codes of this attempt go, the user's once one is typed. `enrol`: the new
 * authenticator's secret, sealed. `session`: of a signed-in user's attempt. `counted`: in what
 * wrong codes of a way back in are counted. `mailedTo`: the address that the code was sent to.
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
 * Good for ten minutes. The token is known to who gets it and nowhere else. Those that are over are
 * forgotten.
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
      secret_hash: hashOf(token),
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

/** The attempt that the request's cookie stands for. */
export const shownAttempt = ({ request }: Pick<RequestContext, 'request'>): Token | null =>
  readToken(cookieOf(request.headers, ATTEMPT_COOKIE) ?? '');

/**
 * The living attempt of a token, its row held until the transaction ends; null where there is none,
 * or it is over.
 */
export async function heldAttempt(
  { tenant, sql }: TenantTx,
  token: Token | null,
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
    .where('secret_hash', '=', hashOf(token))
    .where('done_at', 'is', null)
    .where(columnAhead('until', now, LIMITS.attemptMs))
    .forUpdate()
    .executeTakeFirst();
  return row ? attemptOf(row) : null;
}

/** The last of its kind that a session of a signed-in user began and has not ended. */
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
  return rows.map(attemptOf).find(({ state }) => state.session === session) ?? null;
}

/** Writes what changed of it, and answers it as it stands then. */
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

/** What the device had begun before is over. */
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
const attemptOf = (row: Row): Attempt => ({
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
