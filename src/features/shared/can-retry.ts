import type { FailureKind } from '#contract/errors.ts';

/** Refusals that the same request meets again. */
const FINAL: readonly FailureKind[] = [
  'bad-input',
  'forbidden',
  'not-by-key',
  'not-found',
  'no-such-call',
  'too-large',
  'update-needed',
];

/** Returns whether the same request can succeed later. */
export const canRetry = ({ kind }: { readonly kind: FailureKind }): boolean =>
  !FINAL.includes(kind);
