import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { Result } from '#contract/result.ts';
import type { ServerRead, ReadCall } from '#workers/api.ts';
import { NOT_SENT, useServerQuery } from './server-query.ts';
import { client, useWatch } from './worker-client.ts';

/**
 * The last answer of the server and its time; null while nothing is known. `live`: the server was
 * reached. `failure`: why the last request failed, or null. `asking`: a request is running.
 */
export interface CachedQuery<T> {
  readonly value: T | null;
  readonly at: Ms | null;
  readonly live: boolean;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly again: () => void;
}

interface How {
  /** If false, nothing is requested. */
  readonly wanted?: boolean;
  readonly everyMs?: Ms | null;
  /** A change of this value requests the data again. */
  readonly round?: string | number;
}

/**
 * Requests data when the component mounts, at every `everyMs`, and when the connection is lost or
 * restored. If the server cannot be reached, returns its last answer, even one from an earlier page
 * load.
 */
export function useCachedQuery<N extends ReadCall>(
  name: N,
  input: InputOf<N>,
  { wanted = true, everyMs = null, round = '' }: How = {},
): CachedQuery<OutputOf<N>> {
  const status = useWatch('status', EMPTY)?.kind;
  const { answer, isLoading, again } = useServerQuery<Result<ServerRead<OutputOf<N>>>>(
    'useCachedQuery',
    name,
    input,
    {
      wanted,
      everyMs,
      round: `${status === 'offline' || status === 'server-trouble'} ${round}`,
      request: async (_signal, previous) => {
        const read = await client()
          .read(name, input)
          .catch(() => NOT_SENT);
        return previous === undefined ? read : lasting(previous, read);
      },
    },
  );
  if (answer === undefined || !answer.ok)
    return {
      value: null,
      at: null,
      live: false,
      failure: answer?.failure ?? null,
      isLoading,
      again,
    };
  const { value, at, live } = answer.value;
  return {
    value,
    at,
    live,
    failure: answer.value.live ? null : answer.value.failure,
    isLoading,
    again,
  };
}

/** Keeps the stored data if a later request fails, but not if the server refuses it. */
const lasting = <T>(
  old: Result<ServerRead<T>>,
  read: Result<ServerRead<T>>,
): Result<ServerRead<T>> =>
  old.ok && !read.ok && !REFUSED.has(read.failure.kind)
    ? {
        ok: true,
        value: { value: old.value.value, at: old.value.at, live: false, failure: read.failure },
      }
    : read;

const REFUSED: ReadonlySet<Failure['kind']> = new Set([
  'forbidden',
  'not-found',
  'signed-out',
  'expired',
]);
const EMPTY = {};
