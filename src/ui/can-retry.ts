import type { Failure, FailureKind } from '#contract/errors.ts';

/** Refusals that the same request meets again. */
const FINAL: readonly FailureKind[] = [
  'bad-input',
  'forbidden',
  'not-by-key',
  'not-found',
  'no-such-call',
  'conflict',
  'key-reused',
  'too-large',
  'update-needed',
];

/** Returns whether the same request can succeed later; null: the reason is unknown. */
export const canRetry = (failure: Pick<Failure, 'kind'> | null): boolean =>
  failure === null || !FINAL.includes(failure.kind);
