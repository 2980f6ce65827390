import { useRef } from 'react';
import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { NOT_SENT, useServerQuery } from '#src/app/worker/server-query.ts';
import { client, useWatch } from '#src/app/worker/worker-client.ts';
import type { ReadCall } from '#workers/api.ts';

/**
 * `value`: null before the first answer. `at`: time of the answer if the server cannot be reached
 * now. `isLoading`: `value` can belong to an earlier query.
 */
export interface SearchQuery<T> {
  readonly value: T | null;
  readonly at: Ms | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/** Debounce delay of a query while the user types. */
const TYPING_MS = 100;

/**
 * Requests data when the query changes, on `again`, and when the connection is lost or restored.
 * Meanwhile, and while the server can't be reached, the last answer stays. `isStored`: answers are
 * stored on this device for offline use; never use it for answers with phone numbers.
 */
export function useSearchQuery<N extends ReadCall>(
  name: N,
  input: InputOf<N>,
  {
    isStored = false,
    wanted = true,
  }: { readonly isStored?: boolean; readonly wanted?: boolean } = {},
): SearchQuery<OutputOf<N>> {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const begun = useRef(false);
  const { answer, isLoading, again } = useServerQuery<Answer<OutputOf<N>>>(
    'useSearchQuery',
    name,
    input,
    {
      wanted,
      round: String(offline),
      keepsPrevious: true,
      request: async (signal, previous) => {
        if (begun.current) await pause(TYPING_MS);
        begun.current = true;
        // Another letter was typed meanwhile.
        if (signal.aborted) return { value: null, at: null, failure: null };
        if (isStored) {
          const read = await client()
            .read(name, input)
            .catch(() => NOT_SENT);
          return read.ok
            ? { value: read.value.value, at: read.value.live ? null : read.value.at, failure: null }
            : { value: null, at: null, failure: read.failure };
        }
        const result = await client()
          .ask(name, input)
          .catch(() => NOT_SENT);
        return result.ok
          ? { value: result.value, at: null, failure: null }
          : {
              value: NOT_REACHED.has(result.failure.kind) ? (previous?.value ?? null) : null,
              at: null,
              failure: result.failure,
            };
      },
    },
  );
  return {
    value: answer?.value ?? null,
    at: answer?.at ?? null,
    failure: answer?.failure ?? null,
    isLoading,
    again,
  };
}

interface Answer<T> {
  readonly value: T | null;
  readonly at: Ms | null;
  readonly failure: Failure | null;
}

const pause = (ms: Ms): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
/** Failures that say nothing about the data. */
const NOT_REACHED: ReadonlySet<Failure['kind']> = new Set(['no-answer', 'needs-network']);
const EMPTY = {};
