import { NOBODY } from '#server/platform/auth/nobody.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { columnAhead } from '../../platform/clock-bounds.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { AppContext } from '../../platform/app-context.ts';
import { hashToken, makeToken } from '../../platform/auth/tokens.ts';
import type { AuthToken } from '../../platform/auth/tokens.ts';

export const DEVICE_MS: Ms = 180 * 86_400_000;
/** The most recently used devices that are remembered for each user. */
const MAX_DEVICES = 100;
/**
 * Returns the id of the device if this user has signed in on it before, otherwise null. The
 * previous token stays valid until the current one is used, because the response with the new one
 * may have been lost. An older token may be stolen and is not accepted.
 */
export async function knownDevice(
  { tenant, sql }: TenantTx,
  token: AuthToken,
  userId: UserId | undefined,
  now: Ms,
): Promise<string | null> {
  const row = await sql
    .selectFrom('trusted_device')
    .select(['id', 'hash', 'previous_hash'])
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId ?? NOBODY)
    .where('id', '=', token.session)
    .where(columnAhead('until', now, DEVICE_MS))
    .executeTakeFirst();
  const hash = hashToken(token);
  return row && (row.hash === hash || row.previous_hash === hash) ? row.id : null;
}

/**
 * Remembers the device for another 180 days and returns its new token. A device that several people
 * use has one token, which is renewed for all of them.
 */
export async function keepDevice(
  { tenant, sql }: TenantTx,
  { chance }: AppContext,
  shown: AuthToken | null,
  userId: UserId,
  now: Ms,
): Promise<string> {
  await sql
    .deleteFrom('trusted_device')
    .where('tenant_id', '=', tenant)
    .where('until', '<=', now)
    .execute();
  const hash = shown && hashToken(shown);
  const users =
    shown && hash !== null
      ? await sql
          .selectFrom('trusted_device')
          .select('user_id')
          .where('tenant_id', '=', tenant)
          .where('id', '=', shown.session)
          .where((is) => is.or([is('hash', '=', hash), is('previous_hash', '=', hash)]))
          .orderBy('user_id')
          .forUpdate()
          .execute()
      : [];
  const made = makeToken(shown && users.length > 0 ? shown.session : chance.uuid(), chance);
  const next = { hash: hashToken(made.token), previous_hash: users.length > 0 ? hash : null };
  if (users.length > 0) {
    await sql
      .updateTable('trusted_device')
      .set(next)
      .where('tenant_id', '=', tenant)
      .where('id', '=', made.token.session)
      .where(
        'user_id',
        'in',
        users.map((one) => one.user_id),
      )
      .execute();
  }
  // A user who signs in here for the first time has no previous token.
  const before = users.some((one) => one.user_id === userId) ? next.previous_hash : null;
  const used = { hash: next.hash, previous_hash: before, used_at: now, until: now + DEVICE_MS };
  await sql
    .insertInto('trusted_device')
    .values({ tenant_id: tenant, user_id: userId, id: made.token.session, ...used })
    .onConflict((on) => on.columns(['tenant_id', 'user_id', 'id']).doUpdateSet(used))
    .execute();
  await sql
    .deleteFrom('trusted_device')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('id', 'in', (of) =>
      of
        .selectFrom('trusted_device')
        .select('id')
        .where('tenant_id', '=', tenant)
        .where('user_id', '=', userId)
        .orderBy('used_at', 'desc')
        .orderBy('id')
        .offset(MAX_DEVICES),
    )
    .execute();
  return made.text;
}

/** Removes this user's record of the device. */
export async function forgetDevice(
  { tenant, sql }: TenantTx,
  id: string,
  userId: UserId,
): Promise<void> {
  await sql
    .deleteFrom('trusted_device')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .execute();
}
