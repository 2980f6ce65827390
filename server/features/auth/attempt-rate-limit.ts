import type { Ms, UserId } from '#contract/ids.ts';
import type { TenantTx } from '../../platform/db/store.ts';
import { ACCOUNT_RULE, countTry, DEVICE_RULE, forgive, strangersBuckets } from './rate-limit.ts';
import type { AttemptRefusal, TriedBucket } from './rate-limit.ts';

/** The buckets in which a try was counted. Pass it to `forgiveFactor` when the try succeeds. */
export interface CountedAttempt {
  readonly tried: readonly TriedBucket[];
  readonly outcome: AttemptRefusal | { readonly last: boolean };
}

/**
 * Counts a try in the known device's own bucket only. Once that bucket is closed, the try counts
 * like one from an unknown device.
 */
export async function countedTry(
  tx: TenantTx,
  own: TriedBucket | null,
  strangers: readonly TriedBucket[],
  now: Ms,
): Promise<CountedAttempt> {
  if (own !== null) {
    const outcome = await countTry(tx, [own], now);
    if (!('closed' in outcome) || !outcome.closed) return { tried: [own], outcome };
  }
  return { tried: strangers, outcome: await countTry(tx, strangers, now) };
}

/**
 * The bucket for wrong codes and passkeys of an account from unknown devices. It is separate from
 * the bucket for passwords.
 */
export const factorBucket = (userId: UserId): TriedBucket => ({
  name: `factor:${userId}`,
  rule: ACCOUNT_RULE,
});
const deviceFactorBucket = (device: string, userId: UserId): TriedBucket => ({
  name: `device:${device}:factor:${userId}`,
  rule: DEVICE_RULE,
});

/**
 * Counts a try before its code or passkey is checked (G37). `device` is the id of the known device,
 * or null.
 */
export const countFactor = (
  tx: TenantTx,
  userId: UserId,
  device: string | null,
  ip: string,
  now: Ms,
): Promise<CountedAttempt> =>
  countedTry(
    tx,
    device === null ? null : deviceFactorBucket(device, userId),
    [factorBucket(userId), ...strangersBuckets('', ip).slice(1)],
    now,
  );

/** Resets the counts after a correct code or passkey. */
export const forgiveFactor = (
  tx: TenantTx,
  { tried }: CountedAttempt,
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

/** Deletes the failure counts of an account's codes and passkeys. Returns the deleted counts. */
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
