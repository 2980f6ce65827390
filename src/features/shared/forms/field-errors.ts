import type { Failure } from '#contract/errors.ts';

/** Returns the first issue of each field. */
export const getFieldErrors = (failure: Failure): Readonly<Record<string, string>> =>
  failure.kind === 'bad-input'
    ? Object.fromEntries(failure.issues.toReversed().map(({ path, message }) => [path, message]))
    : {};
