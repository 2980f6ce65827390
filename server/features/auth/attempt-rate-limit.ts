import type { Ms, UserId } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { ACCOUNT_RULE, countTry, DEVICE_RULE, forgive, strangersBuckets } from './rate-limit.ts';
import type { Refusal, Tried } from './rate-limit.ts';

/** What a try was counted in: forgiven when it turns out right. */
export interface Counted {
  readonly tried: readonly Tried[];
  readonly outcome: Refusal | { readonly last: boolean };
}

/** Counted on the known device alone; where that has used up its own row, like any other's. */
export async function countedTry(
  tx: TenantTx,
  own: Tried | null,
  strangers: readonly Tried[],
  now: Ms,
): Promise<Counted> {
  if (own !== null) {
    const outcome = await countTry(tx, [own], now);
    if (!('closed' in outcome) || !outcome.closed) return { tried: [own], outcome };
  }
  return { tried: strangers, outcome: await countTry(tx, strangers, now) };
}

/**
 * Wrong codes and passkeys of an account, from devices that are not known: a count apart from that
 * of passwords.
 */
export const factorBucket = (userId: UserId): Tried => ({
  name: `factor:${userId}`,
  rule: ACCOUNT_RULE,
});
const deviceFactorBucket = (device: string, userId: UserId): Tried => ({
  name: `device:${device}:factor:${userId}`,
  rule: DEVICE_RULE,
});

/**
 * A code or a passkey of an account is about to be looked at (G37). `device`: the known one on
 * which it is.
 */
export const countFactor = (
  tx: TenantTx,
  userId: UserId,
  device: string | null,
  ip: string,
  now: Ms,
): Promise<Counted> =>
  countedTry(
    tx,
    device === null ? null : deviceFactorBucket(device, userId),
    [factorBucket(userId), ...strangersBuckets('', ip).slice(1)],
    now,
  );

/** It was right. */
export const forgiveFactor = (
  tx: TenantTx,
  { tried }: Counted,
  userId: UserId,
  device: string | null,
  now: Ms,
): Promise<void> =>
  forgive(
    tx,
    device === null
      ? tried
      : [deviceFactorBucket(device, userId), ...tried.filter(({ rule }) => rule !== DEVICE_RULE)],
    factorBucket(userId),
    now,
  );

/**
 * Ends what was counted of wrong codes and passkeys against an account. Answers how long the rows
 * were.
 */
export async function endFactorFailures(
  { tenant, sql }: TenantTx,
  userId: UserId,
): Promise<readonly number[]> {
  const ended = await sql
    .deleteFrom('throttle')
    .where('tenant_id', '=', tenant)
    .where((one) =>
      one.or([
        one('bucket', '=', factorBucket(userId).name),
        one('bucket', 'like', `device:%:factor:${userId}`),
      ]),
    )
    .returning('failures')
    .execute();
  return ended.map(({ failures }) => failures);
}
