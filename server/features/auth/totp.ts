import { generateURI, ScureBase32Plugin, verifySync } from 'otplib';
import type { Ms, UserId } from '#contract/ids.ts';
import { SKEW_MS } from '../../platform/clock-bounds.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { seal, unseal } from '../../platform/crypto/vault.ts';
import type { Chance, AppContext } from '../../platform/app-context.ts';

const STEP_S = 30;
const getSecretRef = (user: UserId) => ({ table: 'totp', column: 'sealed', row: user });

/** Returns a secret of 160 bits, base32. */
export const newSecret = (chance: Chance): string =>
  new ScureBase32Plugin().encode(chance.bytes(20), { padding: false });

/**
 * Returns the address that an authenticator scans: RFC 6238 with the widely supported parameters,
 * SHA-1, six digits, 30 seconds.
 */
export const getUri = (secret: string, issuer: string, label: string): string =>
  generateURI({ issuer, label, secret, period: STEP_S });

/**
 * Returns the time step of a code, including one before and one after the current step; null if the
 * code is wrong or not later than `after`.
 */
export function stepOfCode(secret: string, code: string, now: Ms, after: number): number | null {
  const epoch = Math.floor(now / 1_000);
  const present = Math.floor(epoch / STEP_S);
  if (!/^\d{6}$/.test(code) || after > present) return null;
  const outcome = verifySync({
    secret,
    token: code,
    epoch,
    epochTolerance: STEP_S,
    afterTimeStep: after,
  });
  return outcome.valid ? present + outcome.delta : null;
}

/**
 * Returns whether it is a valid code of the user's authenticator. Each code is accepted once; it
 * and all earlier ones are used up.
 */
export async function useTotp(
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  code: string,
  now: Ms,
): Promise<boolean> {
  const { tenant, sql } = tx;
  const row = await sql
    .selectFrom('totp')
    .select(['sealed', 'last_step'])
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .where('confirmed_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  // A step too far in the future was used while the clock was wrong, so it must not block current
  // codes.
  const lastStep = row.last_step * STEP_S * 1_000 > now + SKEW_MS ? 0 : row.last_step;
  const step = stepOfCode(
    await unseal(tx, context, getSecretRef(user), row.sealed),
    code,
    now,
    lastStep,
  );
  if (step === null) return false;
  await sql
    .updateTable('totp')
    .set({ last_step: step })
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .execute();
  return true;
}

/**
 * Stores the user's authenticator and replaces the previous one. `step` is that of the code that
 * confirmed it.
 */
export async function keepTotp(
  tx: TenantTx,
  context: AppContext,
  user: UserId,
  secret: string,
  step: number,
  now: Ms,
): Promise<void> {
  const stored = {
    sealed: await seal(tx, context, getSecretRef(user), secret),
    confirmed_at: now,
    last_step: step,
  };
  await tx.sql
    .insertInto('totp')
    .values({ tenant_id: tx.tenant, user_id: user, ...stored })
    .onConflict((on) => on.columns(['tenant_id', 'user_id']).doUpdateSet(stored))
    .execute();
}

/** Seals a secret for its attempt only, until the user confirms it. */
export const sealForAttempt = (
  tx: TenantTx,
  context: AppContext,
  attempt: string,
  secret: string,
): Promise<string> =>
  seal(tx, context, { table: 'attempt', column: 'state', row: attempt }, secret);
export const unsealForAttempt = (
  tx: TenantTx,
  context: AppContext,
  attempt: string,
  sealed: string,
): Promise<string> =>
  unseal(tx, context, { table: 'attempt', column: 'state', row: attempt }, sealed);
