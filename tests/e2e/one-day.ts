import { test } from '@playwright/test';

const DAY = 86_400_000;

/**
 * Returns the time. Waits over midnight if that is near, so that a test and the results of its last
 * minute are of one day. The days of the tests' portals begin at midnight, UTC.
 */
export async function startWithinDay(): Promise<number> {
  const now = Date.now();
  const sinceMs = now % DAY;
  const leftMs = DAY - sinceMs;
  const waitMs =
    sinceMs < AFTER_MS ? AFTER_MS - sinceMs : leftMs < BEFORE_MS ? leftMs + AFTER_MS : 0;
  if (waitMs > 0) {
    test.setTimeout(test.info().timeout + waitMs);
    await new Promise((done) => {
      setTimeout(done, waitMs);
    });
  }
  return Date.now();
}

/** A test takes no longer. */
const BEFORE_MS = 300_000;
const AFTER_MS = 120_000;
