import { createHash } from 'node:crypto';
import type { Failure } from '#contract/errors.ts';
import type { Ms, UserId } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { usernameKey } from '../../platform/auth/usernames.ts';
import type { Rule, Tried } from './rate-limit.ts';
import { ADDRESS_RULE, DEVICE_RULE, strangersBuckets } from './rate-limit.ts';

/**
 * Ways back in are asked for seldom: three of a name at once, then slower and slower; one is
 * forgotten every twenty minutes. Nobody is kept out for ever.
 */
export const RECOVERY_RULE: Rule = {
  quick: 3,
  mostMs: 15 * 60_000,
  most: null,
  leakMs: 20 * 60_000,
};

/**
 * Wrong codes over all attempts of a name: those of three attempts at once, then at most four a
 * day, so that guessing for a year is of no use (G37).
 */
const CODE_RULE: Rule = { quick: 15, mostMs: 6 * 3_600_000, most: null, leakMs: 6 * 3_600_000 };

/**
 * What an attempt to get back in is counted in: the name, whether or not it is somebody's, apart
 * from sign-ins; the address, and the provider.
 */
export const recoveryBuckets = (username: string, ip: string): readonly Tried[] => [
  { name: `recovery:${nameOf(username)}`, rule: RECOVERY_RULE },
  ...strangersBuckets('', ip).slice(1),
];

/**
 * What wrong codes are counted in: of a name, and on a device that its user has signed in on
 * before, where nobody else slows them.
 */
export const codeBucket = (name: string): Tried => ({ name, rule: CODE_RULE });
export const codeBucketName = (username: string): string => `recovery-code:${nameOf(username)}`;
export const deviceCodeBucket = (device: string, userId: UserId): Tried => ({
  name: `device:${device}:recovery-code:${userId}`,
  rule: DEVICE_RULE,
});

const nameOf = (username: string): string =>
  createHash('sha256').update(usernameKey(username)).digest('hex').slice(0, 40);

/**
 * Looking which questions a name is asked tells nothing; that it is not done without end is enough.
 */
export const askingBuckets = (ip: string): readonly Tried[] =>
  strangersBuckets('', ip)
    .slice(1, 2)
    .map(({ name }) => ({ name: `asking:${name}`, rule: ADDRESS_RULE }));

export const tooMany = (retryAfterMs: Ms): Failure => ({
  kind: 'too-many',
  message: MESSAGES.tooManyTries,
  retryAfterMs,
});
