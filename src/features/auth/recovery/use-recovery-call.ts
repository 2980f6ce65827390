import { useState } from 'react';
import type { Result } from '#contract/result.ts';
import { now } from '#src/app/clock.ts';
import { toSignInError } from '../sign-in/sign-in-error.ts';
import type { SignInError } from '../sign-in/sign-in-error.ts';

export interface RecoveryAsk {
  readonly busy: boolean;
  readonly error: SignInError | null;
  /** Makes a call. The form itself shows validation issues. */
  readonly request: <T>(call: () => Promise<Result<T>>) => Promise<Result<T>>;
}

/** Makes one recovery call at a time and tracks its outcome. */
export function useRecoveryAsk(): RecoveryAsk {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<SignInError | null>(null);
  return {
    busy,
    error,
    async request(call) {
      setBusy(true);
      setError(null);
      const result = await call();
      setBusy(false);
      if (!result.ok && result.failure.kind !== 'bad-input')
        setError(toSignInError(result.failure, now()));
      return result;
    },
  };
}
