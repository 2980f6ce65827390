import type { OutputOf, InputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import { useWatch } from '#src/app/worker/worker-client.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';
import type { ReadCall } from '#workers/api.ts';

/**
 * What the server was asked: `value` is its last answer and `at` when that came, also before the
 * page was opened; `fault` why there is none, or no newer one.
 */
export interface PolledQuery<T> {
  readonly value: T | null;
  readonly at: Ms | null;
  readonly fault: string | null;
  readonly again: () => void;
}

const NOTHING = {};
const EVERY_MS = 300_000;
const OFFLINE_EVERY_MS = 30_000;

/**
 * Asks the server when it is looked at, every five minutes, and when it answers again. `wanted`
 * false sends no request.
 */
export function usePolledQuery<N extends ReadCall>(
  name: N,
  input: InputOf<N>,
  wanted: boolean,
): PolledQuery<OutputOf<N>> {
  const is = useWatch('status', NOTHING)?.is;
  const { value, at, failure, again } = useCachedQuery(name, input, {
    wanted,
    everyMs: is === 'offline' || is === 'server-trouble' ? OFFLINE_EVERY_MS : EVERY_MS,
  });
  return { value, at, fault: failure?.message ?? null, again };
}
