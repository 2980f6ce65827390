import { useEffect, useEffectEvent, useState } from 'react';
import type { CallName, OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Result } from '#contract/result.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';

/**
 * The server's answer, held in memory only: phone numbers and factors must not be stored on this
 * device.
 */
export interface QueryResult<T> {
  readonly value: T | null;
  /** Why there is no answer, or only an old one. */
  readonly failure: Failure | null;
  readonly asking: boolean;
  readonly again: () => void;
  /** Replaces the value with one from another answer of the server. */
  readonly set: (value: T) => void;
}

/** Requests data on mount, and when the connection is restored. */
export function useQuery<N extends CallName>(
  name: N,
  input: InputOf<N>,
  wanted = true,
): QueryResult<OutputOf<N>> {
  const [value, set] = useState<OutputOf<N> | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [turn, setTurn] = useState(0);
  const [told, setTold] = useState('');
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const key = JSON.stringify([input, offline, turn]);
  const ask = useEffectEvent(() => client().ask(name, input));
  const take = useEffectEvent((answer: Result<OutputOf<N>>, round: string) => {
    if (round !== key) return;
    setTold(round);
    setFailure(answer.ok ? null : answer.failure);
    if (answer.ok) set(answer.value);
  });
  useEffect(() => {
    if (wanted) void ask().then((answer) => take(answer, key));
  }, [key, wanted]);
  return {
    value,
    failure,
    asking: wanted && told !== key,
    again: () => setTurn(turn + 1),
    set: (next) => {
      set(next);
      setFailure(null);
    },
  };
}

const NOTHING = {};
