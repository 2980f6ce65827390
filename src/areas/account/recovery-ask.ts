import { useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { now } from '#src/clock.ts';
import { faultOf } from './sign-in-fault.ts';
import type { SignInFault } from './sign-in-fault.ts';

export interface RecoveryAsk {
  readonly busy: boolean;
  readonly fault: SignInFault | null;
  /** Asks the server. `sentence`: said where its own answer says nothing of what was asked. What is wrong with an input is the form's to say. */
  readonly ask: <T>(call: () => Promise<Result<T>>, sentence: string) => Promise<Result<T>>;
}

/** One question to the server at a time, and what became of it. */
export function useRecoveryAsk(): RecoveryAsk {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<SignInFault | null>(null);
  return {
    busy, fault,
    async ask(call, sentence) {
      setBusy(true);
      setFault(null);
      const result = await call();
      setBusy(false);
      if (!result.ok && result.failure.kind !== 'bad-input') setFault(NO_WORD_OF_IT.has(result.failure.kind) ? { is: 'refused', sentence } : faultOf(result.failure, now()));
      return result;
    },
  };
}

const NO_WORD_OF_IT: ReadonlySet<Failure['kind']> = new Set(['server-fault', 'no-such-call', 'too-large']);
