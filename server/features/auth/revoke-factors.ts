import type { Ms, UserId } from '#contract/ids.ts';
import { endFactorFailures } from './attempt-rate-limit.ts';
import type { TenantTx } from '../../platform/db/store.ts';

/**
 * Removes a user's authenticator, passkeys and recovery codes, and makes every device require a
 * code again. The phone number stays but counts as unproven, so that the user can enter another one
 * at sign-in. Resets the factor failure counts. Returns what the user had.
 */
export async function revokeFactors(
  tx: TenantTx,
  userId: UserId,
  now: Ms,
): Promise<readonly ('totp' | 'passkey' | 'sms')[]> {
  const { tenant, sql } = tx;
  const gone = async (table: 'totp' | 'passkey' | 'recovery_code'): Promise<boolean> =>
    Number(
      (
        await sql
          .deleteFrom(table)
          .where('tenant_id', '=', tenant)
          .where('user_id', '=', userId)
          .executeTakeFirst()
      ).numDeletedRows,
    ) > 0;
  const [totp, passkey] = [await gone('totp'), await gone('passkey')];
  await gone('recovery_code');
  const { settings } = await sql
    .selectFrom('person')
    .select('settings')
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  await sql
    .updateTable('person')
    .set({ settings: JSON.stringify({ ...settings, sms: false }), phone_updated_once: false })
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .execute();
  await sql
    .updateTable('trusted_device')
    .set({ skips_code_until: 0 })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('skips_code_until', '>', now)
    .execute();
  await endFactorFailures(tx, userId);
  return [
    ...(totp ? ['totp' as const] : []),
    ...(passkey ? ['passkey' as const] : []),
    ...(settings.sms === true ? ['sms' as const] : []),
  ];
}
