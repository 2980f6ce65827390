import { createHmac } from 'node:crypto';
import type { Ms, UserId } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import type { Chance } from '../../platform/app-context.ts';

const COUNT = 10;
/** Crockford's alphabet of 32 characters, none of which look alike. Ten of them are 50 bits. */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';

const makeOne = (chance: Chance): string =>
  [...chance.bytes(10)]
    .map((byte) => SIGNS[byte & 31] ?? '')
    .join('')
    .replace(/^.{5}/, '$&-');
/** Normalizes a typed code, which may contain spaces and either case. */
const plain = (code: string): string =>
  code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
const getHash = (key: Buffer, user: UserId, code: string): string =>
  createHmac('sha256', key)
    .update(`recovery code|${user}|${plain(code)}`)
    .digest('hex');

/** Returns ten new codes and deletes the previous ones. Only hashes are stored. */
export async function renewCodes(
  { tenant, sql }: TenantTx,
  chance: Chance,
  key: Buffer,
  user: UserId,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, () => makeOne(chance));
  await dropCodes({ tenant, sql }, user);
  await sql
    .insertInto('recovery_code')
    .values(
      codes.map((code) => ({
        tenant_id: tenant,
        user_id: user,
        hash: getHash(key, user, code),
        used_at: null,
      })),
    )
    .execute();
  return codes;
}

export async function dropCodes(
  { tenant, sql }: Pick<TenantTx, 'tenant' | 'sql'>,
  user: UserId,
): Promise<void> {
  await sql
    .deleteFrom('recovery_code')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .execute();
}

/** Returns whether the code is one of the user's unused codes, and marks it as used. */
export async function consumeRecoveryCode(
  { tenant, sql }: TenantTx,
  key: Buffer,
  user: UserId,
  code: string,
  now: Ms,
): Promise<boolean> {
  const used = await sql
    .updateTable('recovery_code')
    .set({ used_at: now })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .where('hash', '=', getHash(key, user, code))
    .where('used_at', 'is', null)
    .returning('hash')
    .executeTakeFirst();
  return used !== undefined;
}

export async function codesLeft({ tenant, sql }: TenantTx, user: UserId): Promise<number> {
  const rows = await sql
    .selectFrom('recovery_code')
    .select('hash')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .where('used_at', 'is', null)
    .execute();
  return rows.length;
}
