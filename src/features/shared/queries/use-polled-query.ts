import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { ReadCall } from '#workers/api.ts';

/**
 * A polled server query. `value`: the last answer, also from an earlier page load; `at`: its time.
 * `failure` and its text `error`: why there is none, or no newer one.
 */
export interface PolledQuery<T> {
  readonly value: T | null;
  readonly at: Ms | null;
  readonly failure: Failure | null;
  readonly error: string | null;
  readonly again: () => void;
}

const EMPTY = {};
const EVERY_MS = 300_000;
const OFFLINE_EVERY_MS = 30_000;

/**
 * Requests data on mount, every five minutes, and when the server is reachable again. `wanted`:
 * false sends no request.
 */
export function usePolledQuery<N extends ReadCall>(
  name: N,
  input: InputOf<N>,
  wanted: boolean,
): PolledQuery<OutputOf<N>> {
  const status = useWatch('status', EMPTY)?.kind;
  const { value, at, failure, again } = useCachedQuery(name, input, {
    wanted,
    everyMs: status === 'offline' || status === 'server-trouble' ? OFFLINE_EVERY_MS : EVERY_MS,
  });
  return { value, at, failure, error: failure?.message ?? null, again };
}
