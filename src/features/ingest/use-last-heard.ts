import type { OutputOf } from '#contract/calls.ts';
import type { Failure } from '#contract/errors.ts';
import type { Ms } from '#contract/ids.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';

export interface Heard {
  readonly keys: OutputOf<'listKeys'> | null;
  /** Time of the server's answer if the server cannot be reached now. */
  readonly updatedAt: Ms | null;
  readonly failure: Failure | null;
  readonly again: () => void;
}

/**
 * Returns when each key last reported, which only the server knows. Requested again when the
 * connection is restored, when a key changes, and every minute.
 */
export function useHeard(rows: readonly IngestKeyRow[] | undefined): Heard {
  const round = JSON.stringify(
    rows?.map(({ id, rotatedAt, revokedAt, firstResultAt }) => [
      id,
      rotatedAt,
      revokedAt,
      firstResultAt,
    ]),
  );
  const { value, at, live, failure, again } = useCachedQuery('listKeys', EMPTY, {
    wanted: rows !== undefined,
    everyMs: EVERY_MS,
    round,
  });
  return { keys: value, updatedAt: live ? null : at, failure, again };
}

const EMPTY = {};
const EVERY_MS = 60_000;
