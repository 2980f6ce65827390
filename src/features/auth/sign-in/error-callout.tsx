'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { useNow } from '#src/app/clock.ts';
import { Callout } from '#src/ui/callout.tsx';
import { waitWords } from './sign-in-error.ts';
import { signInMessages as t } from './sign-in.messages.en.ts';
import type { SignInFault } from './sign-in-error.ts';

/** Returns `in 9 s` while attempts are blocked, otherwise null. */
export function useWaits(fault: SignInFault | null): string | null {
  const second = useNow(1_000);
  return fault?.is === 'throttled' ? waitWords(fault.until, Math.max(second, fault.from)) : null;
}

/** Shows what went wrong, and when to try again. */
export function FaultCallout({ fault }: { readonly fault: SignInFault | null }) {
  const waits = useWaits(fault);
  if (fault?.is === 'refused')
    return (
      <Callout tone="failed" alert>
        {fault.sentence}
      </Callout>
    );
  return (
    fault?.is === 'throttled' &&
    waits !== null && (
      <Callout tone="warning" alert>
        {fault.sentence} <span aria-hidden>{t.canTryAgain({ when: waits })}</span>
      </Callout>
    )
  );
}
