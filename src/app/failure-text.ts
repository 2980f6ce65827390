import type { Failure } from '#contract/errors.ts';

/**
 * Returns the message for a failure. The call has already chosen it (WORDS-2); for invalid input,
 * the first validation issue is more specific.
 */
export const getFailureText = (failure: Failure): string =>
  (failure.kind === 'bad-input'
    ? failure.issues.find(({ message }) => message !== '')?.message
    : undefined) ?? failure.message;
