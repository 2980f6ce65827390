import { sql as raw } from 'kysely';
import type { OidcRefusal } from '#contract/auth/oidc-errors.ts';
import type { UserId } from '#contract/ids.ts';
import { audit } from '../../platform/auth/audit.ts';
import type { RequestContext } from '../../platform/http/handler.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';

/** A user's identity at an issuer. `email` is set only if the issuer has verified it. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
}
export type FoundIdentity =
  | { readonly kind: 'user'; readonly userId: UserId }
  | { readonly kind: 'refused'; readonly why: OidcRefusal };

/**
 * Returns the user for an identity. The key is issuer and subject, which stay the same when names
 * and addresses change (G43). An unknown identity is linked to the only user with this address, if
 * both the issuer and this portal have verified the address (EMAIL-2). An unverified address
 * neither links nor makes another user's link ambiguous. There is no link if no user or several
 * users match, or if the user is already linked to another subject of that issuer.
 */
export async function userOfIdentity(
  tx: TenantTx,
  context: AppContext,
  ctx: RequestContext,
  { issuer, subject, email }: Claims,
): Promise<FoundIdentity> {
  const { tenant, sql } = tx;
  const bound = await sql
    .selectFrom('identity')
    .select('user_id')
    .where('tenant_id', '=', tenant)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  if (bound)
    return (await lives(tx, bound.user_id))
      ? { kind: 'user', userId: bound.user_id }
      : { kind: 'refused', why: 'unknown' };
  if (email === null) return { kind: 'refused', why: 'unverified' };
  const people = await sql
    .selectFrom('person')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('email_verified', '=', true)
    .where(raw<string>`lower(email)`, '=', email.trim().toLowerCase())
    .execute();
  const alive: UserId[] = [];
  for (const { id } of people) if (await lives(tx, id)) alive.push(id);
  const [userId, ...more] = alive;
  if (userId === undefined || more.length > 0) return { kind: 'refused', why: 'unknown' };
  const other = await sql
    .selectFrom('identity')
    .select('subject')
    .where('tenant_id', '=', tenant)
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (other) return { kind: 'refused', why: 'unknown' };
  await sql
    .insertInto('identity')
    .values({ tenant_id: tenant, issuer, subject, user_id: userId, made_at: ctx.now })
    .execute();
  await audit(tx, context, ctx, { what: 'identity.linked', user: userId, detail: { how: 'oidc' } });
  return { kind: 'user', userId };
}

async function lives(tx: TenantTx, id: UserId): Promise<boolean> {
  const user = (await tx.rows('user', [id])).get(id);
  return user !== undefined && user.deletedAt === null;
}
