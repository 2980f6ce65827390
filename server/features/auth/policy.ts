import type { Method } from '#contract/auth/sign-in-step.ts';
import type { ProviderSettings } from '#contract/branding/settings.ts';
import type { UserId } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';

export type Policy = NonNullable<ProviderSettings['secondFactor']>;

/**
 * What a user has besides the password. `smsAsked`: wants a code by SMS at each sign-in.
 * `phoneProven`: a code to that number was typed once.
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
 * What has to be shown after the password: one of `methods`, the best first; or set up on the way.
 */
export type Need =
  | { readonly step: 'none' }
  | { readonly step: 'phone' | 'enrol' }
  | { readonly step: 'code'; readonly methods: readonly Method[] };

/**
 * FACTOR-1. Who has something better than SMS is asked for that, and never let in with less.
 * `skipsCode`: a code by SMS is not asked for on this device; the skip holds for SMS alone.
 * `codeShown`: in this attempt. Where an authenticator is to be set up, a number that is proven is
 * asked first: who knows a password alone does not set up one for an account that had more.
 */
export function needOf(policy: Policy, owned: Owned, skipsCode: boolean, codeShown = false): Need {
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
 * The second factor of this user is a code by SMS: there is nothing better, and it is asked for.
 */
export function isBySms(policy: Policy, owned: Owned): boolean {
  const need = needOf(policy, owned, false);
  return need.step === 'code' && need.methods[0] === 'sms';
}

export async function policyOf({ tenant, sql }: TenantTx): Promise<Policy> {
  const { settings } = await sql
    .selectFrom('provider')
    .select('settings')
    .where('tenant_id', '=', tenant)
    .executeTakeFirstOrThrow();
  return settings.secondFactor ?? 'own';
}

/** Throws where there is no such user. */
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
