import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { abandonedAt, getCadence, getExpectation } from '#contract/problems/expectation.ts';
import { emptyStat } from '#contract/runs/fold.ts';
import type { JobSchedule } from '#contract/runs/rows.ts';
import { cronNext } from '#server/platform/jobs/cron.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Monday. */
const MONDAY = Date.parse('2026-03-02T02:00:00Z');
const job = (schedule: JobSchedule | null = null, graceSec: number | null = null) => ({
  enabled: true,
  schedule,
  graceSec,
  firstSeenAt: MONDAY - 30 * DAY,
  missedIgnored: null,
});
const nightly: JobSchedule = { type: 'cron', cron: '0 2 * * *', tz: 'UTC' };
const stat = (more: Partial<ReturnType<typeof emptyStat>> = {}) => ({ ...emptyStat(1), ...more });
const early = MONDAY - 60 * DAY;
const of = (
  schedule: JobSchedule | null,
  more: Parameters<typeof stat>[0],
  bootedAt = early,
  grace: number | null = null,
) => getExpectation(job(schedule, grace), stat(more), bootedAt, cronNext);

test('RUN-3: by a declared schedule, after the last start, with the grace that was declared', () => {
  expect(of(nightly, { lastStart: MONDAY })).toEqual({
    at: MONDAY + DAY,
    graceMs: HOUR,
    dueAt: MONDAY + DAY + HOUR,
    from: 'schedule',
  });
  expect(of(nightly, { lastStart: MONDAY }, early, 600)?.dueAt).toBe(MONDAY + DAY + 600_000);
  expect(of({ type: 'every', everySec: 3_600 }, { lastStart: MONDAY })).toMatchObject({
    at: MONDAY + HOUR,
    graceMs: HOUR / 4,
  });
  expect(of({ type: 'every', everySec: 86_400 }, {})?.at).toBe(MONDAY - 29 * DAY);
});

test('RUN-3: a cron line is read in its zone, also across a change of the clocks', () => {
  const berlin: JobSchedule = { type: 'cron', cron: '30 3 * * *', tz: 'Europe/Berlin' };
  const at = of(berlin, { lastStart: Date.parse('2026-03-28T02:30:00Z') })?.at ?? 0;
  expect(new Date(at).toISOString()).toBe('2026-03-29T01:30:00.000Z');
});

test('RUN-3: a run a little before its time is the one that was expected; a late one does not move the next', () => {
  expect(of(nightly, { lastStart: MONDAY - 2_000 })?.at).toBe(MONDAY + DAY);
  expect(of(nightly, { lastStart: MONDAY + 7 * 60_000 })?.at).toBe(MONDAY + DAY);
});

test('RUN-3: nothing is expected of a job that is disabled, runs, or of which nothing is known', () => {
  expect(
    getExpectation(
      { ...job(nightly), enabled: false },
      stat({ lastStart: MONDAY }),
      early,
      cronNext,
    ),
  ).toBeNull();
  expect(of(nightly, { lastStart: MONDAY, running: 4 })).toBeNull();
  expect(of(null, { lastStart: MONDAY, starts: [MONDAY - DAY, MONDAY] })).toBeNull();
});

test('RUN-3: a cadence is learned from four starts on, where it is steady', () => {
  const starts = [4, 3, 2, 1, 0].map((n) => MONDAY - n * DAY + n * 60_000);
  const expected = of(null, { starts, lastStart: MONDAY });
  expect(expected?.from).toBe('cadence');
  expect(Math.abs((expected?.at ?? 0) - (MONDAY + DAY))).toBeLessThan(5 * 60_000);
  expect(expected?.graceMs).toBeCloseTo(6 * HOUR, -6);
  expect(getCadence(starts.slice(0, 3))).toBeNull();
  // A retry ten minutes after a failure is no cadence.
  expect(getCadence([0, 600_000, DAY, DAY + 600_000, 2 * DAY, 2 * DAY + 600_000])).toBeNull();
});

test('RUN-3: the weekend of a job that runs on workdays is learned, and a single unusual gap is ignored', () => {
  const workdays = Array.from({ length: 28 }, (_, n) => MONDAY - n * DAY).filter(
    (at) => ![0, 6].includes(new Date(at).getUTCDay()),
  );
  expect(getCadence(workdays)).toEqual({ median: DAY, longest: 3 * DAY });
  expect(
    getCadence([...Array.from({ length: 20 }, (_, n) => MONDAY + n * DAY), MONDAY - 5 * DAY]),
  ).toEqual({ median: DAY, longest: DAY });
});

test("RUN-3: what fell into the server's own downtime waits its grace from the boot, and of several the last counts", () => {
  const boot = MONDAY + 3 * DAY + 12 * HOUR;
  expect(of(nightly, { lastStart: MONDAY }, boot)).toMatchObject({
    at: MONDAY + 3 * DAY,
    dueAt: boot + HOUR,
  });
  expect(of({ type: 'every', everySec: 86_400 }, { lastStart: MONDAY }, boot)).toMatchObject({
    at: MONDAY + 3 * DAY,
    dueAt: boot + HOUR,
  });
  expect(of(nightly, { lastStart: boot - 10 * HOUR }, boot)).toMatchObject({
    at: MONDAY + 4 * DAY,
    dueAt: MONDAY + 4 * DAY + HOUR,
  });
});

test('RUN-3: after a miss the next comes a period later, a day later at the least', () => {
  expect(of(nightly, { lastStart: MONDAY, missedFor: MONDAY + DAY })?.at).toBe(MONDAY + 2 * DAY);
  expect(
    of({ type: 'every', everySec: 300 }, { lastStart: MONDAY, missedFor: MONDAY + 300_000 })?.at,
  ).toBe(MONDAY + 300_000 + DAY);
  expect(
    of(
      { type: 'cron', cron: '*/15 * * * *', tz: 'UTC' },
      { lastStart: MONDAY, missedFor: MONDAY + 900_000 },
    )?.at,
  ).toBe(MONDAY + 900_000 + DAY);
  expect(
    of({ type: 'every', everySec: 7 * 86_400 }, { lastStart: MONDAY, missedFor: MONDAY + 7 * DAY })
      ?.at,
  ).toBe(MONDAY + 14 * DAY);
});

test('RUN-3: an expectation lies after what is known, is due after it, and marking it moves it on', () => {
  const schedule = fc.oneof(
    fc
      .integer({ min: 60, max: 10 * 86_400 })
      .map((everySec): JobSchedule => ({ type: 'every', everySec })),
    fc
      .constantFrom('0 2 * * *', '*/10 * * * *', '15 3 * * 1-5', '0 0 1 * *', '30 22 * * sun')
      .map((cron): JobSchedule => ({ type: 'cron', cron, tz: 'Europe/Berlin' })),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      schedule,
      fc.array(fc.integer({ min: 0, max: 40 * 24 }), { maxLength: 12 }),
      fc.integer({ min: -50, max: 50 }),
      fc.option(fc.nat(100_000)),
      (declared, hours, boot, grace) => {
        const starts = hours.map((hour) => MONDAY - hour * HOUR);
        const bootedAt = MONDAY + boot * DAY;
        let known = stat({ starts, lastStart: starts.length === 0 ? null : Math.max(...starts) });
        for (let i = 0; i < 4; i += 1) {
          const expected = getExpectation(job(declared, grace), known, bootedAt, cronNext);
          if (expected === null) return;
          expect(expected.at).toBeGreaterThan(
            known.missedFor ?? known.lastStart ?? MONDAY - 30 * DAY,
          );
          expect(expected.dueAt).toBe(
            Math.max(expected.at, bootedAt > expected.at ? bootedAt : expected.at) +
              expected.graceMs,
          );
          expect(expected.at - (known.missedFor ?? -Infinity)).toBeGreaterThanOrEqual(
            DAY - 11 * 60_000,
          );
          known = { ...known, missedFor: expected.at };
        }
      },
    ),
    runs(300),
  );
});

const quiet = (
  schedule: JobSchedule | null,
  until: number,
  more: Parameters<typeof stat>[0],
  bootedAt = early,
) =>
  getExpectation(
    { ...job(schedule), missedIgnored: { by: 'u', at: MONDAY + HOUR, until } },
    stat(more),
    bootedAt,
    cronNext,
  );

test('DESK-4: of a job that is ignored the first of its times after the end is expected, as if there had been no miss', () => {
  const until = MONDAY + 3 * DAY + HOUR;
  expect(quiet(nightly, until, { lastStart: MONDAY })?.at).toBe(MONDAY + 4 * DAY);
  expect(quiet(nightly, MONDAY + 3 * DAY, { lastStart: MONDAY })?.at).toBe(MONDAY + 3 * DAY);
  expect(
    quiet({ type: 'every', everySec: 3_600 }, until, {
      lastStart: MONDAY,
      missedFor: MONDAY + HOUR,
    })?.at,
  ).toBe(until);
  expect(quiet({ type: 'every', everySec: 7_200 }, until, { lastStart: MONDAY })?.at).toBe(
    until + HOUR,
  );
  // A miss after the end counts again: a line a day.
  expect(
    quiet({ type: 'every', everySec: 3_600 }, until, { lastStart: MONDAY, missedFor: until })?.at,
  ).toBe(until + DAY);
  // The server was down at the end, and after it.
  expect(quiet(nightly, until, { lastStart: MONDAY }, MONDAY + 6 * DAY + HOUR)).toMatchObject({
    at: MONDAY + 6 * DAY,
    dueAt: MONDAY + 6 * DAY + 2 * HOUR,
  });
  // A success since it was said ends it; a failure, and a success before, do not.
  expect(quiet(nightly, until, { lastStart: MONDAY + DAY, lastSuccess: MONDAY + DAY })?.at).toBe(
    MONDAY + 2 * DAY,
  );
  expect(quiet(nightly, until, { lastStart: MONDAY + DAY, lastSuccess: MONDAY })?.at).toBe(
    MONDAY + 4 * DAY,
  );
});

test('DESK-4: whatever its schedule and history, nothing of an ignored job is expected before the end, and something is after it', () => {
  const schedule = fc.oneof(
    fc
      .integer({ min: 60, max: 10 * 86_400 })
      .map((everySec): JobSchedule => ({ type: 'every', everySec })),
    fc
      .constantFrom('0 2 * * *', '*/10 * * * *', '15 3 * * 1-5', '30 22 * * sun')
      .map((cron): JobSchedule => ({ type: 'cron', cron, tz: 'Europe/Berlin' })),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      schedule,
      fc.array(fc.integer({ min: 0, max: 40 * 24 }), { maxLength: 12 }),
      fc.integer({ min: -5, max: 60 }),
      fc.integer({ min: 1, max: 5_000_000 }),
      fc.option(fc.nat(30)),
      (declared, hours, boot, sec, missed) => {
        const starts = hours.map((hour) => MONDAY - hour * HOUR);
        const known = stat({
          starts,
          lastStart: starts.length === 0 ? null : Math.max(...starts),
          missedFor: missed === null ? null : MONDAY + missed * DAY,
        });
        const until = MONDAY + sec * 1_000;
        const bootedAt = MONDAY + boot * DAY;
        const expected = quiet(declared, until, known, bootedAt);
        expect(expected === null).toBe(
          getExpectation(job(declared), known, bootedAt, cronNext) === null,
        );
        if (expected === null) return;
        expect(expected.at).toBeGreaterThanOrEqual(until);
        expect(expected.dueAt).toBeGreaterThan(until);
        expect(expected.at - Math.max(until, bootedAt, known.missedFor ?? 0)).toBeLessThanOrEqual(
          41 * DAY,
        );
      },
    ),
    runs(500),
  );
});

test('RUN-3: a run that never ends is abandoned after its grace period, or after a day if nothing is known about it', () => {
  expect(abandonedAt(MONDAY, { graceSec: 60 }, { durations: [] }, early)).toBe(MONDAY + 60_000);
  expect(abandonedAt(MONDAY, { graceSec: 60 }, { durations: [600] }, early)).toBe(MONDAY + 660_000);
  expect(abandonedAt(MONDAY, { graceSec: null }, { durations: [] }, early)).toBe(MONDAY + DAY);
  expect(abandonedAt(MONDAY, { graceSec: null }, { durations: [600] }, early)).toBe(
    MONDAY + 600_000 + HOUR,
  );
  expect(abandonedAt(MONDAY, { graceSec: 60 }, { durations: [] }, MONDAY + DAY)).toBe(
    MONDAY + DAY + 60_000,
  );
});
