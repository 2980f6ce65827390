import { useEffect, useState } from 'react';
import type { Failure } from '#contract/errors.ts';
import type { Ms, RunN } from '#contract/ids.ts';
import type { Execution } from '#contract/runs/calls.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';

/**
 * What the server says of a run. `message`: why it could not be asked now; with an execution that
 * it told at `at`, without one where this device has none. `asking` alone: the first answer is on
 * its way.
 */
export interface Asked {
  readonly execution: Execution | null;
  readonly message: string | null;
  /** It is the network that was missing. */
  readonly unreached: boolean;
  readonly at: Ms | null;
  readonly asking: boolean;
  readonly again: () => void;
}

/**
 * Asked when the run is opened, when `stamp` changes, and again and again while the network is
 * missing. What a panel was told once it shows at once.
 */
export function useExecution(n: RunN, stamp: string): Asked {
  // A short gap is over before anybody has noticed that it was one.
  const [lost, setLost] = useState(false);
  const { value, at, live, failure, asking, again } = useCachedQuery(
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
    asking,
    again,
    unreached,
    message: failure?.message ?? null,
  };
}

const TRIED_AGAIN_MS: Ms = 10_000;
const NETWORK: ReadonlySet<Failure['kind']> = new Set(['needs-network', 'no-answer']);
