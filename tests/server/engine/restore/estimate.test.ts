import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { getQuotaMs } from '#server/engine/embedded/graph/quotas.ts';
import {
  estimateTime,
  type ObjectWork,
  roundDuration,
} from '#server/engine/embedded/restore/estimate-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const mailbox = (object: string, mails: number, bytes: number): ObjectWork => ({
  kind: 'mailbox',
  object,
  written: { mail: mails },
  skipped: 0,
  bytes,
});
const free = () => ({ concurrent: 4, pausedMs: 0 });

/**
 * Sends as fast as it can, one millisecond after the other, and never more than `max` in the periods
 * that begin with the first send.
 */
function sendSlowly(max: number, windowMs: number, amount: number, perMs: number): number {
  let sent = 0;
  let inWindow = 0;
  for (let ms = 0; ; ms += 1) {
    if (ms % windowMs === 0) inWindow = 0;
    const now = Math.min(perMs, max - inWindow, amount - sent);
    sent += now;
    inWindow += now;
    if (sent >= amount - 1e-9) return ms + 1;
  }
}

test('RES-83: a documented limit costs what a slow sender needs that obeys it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 5, max: 200 }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 400 }),
      (max, windowMs, amount, workMs) => {
        const slow = sendSlowly(max, windowMs, amount, amount / workMs);
        const quick = getQuotaMs({ max, windowMs }, amount, workMs);
        expect(Math.abs(slow - quick)).toBeLessThanOrEqual(2);
      },
    ),
    { numRuns: 200 },
  );
});

test("RES-83: an estimate obeys Microsoft's limits: 150 MB in 5 minutes and 10,000 requests in 10 minutes for a mailbox, 4 requests per second for a team", () => {
  // 3 GB are 20 shares: the last one begins after 19 periods of 5 minutes.
  const upload = estimateTime([mailbox('a', 100, 3_000_000_000)], [], free);
  expect(upload.limit).toBe('upload');
  expect(upload.durationMs).toBeGreaterThanOrEqual(19 * 5 * MINUTE);
  expect(upload.durationMs).toBeLessThanOrEqual(2 * HOUR);
  // Two mailboxes have shares of their own, one after the other.
  const two = estimateTime(
    [mailbox('a', 100, 1_500_000_000), mailbox('b', 100, 1_500_000_000)],
    [],
    free,
  );
  expect(two.durationMs).toBeLessThanOrEqual(upload.durationMs);
  // A fast organization is as slow as the limit of requests.
  const quick = { work: [mailbox('x', 1_000, 0)], durationMs: 30_000 };
  const many = estimateTime([mailbox('a', 40_000, 0)], [quick], free);
  expect(many.limit).toBe('requests');
  expect(many.durationMs).toBeGreaterThanOrEqual((40_000 * 4 * 10 * MINUTE) / 10_000 - 10 * MINUTE);
  const posts = estimateTime(
    [{ kind: 'team', object: 't', written: { post: 3_600 }, skipped: 0, bytes: 0 }],
    [{ work: [{ ...mailbox('x', 1_000, 0), kind: 'drive' }], durationMs: 1_000 }],
    free,
  );
  expect(posts.limit).toBe('requests');
  expect(posts.durationMs).toBeGreaterThanOrEqual(HOUR / 2);
});

test('RES-83: an estimate follows recent restores, and what the rate limiter allows now', () => {
  const work = [mailbox('a', 1_000, 10_000_000)];
  const assumed = estimateTime(work, [], free);
  expect([assumed.limit, assumed.restores]).toEqual(['speed', 0]);
  const slow = estimateTime(work, [{ work, durationMs: HOUR }], free);
  expect([slow.durationMs, slow.restores]).toEqual([HOUR, 1]);
  // Twice as much takes twice as long.
  const double = estimateTime(
    [mailbox('a', 2_000, 20_000_000)],
    [{ work, durationMs: HOUR }],
    free,
  );
  expect(double.durationMs).toBe(2 * HOUR);
  // After two 429, one request runs instead of four; and nothing for half an hour.
  const throttled = estimateTime(work, [{ work, durationMs: HOUR }], () => ({
    concurrent: 1,
    pausedMs: 30 * MINUTE,
  }));
  expect(throttled.limit).toBe('throttled');
  expect(throttled.durationMs).toBe(5 * HOUR);
});

test('RES-83: a duration is said as a person would', () => {
  expect([1, 61_000, 11 * MINUTE, 46 * MINUTE, 110 * MINUTE, 25 * HOUR].map(roundDuration)).toEqual(
    [MINUTE, 2 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 36 * HOUR],
  );
});
