import type { OutputOf } from '#contract/calls.ts';
import type { Ms } from '#contract/ids.ts';
import type { KeyRow } from '#contract/runs/rows.ts';
import { useCachedQuery } from '#src/app/worker/use-cached-query.ts';

export interface Heard {
  readonly keys: OutputOf<'listKeys'> | null;
  /** When the server said so, where it cannot be asked now. */
  readonly asOf: Ms | null;
  readonly fault: string | null;
  readonly again: () => void;
}

/**
 * When each key was last heard, which only the server knows. Asked anew when the network comes
 * back, when a key changes, and every minute.
 */
export function useHeard(rows: readonly KeyRow[] | undefined): Heard {
  const round = JSON.stringify(
    rows?.map(({ id, rotatedAt, revokedAt, firstResultAt }) => [
      id,
      rotatedAt,
      revokedAt,
      firstResultAt,
    ]),
  );
  const { value, at, live, failure, again } = useCachedQuery('listKeys', NOTHING, {
    wanted: rows !== undefined,
    everyMs: EVERY_MS,
    round,
  });
  return { keys: value, asOf: live ? null : at, fault: failure?.message ?? null, again };
}

const NOTHING = {};
const EVERY_MS = 60_000;
