'use no memo'; // rendered rarely: the compiler's memoization would only add code to the first load
import { useNow } from '#src/app/clock.ts';
import { Callout } from '#src/ui/callout.tsx';
import { waitWords } from './sign-in-error.ts';
import { signInMessages as t } from './sign-in.messages.en.ts';
import type { SignInError } from './sign-in-error.ts';

/** Returns `in 9 s` while attempts are blocked, otherwise null. */
export function useWaits(error: SignInError | null): string | null {
  const second = useNow(1_000);
  return error?.kind === 'throttled' ? waitWords(error.until, Math.max(second, error.from)) : null;
}

/** Shows what went wrong, and when to try again. */
export function ErrorCallout({ error }: { readonly error: SignInError | null }) {
  const waits = useWaits(error);
  if (error?.kind === 'refused')
    return (
      <Callout tone="failed" alert>
        {error.sentence}
      </Callout>
    );
  return (
    error?.kind === 'throttled' &&
    waits !== null && (
      <Callout tone="warning" alert>
        {error.sentence} <span aria-hidden>{t.canTryAgain({ when: waits })}</span>
      </Callout>
    )
  );
}
