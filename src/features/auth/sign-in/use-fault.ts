import { useMemo } from 'react';
import type { Refusal } from '#machines/refusal.ts';
import { faultOf } from './sign-in-error.ts';
import type { SignInFault } from './sign-in-error.ts';

/** Returns what to show of a refusal. It is the same object for the same refusal. */
export const useFault = (refusal: Refusal | null): SignInFault | null =>
  useMemo(() => refusal && faultOf(refusal.failure, refusal.at), [refusal]);
