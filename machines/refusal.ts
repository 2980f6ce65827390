import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { MESSAGES } from '#contract/messages.ts';
import type { Result } from '#contract/result.ts';

/** Why the last request of a conversation failed, and when. */
export interface Refusal {
  readonly failure: Failure;
  readonly at: Ms;
}

/** SIGN-2: returns false until the wait that the server asked for is over. */
export const mayTryAgain = (refusal: Refusal | null, now: Ms): boolean =>
  refusal?.failure.kind !== 'too-many' || now >= refusal.at + refusal.failure.retryAfterMs;

/** Returns null if the request succeeded. */
export const getRefusal = (result: Result<unknown>, at: Ms): Refusal | null =>
  result.ok ? null : { failure: result.failure, at };

/** The refusal of a request that threw, which is a bug. */
export const bugAt = (at: Ms): Refusal => ({ failure: bug(), at });

/** Returns null if the request succeeded. */
export const getFailure = (result: Result<unknown>): Failure | null =>
  result.ok ? null : result.failure;

/** The failure of a request that threw, which is a bug. */
export const bug = (): Failure => ({ kind: 'server-error', message: MESSAGES.serverError });

/** The default of an actor that the page or the worker provides. */
export const notProvided = (): Promise<never> =>
  Promise.reject(new Error('an actor of the machine was not provided'));
