import { createHash } from 'node:crypto';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import { usernameKey } from '../usernames.ts';
import type { Rule, Tried } from './throttle.ts';
import { ADDRESS_RULE, strangersBuckets } from './throttle.ts';

/** Ways back in are asked for seldom: three of a name at once, then slower and slower; one is forgotten every twenty minutes. Nobody is kept out for ever. */
export const RECOVERY_RULE: Rule = { quick: 3, mostMs: 15 * 60_000, most: null, leakMs: 20 * 60_000 };

/** What an attempt to get back in is counted in: the name, whether or not it is somebody's, apart from sign-ins; the address, and the provider. */
export function recoveryBuckets(username: string, ip: string): readonly Tried[] {
  const name = createHash('sha256').update(usernameKey(username)).digest('hex').slice(0, 40);
  return [{ name: `recovery:${name}`, rule: RECOVERY_RULE }, ...strangersBuckets('', ip).slice(1)];
}

/** Looking which questions a name is asked tells nothing; that it is not done without end is enough. */
export const askingBuckets = (ip: string): readonly Tried[] => strangersBuckets('', ip).slice(1, 2).map(({ name }) => ({ name: `asking:${name}`, rule: ADDRESS_RULE }));

export const tooMany = (retryAfterMs: Ms): Failure => ({ kind: 'too-many', message: MESSAGES.tooManyTries, retryAfterMs });
