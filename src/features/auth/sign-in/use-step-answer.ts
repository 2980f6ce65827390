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
  /** The method whose answer is pending. */
  readonly busy: Answering['way'] | null;
  readonly fault: SignInFault | null;
  readonly setFault: (fault: SignInFault | null) => void;
  /**
   * Returns null if the answer was refused. The error is in `fault`, or on the sign-in page if the
   * attempt is over.
   */
  readonly answer: (ask: Answering) => Promise<SignedIn | null>;
}

/** Sends the answer of a step. `StepPage` and its guard handle the redirect. */
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
    // Enrolment shows recovery codes once, so the page stays open for them.
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
