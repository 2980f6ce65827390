import type { KeyRow } from '#contract/runs/rows.ts';

export type StepState = 'done' | 'now' | 'waiting' | 'later';

/**
 * Where an empty portal stands: a source is connected by a key that is in use, and then its first
 * result is waited for.
 */
export function stepsOf(keys: readonly Pick<KeyRow, 'revokedAt'>[]): {
  readonly source: StepState;
  readonly results: StepState;
} {
  const connected = keys.some(({ revokedAt }) => revokedAt === null);
  return { source: connected ? 'done' : 'now', results: connected ? 'waiting' : 'later' };
}
