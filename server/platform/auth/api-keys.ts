import type { Selectable } from 'kysely';
import type { ApiKey } from '#contract/auth/api-key-calls.ts';
import type { ApiKeyId, UserId } from '#contract/ids.ts';
import { utcDay } from '#contract/time/day.ts';
import { mailAccount } from './account-mail.ts';
import { audit } from './audit.ts';
import type { AuditSource } from './audit.ts';
import type { SessionContext } from '../http/handler.ts';
import type { ApiKeyTable } from '../db/database-account.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';
import { accountMailMessages as t } from './messages.en.ts';

/** Returns the keys of a user as the user and administrators see them. */
export async function loadApiKeys({ tenant, sql }: TenantTx, user: UserId): Promise<ApiKey[]> {
  return (
    await sql
      .selectFrom('api_key')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('user_id', '=', user)
      .orderBy('made_at', 'desc')
      .orderBy('id')
      .execute()
  ).map(shownKey);
}

export const shownKey = ({
  id,
  name,
  abilities,
  hint,
  made_at: madeAt,
  until,
  used_at: usedAt,
  used_from: usedFrom,
}: Selectable<ApiKeyTable>): ApiKey => ({
  id,
  name,
  abilities: [...abilities],
  hint,
  madeAt,
  until,
  usedOn: usedAt === null ? null : utcDay(usedAt),
  usedFrom: usedFrom === '' ? null : usedFrom,
});

/** Revokes one key of a user. Returns false if there is none. */
export async function revokeKey(
  tx: TenantTx,
  context: AppContext,
  ctx: SessionContext,
  user: UserId,
  key: ApiKeyId,
): Promise<boolean> {
  const gone = await tx.sql
    .deleteFrom('api_key')
    .where('tenant_id', '=', tx.tenant)
    .where('user_id', '=', user)
    .where('id', '=', key)
    .returning('name')
    .executeTakeFirst();
  if (!gone) return false;
  await audit(tx, context, ctx, { what: 'api-key.revoked', user, detail: { apiKey: key } });
  await tellOfKey(
    tx,
    context,
    user,
    ctx.session.userId === user
      ? () => t.apiKeyRevoked({ name: gone.name })
      : () => t.apiKeyRevokedByAdmin({ name: gone.name }),
  );
  return true;
}

/**
 * Revokes all keys of a user (KEY-5), so that an account that is secured again has no way in left.
 */
export async function endUserKeys(
  tx: TenantTx,
  context: AppContext,
  ctx: AuditSource,
  user: UserId,
  details: boolean,
): Promise<void> {
  const count = await deleteUserKeys(tx, user);
  if (count === 0) return;
  await audit(tx, context, ctx, { what: 'api-keys.ended', user, detail: { count } });
  if (details) await tellOfKey(tx, context, user, () => t.apiKeysEnded);
}

/**
 * Deletes all keys of a user without an audit record or a mail, for callers that write their own.
 * Returns how many there were.
 */
export const deleteUserKeys = async ({ sql, tenant }: TenantTx, user: UserId): Promise<number> =>
  (
    await sql
      .deleteFrom('api_key')
      .where('tenant_id', '=', tenant)
      .where('user_id', '=', user)
      .returning('id')
      .execute()
  ).length;

/** The names of keys are the user's own words. */
export const tellOfKey = (
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  what: () => string,
): Promise<void> =>
  mailAccount(tx, context, user, (portal) => ({
    subject: t.apiKeysSubject({ portal }),
    what: what(),
    ifNot: t.notYouApiKeys,
  }));
