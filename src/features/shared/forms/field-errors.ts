import type { Failure } from '#contract/errors.ts';

/** What is wrong, field by field: the first word said of each. */
export const faultsIn = (failure: Failure): Readonly<Record<string, string>> =>
  failure.kind === 'bad-input'
    ? Object.fromEntries(failure.issues.toReversed().map(({ path, message }) => [path, message]))
    : {};
