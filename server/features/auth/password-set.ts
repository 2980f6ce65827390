import type { Ms, UserId } from '#contract/ids.ts';
import { revokeSessions } from '../../platform/auth/revoke-sessions.ts';
import { endLinks } from '../../platform/crypto/one-time-secrets.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import { endFailures } from './rate-limit.ts';

/**
 * Completes a password change by the user: clears the "must change" flag, ends all sessions but
 * `except`, invalidates reset links and resets the failure counts. `hash` is null if the directory
 * stores the password. Without `except` the user recovered access, so every device needs a code
 * again.
 */
export async function passwordChosen(
  tx: TenantTx,
  userId: UserId,
  hash: string | null,
  now: Ms,
  except: string | null = null,
): Promise<void> {
  const { tenant, sql } = tx;
  const { username } = await sql
    .updateTable('person')
    .set({
      ...(hash === null ? {} : { password_hash: hash }),
      password_reset: false,
      password_at: now,
    })
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .returning('username')
    .executeTakeFirstOrThrow();
  await revokeSessions(tx, userId, now, except);
  await endLinks(tx, userId, now);
  if (except === null)
    await sql
      .updateTable('trusted_device')
      .set({ skips_code_until: 0 })
      .where('tenant_id', '=', tenant)
      .where('user_id', '=', userId)
      .execute();
  await endFailures(tx, usernameKey(username), userId);
}
