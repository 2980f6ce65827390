import type { IngestKeyRow } from '#contract/runs/rows.ts';

export type StepState = 'done' | 'now' | 'waiting' | 'later';

/**
 * Returns the progress of an empty portal: a source is connected once it has an active key, then
 * its first result is pending.
 */
export function getSteps(keys: readonly Pick<IngestKeyRow, 'revokedAt'>[]): {
  readonly source: StepState;
  readonly results: StepState;
} {
  const connected = keys.some(({ revokedAt }) => revokedAt === null);
  return { source: connected ? 'done' : 'now', results: connected ? 'waiting' : 'later' };
}
