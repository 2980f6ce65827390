import { createHash } from 'node:crypto';
import type { UserId } from '#contract/ids.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import type { WaitRule, TriedBucket } from './rate-limit.ts';
import { ADDRESS_RULE, DEVICE_RULE, strangersBuckets } from './rate-limit.ts';

/**
 * Recovery requests are rare: three for a name without a wait, then with growing waits. One is
 * forgotten every twenty minutes. A name is never locked permanently.
 */
export const RECOVERY_RULE: WaitRule = {
  quick: 3,
  maxMs: 15 * 60_000,
  max: null,
  leakMs: 20 * 60_000,
};

/**
 * Wrong codes over all attempts of a name: as many as three attempts allow, then at most four a
 * day, so that a year of guessing is hopeless (G37).
 */
const CODE_RULE: WaitRule = { quick: 15, maxMs: 6 * 3_600_000, max: null, leakMs: 6 * 3_600_000 };

/**
 * Returns the buckets of a recovery attempt: the name, whether or not it exists and separate from
 * sign-ins; the address; and the provider.
 */
export const recoveryBuckets = (username: string, ip: string): readonly TriedBucket[] => [
  { name: `recovery:${getName(username)}`, rule: RECOVERY_RULE },
  ...strangersBuckets('', ip).slice(1),
];

/**
 * The bucket for wrong codes of a name. A known device has its own bucket (`deviceCodeBucket`),
 * which other callers can't slow down.
 */
export const codeBucket = (name: string): TriedBucket => ({ name, rule: CODE_RULE });
export const codeBucketName = (username: string): string => `recovery-code:${getName(username)}`;
export const deviceCodeBucket = (device: string, userId: UserId): TriedBucket => ({
  name: `device:${device}:recovery-code:${userId}`,
  rule: DEVICE_RULE,
});

const getName = (username: string): string =>
  createHash('sha256').update(usernameKey(username)).digest('hex').slice(0, 40);

/** Reading the questions of a name reveals nothing, so only the rate is limited. */
export const askingBuckets = (ip: string): readonly TriedBucket[] =>
  strangersBuckets('', ip)
    .slice(1, 2)
    .map(({ name }) => ({ name: `asking:${name}`, rule: ADDRESS_RULE }));
