import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeSla } from '#contract/sla/sla.ts';
import type { SlaJob } from '#contract/sla/sla.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const count = fc.nat({ max: 3 });
const tally = fc
  .record({
    success: count,
    warning: count,
    anomaly: count,
    failed: count,
    missed: count,
    running: count,
  })
  .map((one) => ({
    ...one,
    bytes: 0,
    runs: one.success + one.warning + one.anomaly + one.failed + one.missed + one.running,
    judged: one.success + one.warning + one.anomaly + one.failed + one.missed,
    good: one.success + one.warning + one.anomaly,
  }));
const jobs = fc
  .array(
    fc.record({
      quiet: fc.boolean(),
      firstSeenAt: fc.integer({ min: NOW - 90 * HOUR, max: NOW }),
      lastSuccess: fc.option(fc.integer({ min: NOW - 90 * HOUR, max: NOW })),
      tally,
    }),
    { maxLength: 6 },
  )
  .map((all) => all.map((one, i): SlaJob => ({ n: i + 1, ...one })));

test('SLA-1: an alarm is met exactly while every expected job has a recent good backup and enough of all results are good', () => {
  fc.assert(
    fc.property(
      jobs,
      fc.option(fc.integer({ min: 1, max: 80 })),
      fc.option(fc.integer({ min: 1, max: 100 })),
      (all, maxAgeHours, minSuccessPct) => {
        const verdict = judgeSla({ maxAgeHours, minSuccessPct }, all, NOW);
        // Slow and plain: one result after the other.
        const late = all
          .filter(
            ({ quiet, firstSeenAt, lastSuccess }) =>
              maxAgeHours !== null &&
              !quiet &&
              NOW - (lastSuccess ?? firstSeenAt) > maxAgeHours * HOUR,
          )
          .map(({ n }) => n);
        const results = all.flatMap(({ tally: one }) => [
          ...Array.from({ length: one.success + one.warning + one.anomaly }, () => true),
          ...Array.from({ length: one.failed + one.missed }, () => false),
        ]);
        const good = results.filter(Boolean).length;
        expect(verdict.late.toSorted((a, b) => a - b)).toEqual(late);
        expect(verdict.share).toBe(results.length === 0 ? null : good / results.length);
        expect(verdict.isMet).toBe(
          late.length === 0 &&
            (minSuccessPct === null ||
              results.length === 0 ||
              (good * 100) / results.length >= minSuccessPct),
        );
      },
    ),
  );
});

test('SLA-1: the oldest is first among those that are too old', () => {
  const job = (n: number, hours: number | null): SlaJob => ({
    n,
    quiet: false,
    firstSeenAt: NOW - 60 * HOUR,
    lastSuccess: hours === null ? null : NOW - hours * HOUR,
    tally: {
      runs: 0,
      success: 0,
      warning: 0,
      anomaly: 0,
      failed: 0,
      missed: 0,
      running: 0,
      bytes: 0,
      judged: 0,
      good: 0,
    },
  });
  expect(
    judgeSla(
      { maxAgeHours: 24, minSuccessPct: 90 },
      [job(1, 25), job(2, null), job(3, 24), job(4, 30)],
      NOW,
    ),
  ).toEqual({ isMet: false, late: [2, 4, 1], share: null, jobs: 4 });
});
