import type { Ms } from '#contract/ids.ts';
import type { FailingTimes } from '#server/platform/db/database-engine.ts';

/**
 * A longer time without an attempt doesn't count: the server was down, or a backup window was
 * closed.
 */
const UNTRIED_MS: Ms = 30 * 60_000;

/** Returns the row of failed attempts with another one. `before` null: the last attempt had an answer. */
export const addFailure = (before: FailingTimes | null, now: Ms): FailingTimes => ({
  since: before !== null && now - before.at < UNTRIED_MS ? before.since : now,
  at: now,
});
