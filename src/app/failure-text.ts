import type { Failure } from '#contract/errors.ts';

/**
 * What a person reads about a failure. Its call has chosen the sentence already (WORDS-2); of an
 * input, the first thing wrong with it says more.
 */
export const getFailureText = (failure: Failure): string =>
  (failure.kind === 'bad-input'
    ? failure.issues.find(({ message }) => message !== '')?.message
    : undefined) ?? failure.message;
