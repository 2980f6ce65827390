import { useMemo } from 'react';
import type { Refusal } from '#machines/refusal.ts';
import { toSignInError } from './sign-in-error.ts';
import type { SignInError } from './sign-in-error.ts';

/** Returns the error to show for a refusal: the same object while the refusal is the same. */
export const useSignInError = (refusal: Refusal | null): SignInError | null =>
  useMemo(() => refusal && toSignInError(refusal.failure, refusal.at), [refusal]);
