import { useState } from 'react';
import type { Result } from '#contract/result.ts';
import { now } from '#src/app/clock.ts';
import { useServerMutation } from '#src/app/worker/server-mutation.ts';
import { toSignInError } from '../sign-in/sign-in-error.ts';
import type { SignInError } from '../sign-in/sign-in-error.ts';

export interface RecoveryRequest {
  readonly busy: boolean;
  readonly error: SignInError | null;
  /** Makes a call. The form itself shows validation issues. */
  readonly request: <T>(call: () => Promise<Result<T>>) => Promise<Result<T>>;
}

/** Makes one recovery call at a time and tracks its outcome. */
export function useRecoveryRequest(): RecoveryRequest {
  const calls = useServerMutation();
  const [error, setError] = useState<SignInError | null>(null);
  return {
    busy: calls.busy,
    error: calls.busy ? null : error,
    async request<T>(call: () => Promise<Result<T>>) {
      setError(null);
      const result = await calls.send(call);
      if (!result.ok && result.failure.kind !== 'bad-input')
        setError(toSignInError(result.failure, now()));
      return result;
    },
  };
}
