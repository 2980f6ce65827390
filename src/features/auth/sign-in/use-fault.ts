import { useMemo } from 'react';
import type { Refusal } from '#machines/refusal.ts';
import { faultOf } from './sign-in-error.ts';
import type { SignInFault } from './sign-in-error.ts';

/** Returns the error to show for a refusal: the same object while the refusal is the same. */
export const useFault = (refusal: Refusal | null): SignInFault | null =>
  useMemo(() => refusal && faultOf(refusal.failure, refusal.at), [refusal]);
