import type { Failure } from '#contract/errors.ts';

/** The sentence of a refusal: the server's own where it gives one; else the catalogue's, `words`. */
export function sentenceOf(failure: Failure, words: string): string {
  switch (failure.kind) {
    case 'server-fault': case 'no-answer': case 'no-such-call': case 'storage': return words;
    case 'bad-input': return failure.issues.find(({ message }) => message !== '')?.message ?? failure.message;
    default: return failure.message;
  }
}

/** What is wrong, field by field: the first word said of each. */
export const faultsIn = (failure: Failure): Readonly<Record<string, string>> =>
  (failure.kind === 'bad-input' ? Object.fromEntries(failure.issues.toReversed().map(({ path, message }) => [path, message])) : {});
