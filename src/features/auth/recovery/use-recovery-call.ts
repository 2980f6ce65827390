import { useState } from 'react';
import type { Result } from '#contract/result.ts';
import { now } from '#src/app/clock.ts';
import { faultOf } from '../sign-in/sign-in-error.ts';
import type { SignInFault } from '../sign-in/sign-in-error.ts';

export interface RecoveryAsk {
  readonly busy: boolean;
  readonly fault: SignInFault | null;
  /** Asks the server. What is wrong with an input is the form's to say. */
  readonly ask: <T>(call: () => Promise<Result<T>>) => Promise<Result<T>>;
}

/** One question to the server at a time, and what became of it. */
export function useRecoveryAsk(): RecoveryAsk {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<SignInFault | null>(null);
  return {
    busy,
    fault,
    async ask(call) {
      setBusy(true);
      setFault(null);
      const result = await call();
      setBusy(false);
      if (!result.ok && result.failure.kind !== 'bad-input')
        setFault(faultOf(result.failure, now()));
      return result;
    },
  };
}
