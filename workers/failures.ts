import type { Failure } from '#contract/errors.ts';
import { MESSAGES } from '#contract/messages.ts';

export const SIGNED_OUT = makeFailure('signed-out', () => MESSAGES.signedOut);
export const NEEDS_NETWORK = makeFailure('needs-network', () => MESSAGES.needsNetwork);
export const NO_ANSWER = makeFailure('no-answer', () => MESSAGES.noAnswer);
export const NOT_SENT = makeFailure('not-sent', () => MESSAGES.badRequest);
export const ATTEMPT_OVER = makeFailure('expired', () => MESSAGES.attemptOver);
export const STORAGE_FAILED = makeFailure('storage', () => MESSAGES.storage);
export const SERVER_ERROR = makeFailure('server-error', () => MESSAGES.serverError);

/** The text is read when it is shown, so that it follows the language. */
function makeFailure(
  kind: Exclude<Failure['kind'], 'bad-input' | 'out-of-order' | Waiting>,
  text: () => string,
): Failure {
  return {
    kind,
    get message() {
      return text();
    },
  };
}
type Waiting = Extract<Failure, { readonly retryAfterMs: number }>['kind'];
