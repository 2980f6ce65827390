import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { Answering } from '#machines/sign-in-requests.ts';
import { now } from '#src/app/clock.ts';
import { client } from '#src/app/worker/worker-client.ts';
import { holdPage, sayAtSignIn } from '#src/app/session/sign-in-context.ts';
import type { SignedIn } from '#workers/api.ts';
import { faultOf } from './sign-in-error.ts';
import type { SignInFault } from './sign-in-error.ts';

export interface StepAnswer {
  /** What is being asked just now. */
  readonly busy: Answering['way'] | null;
  readonly fault: SignInFault | null;
  readonly setFault: (fault: SignInFault | null) => void;
  /**
   * Null where it was refused: the fault says why, here, or at the sign-in page where the attempt
   * is over.
   */
  readonly answer: (ask: Answering) => Promise<SignedIn | null>;
}

/**
 * Answers a step. The next one, and the way in, are led to by the page of the steps and its guard.
 */
export function useStepAnswer(): StepAnswer {
  const router = useRouter();
  const [busy, setBusy] = useState<Answering['way'] | null>(null);
  const [fault, setFault] = useState<SignInFault | null>(null);

  async function answer(ask: Answering): Promise<SignedIn | null> {
    setBusy(ask.way);
    setFault(null);
    holdPage(true);
    const result = await client().signIn(ask);
    const inNow = result.ok && result.value.is === 'in';
    // An authenticator that was set up gives codes which are shown once: the page stays for them.
    if (!inNow || ask.way !== 'enrol') {
      holdPage(false);
      if (inNow) await router.invalidate();
    }
    setBusy(null);
    if (result.ok) return result.value;
    const { kind, message } = result.failure;
    if (kind === 'expired' || kind === 'signed-out') sayAtSignIn(message);
    else setFault(faultOf(result.failure, now()));
    return null;
  }
  return { busy, fault, setFault, answer };
}
