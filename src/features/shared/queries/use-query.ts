import type { CallName, OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import { NOT_SENT, useServerQuery } from '#src/app/worker/server-query.ts';
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
  const offline = useWatch('status', NOTHING)?.is === 'offline';
  const { answer, asking, again, set } = useServerQuery<N, Answer<OutputOf<N>>>(
    'useQuery',
    name,
    input,
    {
      wanted,
      round: String(offline),
      request: async (_signal, previous) => {
        const result = await client()
          .ask(name, input)
          .catch(() => NOT_SENT);
        return result.ok
          ? { value: result.value, failure: null }
          : { value: previous?.value ?? null, failure: result.failure };
      },
    },
  );
  return {
    value: answer?.value ?? null,
    failure: answer?.failure ?? null,
    asking,
    again,
    set: (value) => set({ value, failure: null }),
  };
}

interface Answer<T> {
  readonly value: T | null;
  readonly failure: Failure | null;
}
const NOTHING = {};
