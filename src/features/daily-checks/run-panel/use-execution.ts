import { useEffect, useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { Ms, RunN } from '#contract/ids.ts';
import type { Execution } from '#contract/runs/calls.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';

/**
 * The server's answer about a run. `failure` and its `message`: why the last request failed;
 * `execution` is then the answer of the time `at`, or null. `isLoading` alone: the first answer is
 * pending.
 */
export interface ExecutionQuery {
  readonly execution: Execution | null;
  readonly failure: Failure | null;
  readonly message: string | null;
  /** The failure was a lost connection. */
  readonly unreached: boolean;
  readonly at: Ms | null;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/**
 * Requests the run when it is opened, when `stamp` changes, and periodically while the connection
 * is lost. Answers are cached for the panel's lifetime.
 */
export function useExecution(n: RunN, stamp: string): ExecutionQuery {
  // Retries while the connection is lost, so that a short gap goes unnoticed.
  const [lost, setLost] = useState(false);
  const { value, at, live, failure, isLoading, again } = useCachedQuery(
    'getExecution',
    { id: String(n) },
    { round: stamp, everyMs: lost ? TRIED_AGAIN_MS : null },
  );
  const [known] = useState(() => new Map<RunN, Execution>());
  useEffect(() => {
    if (value !== null) known.set(n, value);
  }, [known, n, value]);
  const execution = value ?? known.get(n) ?? null;
  const unreached = failure !== null && NETWORK.has(failure.kind);
  if (unreached !== lost) setLost(unreached);
  return {
    execution,
    at: live ? null : at,
    isLoading,
    again,
    unreached,
    failure,
    message: failure?.message ?? null,
  };
}

const TRIED_AGAIN_MS: Ms = 10_000;
const NETWORK: ReadonlySet<Failure['kind']> = new Set(['needs-network', 'no-answer']);
