import { useState } from 'react';
import type { Result } from '#contract/result.ts';
import { now } from '#src/app/clock.ts';
import { faultOf } from '../sign-in/sign-in-error.ts';
import type { SignInFault } from '../sign-in/sign-in-error.ts';

export interface RecoveryAsk {
  readonly busy: boolean;
  readonly fault: SignInFault | null;
  /** Makes a call. The form itself shows validation issues. */
  readonly ask: <T>(call: () => Promise<Result<T>>) => Promise<Result<T>>;
}

/** Makes one recovery call at a time and tracks its outcome. */
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
