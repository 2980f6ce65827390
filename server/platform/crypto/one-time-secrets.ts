import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Ms, UserId } from '#contract/ids.ts';
import { SKEW_MS } from '../clock-bounds.ts';
import type { OneTimeTable } from '../db/database-account.ts';
import type { TenantTx } from '../db/store.ts';
import type { AppContext } from '../app-context.ts';

/** A stored one-time secret. */
export type OneTime = Selectable<OneTimeTable>;

/**
 * Creates a one-time secret, valid for `forMs`, and returns it in base64url. Stores only its hash.
 * Deletes secrets that expired long ago.
 */
export async function makeOneTime(
  { tenant, sql }: TenantTx,
  { chance }: AppContext,
  kind: string,
  userId: UserId | null,
  data: Readonly<Record<string, unknown>>,
  now: Ms,
  forMs: Ms,
): Promise<string> {
  await sql
    .deleteFrom('one_time')
    .where('tenant_id', '=', tenant)
    .where('until', '<', now - KEEP_MS)
    .execute();
  const secret = Buffer.from(chance.bytes(32)).toString('base64url');
  await sql
    .insertInto('one_time')
    .values({
      tenant_id: tenant,
      hash: hashed(secret),
      kind,
      user_id: userId,
      data: JSON.stringify(data),
      made_at: now,
      until: now + forMs,
      used_at: null,
    })
    .execute();
  return secret;
}

/** Returns null if the secret is unknown, of another kind, used or expired. */
export async function readOneTime(
  { tenant, sql }: TenantTx,
  kind: string,
  secret: string,
  now: Ms,
): Promise<OneTime | null> {
  return (
    (await sql
      .selectFrom('one_time')
      .selectAll()
      .where('tenant_id', '=', tenant)
      .where('hash', '=', hashed(secret))
      .where('kind', '=', kind)
      .where('used_at', 'is', null)
      .where('until', '>', now)
      .where('made_at', '<=', now + SKEW_MS)
      .executeTakeFirst()) ?? null
  );
}

/** The same, and marks it as used. Of two concurrent attempts, one succeeds. */
export async function useOneTime(
  { tenant, sql }: TenantTx,
  kind: string,
  secret: string,
  now: Ms,
): Promise<OneTime | null> {
  return (
    (await sql
      .updateTable('one_time')
      .set({ used_at: now })
      .where('tenant_id', '=', tenant)
      .where('hash', '=', hashed(secret))
      .where('kind', '=', kind)
      .where('used_at', 'is', null)
      .where('until', '>', now)
      .where('made_at', '<=', now + SKEW_MS)
      .returningAll()
      .executeTakeFirst()) ?? null
  );
}

/** Invalidates all password links that were sent to this user. */
export async function endLinks({ tenant, sql }: TenantTx, userId: UserId, now: Ms): Promise<void> {
  await sql
    .updateTable('one_time')
    .set({ used_at: now })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('kind', '=', 'password')
    .where('used_at', 'is', null)
    .execute();
}

const KEEP_MS: Ms = 86_400_000;
const hashed = (secret: string): string => createHash('sha256').update(secret).digest('hex');
