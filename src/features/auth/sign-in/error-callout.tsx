'use no memo'; // drawn once or seldom: the compiler's memory would cost more code on the first load
import { useNow } from '#src/app/clock.ts';
import { Callout } from '#src/ui/callout.tsx';
import { waitWords } from './sign-in-error.ts';
import { signInMessages as t } from './sign-in.messages.en.ts';
import type { SignInFault } from './sign-in-error.ts';

/** `in 9 s` while nothing is to be tried, else null. */
export function useWaits(fault: SignInFault | null): string | null {
  const second = useNow(1_000);
  return fault?.is === 'throttled' ? waitWords(fault.until, Math.max(second, fault.from)) : null;
}

/** What went wrong, and when it can be tried again. */
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
