import type { CallName, OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
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
  readonly isLoading: boolean;
  readonly again: () => void;
  /** Replaces the value with one from another answer of the server. */
  readonly set: (value: T) => void;
}

/** `everyMs`: requests again at this interval. `round`: a change of it requests again. */
export interface QueryTimes<T> {
  readonly everyMs?: Ms | null;
  readonly round?: string;
  /**
   * Requests again at the interval that it returns for the last answer, null for never: while work
   * runs on the server. It waits while the page is hidden or offline.
   */
  readonly poll?: (answer: Answer<T>) => Ms | null;
  /** Shows the answer of the previous input until the new one arrives. */
  readonly keepsPrevious?: boolean;
  /** What was answered is not requested again when the connection is restored. */
  readonly isLasting?: boolean;
}

/** Polls while `isActive`, or while the last request failed. What doesn't exist is not polled. */
export const pollWhile =
  <T>(isActive: (value: T) => boolean, everyMs: Ms) =>
  ({ value, failure }: Answer<T>): Ms | null =>
    (failure === null ? value !== null && isActive(value) : failure.kind !== 'not-found')
      ? everyMs
      : null;

/** Requests data on mount, and when the connection is restored. */
export const useQuery = <N extends CallName>(
  name: N,
  input: InputOf<N>,
  wanted = true,
  times: QueryTimes<OutputOf<N>> = EMPTY,
): QueryResult<OutputOf<N>> =>
  useAnswer('useQuery', name, input, () => client().ask(name, input), wanted, times);

/**
 * As `useQuery`, for an answer that takes more than a call. `name` and `input` tell the requests
 * apart.
 */
export const useRequest = <T>(
  name: string,
  input: unknown,
  request: (signal: AbortSignal) => Promise<Result<T>>,
  wanted = true,
  times: QueryTimes<T> = EMPTY,
): QueryResult<T> => useAnswer('useRequest', name, input, request, wanted, times);

function useAnswer<T>(
  hook: 'useQuery' | 'useRequest',
  name: string,
  input: unknown,
  request: (signal: AbortSignal) => Promise<Result<T>>,
  wanted: boolean,
  { everyMs = null, round = '', poll, keepsPrevious = false, isLasting = false }: QueryTimes<T>,
): QueryResult<T> {
  const offline = useWatch('status', EMPTY)?.kind === 'offline';
  const { answer, isLoading, again, set } = useServerQuery<Answer<T>>(hook, name, input, {
    wanted,
    everyMs: poll ? (known) => (known === undefined || offline ? null : poll(known)) : everyMs,
    keepsPrevious,
    round: isLasting ? round : `${offline} ${round}`,
    request: async (signal, previous) => {
      const result = await request(signal).catch(() => NOT_SENT);
      return result.ok
        ? { value: result.value, failure: null }
        : { value: previous?.value ?? null, failure: result.failure };
    },
  });
  return {
    value: answer?.value ?? null,
    failure: answer?.failure ?? null,
    isLoading,
    again,
    set: (value) => set({ value, failure: null }),
  };
}

interface Answer<T> {
  readonly value: T | null;
  readonly failure: Failure | null;
}
const EMPTY = {};
