import type { Method } from '#contract/auth/sign-in-step.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { loadProviderSettings } from '../../platform/tenancy/provider-settings.ts';

export type SecondFactorPolicy = NonNullable<ProviderSettings['secondFactor']>;

/**
 * A user's factors besides the password. `smsAsked`: the user wants an SMS code at each sign-in.
 * `phoneProven`: the user has once entered a code sent to that number.
 */
export interface Owned {
  readonly totp: boolean;
  readonly passkey: boolean;
  readonly recovery: boolean;
  readonly phone: string | null;
  readonly phoneProven: boolean;
  readonly smsAsked: boolean;
}

/**
 * The step required after the password: one of `methods`, the best first, or a factor to set up.
 */
export type Need =
  | { readonly step: 'none' }
  | { readonly step: 'phone' | 'enrol' }
  | { readonly step: 'code'; readonly methods: readonly Method[] };

/**
 * FACTOR-1. A user with a better factor than SMS must use it.
 * - `skipsCode`: this device skips the SMS code, and SMS only.
 * - `codeShown`: an SMS code was verified in this attempt.
 * If an authenticator has to be set up, a proven number is verified first: a password alone must
 * not add an authenticator to an account that had another factor.
 */
export function getNeededStep(
  policy: SecondFactorPolicy,
  owned: Owned,
  skipsCode: boolean,
  codeShown = false,
): Need {
  const better: Method[] = [
    ...(owned.passkey ? ['passkey' as const] : []),
    ...(owned.totp ? ['totp' as const] : []),
  ];
  const recovery: Method[] = owned.recovery ? ['recovery'] : [];
  if (better.length > 0)
    return {
      step: 'code',
      methods: [
        ...better,
        ...(owned.smsAsked && owned.phone !== null && policy !== 'strong' ? ['sms' as const] : []),
        ...recovery,
      ],
    };
  if (policy === 'strong')
    return owned.phone !== null && owned.phoneProven && !codeShown
      ? { step: 'code', methods: ['sms'] }
      : { step: 'enrol' };
  if (policy === 'own' && !owned.smsAsked) return { step: 'none' };
  if (owned.phone === null) return { step: 'phone' };
  return skipsCode ? { step: 'none' } : { step: 'code', methods: ['sms'] };
}

/**
 * Returns whether this user's second factor is an SMS code: it is required, and there is no better
 * one.
 */
export function isBySms(policy: SecondFactorPolicy, owned: Owned): boolean {
  const need = getNeededStep(policy, owned, false);
  return need.step === 'code' && need.methods[0] === 'sms';
}

export async function loadPolicy(tx: TenantTx): Promise<SecondFactorPolicy> {
  const settings = await loadProviderSettings(tx);
  return settings.secondFactor ?? 'own';
}

/** Returns the user's factors. Throws if there is no such user. */
export async function ownedBy({ tenant, sql }: TenantTx, userId: UserId): Promise<Owned> {
  const person = await sql
    .selectFrom('person')
    .select(['mobile_phone', 'phone_updated_once', 'settings'])
    .where('tenant_id', '=', tenant)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const totp = await sql
    .selectFrom('totp')
    .select('user_id')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .executeTakeFirst();
  const passkey = await sql
    .selectFrom('passkey')
    .select('id')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  const recovery = await sql
    .selectFrom('recovery_code')
    .select('hash')
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return {
    totp: totp !== undefined,
    passkey: passkey !== undefined,
    recovery: recovery !== undefined,
    phone: person.mobile_phone,
    phoneProven: person.phone_updated_once,
    smsAsked: person.settings.sms === true,
  };
}
