import { expect, test } from 'vitest';
import type { LeanRun } from '#contract/runs/columns.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import { DEFAULT_LIST, toRunsFilter } from '#src/features/shared/runs/list-state.ts';
import { dayAt } from '#src/features/shared/date-range/dates.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { shiftNow } from '#workers/daily-checks/hand-over.ts';
import { run as makeRun } from '../columns/lean-run.ts';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const SINCE = NOW - 8 * HOUR;
const ASK = { since: SINCE, list: null };
const problem = (n: number, more: Partial<ProblemRow>): ProblemRow => ({
  n,
  job: n,
  company: 1,
  cause: 1,
  state: 'Failed',
  openedAt: SINCE - HOUR,
  lastAt: NOW,
  lastRun: n * 10,
  runs: 1,
  closedAt: null,
  closedBy: null,
  review: null,
  snooze: null,
  note: null,
  ticket: null,
  ...more,
});
const reviewed = (at: number) => ({ by: 'ann', at, comment: null });
const snoozed = (until: number) => ({ by: 'ann', at: 1, until, reason: 'later' });
const getEngine = (
  problems: readonly ProblemRow[],
  runs: readonly LeanRun[] = [],
): Parameters<typeof shiftNow>[0] => ({
  daysLeft: 0,
  engine: {
    runs: (ns) => new Map(runs.filter(({ n }) => ns.includes(n)).map((run) => [run.n, run])),
    all: ((): readonly ProblemRow[] => problems) as never,
    problem: (n) => problems.find((one) => one.n === n),
    pending: (now) =>
      problems.filter(
        ({ closedAt, review, snooze }) =>
          closedAt === null && review === null && (snooze === null || snooze.until <= now),
      ),
    row: ((table: string, n: number) => ({ name: `${table} ${n}` })) as never,
    select: () => {
      throw new Error('no list was asked of');
    },
  },
});

test('HAND-1: a shift has the reviews made in it by anyone, the open results by company, and the snoozes that end within a day', () => {
  expect(
    shiftNow(
      getEngine([
        problem(1, { review: reviewed(SINCE) }),
        problem(2, { review: reviewed(NOW - 1), closedAt: NOW }),
        problem(3, { review: reviewed(SINCE - 1) }),
        problem(4, {}),
        problem(5, { openedAt: SINCE, company: 2 }),
        problem(6, { openedAt: NOW, company: 2 }),
        problem(7, { snooze: snoozed(NOW + 24 * HOUR), company: 3 }),
        problem(8, { snooze: snoozed(NOW + 24 * HOUR + 1) }),
        problem(9, { snooze: snoozed(NOW + HOUR) }),
        problem(10, { snooze: snoozed(NOW + HOUR), closedAt: NOW - 1 }),
        problem(11, { snooze: snoozed(NOW) }),
      ]),
      ASK,
      NOW,
    ),
  ).toEqual({
    cleared: 2,
    of: 6,
    snoozed: 3,
    fresh: 2,
    older: 2,
    unlisted: null,
    open: [
      { company: 1, problems: 2, name: 'company 1' },
      { company: 2, problems: 2, name: 'company 2' },
    ],
    ending: [
      { run: 90, until: NOW + HOUR, jobName: 'job 9', companyName: 'company 1' },
      { run: 70, until: NOW + 24 * HOUR, jobName: 'job 7', companyName: 'company 3' },
    ],
  });
  expect(shiftNow(null, { since: 0, list: EVERYTHING }, NOW)).toEqual({
    cleared: 0,
    of: 0,
    snoozed: 0,
    fresh: 0,
    older: 0,
    unlisted: null,
    open: [],
    ending: [],
  });
});

const run = (n: number, elapsedSec: number | null): LeanRun =>
  makeRun(n, { problem: n / 10, startSec: (SINCE - HOUR) / 1000, elapsedSec, kind: 0 });
const count = (runs: readonly LeanRun[], more: Partial<ProblemRow> = {}): number =>
  shiftNow(getEngine([problem(1, more)], runs), ASK, NOW).fresh;

test('HAND-1: a run that started before a shift and failed during it is new in it', () => {
  expect([
    count([run(10, 3_600)]),
    count([run(10, 3_599)]),
    count([run(10, null)]),
    count([]),
    count([run(10, 7_200)], { runs: 2 }),
  ]).toEqual([1, 0, 0, 0, 0]);
});

/** The default round of a moment, with days from midnight in UTC: today and yesterday. */
const roundAt = (at: number): RunsFilter => toRunsFilter(DEFAULT_LIST, dayAt(at, UTC), UTC);
const UTC = { zone: 'UTC', hour: 0 };

test("HAND-5: open results are handed over the same at 11:55 PM and at 12:05 AM, with the number that the two days of the list don't show", () => {
  const evening = Date.UTC(2026, 10, 20, 23, 55);
  const night = evening + 10 * 60_000;
  const engine = makeEngine();
  const at = (n: number, begun: number, more: Partial<ProblemRow> = {}): void => {
    engine.put({ problem: [problem(n, { openedAt: begun, lastRun: n, ...more })] });
    engine.upsert([{ ...run(n, 60), job: n, problem: n, startSec: begun / 1000, kind: 3 }]);
  };
  at(1, evening - HOUR);
  at(2, evening - 40 * HOUR); // yesterday morning; the day before, ten minutes on
  at(3, evening - 90 * HOUR, { company: 2 });
  at(4, evening - HOUR, { company: 2, snooze: snoozed(night + 9 * HOUR) });
  at(5, evening - 30 * HOUR, { review: reviewed(evening - HOUR) });
  const getShift = (now: number, list = roundAt(now)) => {
    const {
      cleared,
      of,
      fresh,
      older: status,
      unlisted,
      open,
    } = shiftNow({ engine, daysLeft: 0 }, { since: evening - 8 * HOUR, list }, now);
    return {
      cleared,
      of,
      fresh,
      older: status,
      unlisted,
      open: open.map(({ problems }) => problems),
    };
  };
  const all = { cleared: 1, of: 4, fresh: 1, older: 2, open: [2, 1] };
  expect([getShift(evening), getShift(night)]).toEqual([
    { ...all, unlisted: 1 },
    { ...all, unlisted: 2 },
  ]);
  expect(
    [{ companies: [2] }, { review: null }, { review: 'cleared' as const }, { from: 0 }].map(
      (more) => getShift(night, { ...roundAt(night), ...more }).unlisted,
    ),
  ).toEqual([3, 2, 3, 0]);
});

test('HAND-1, OUT-4: a review counts in the shift immediately, even before it is sent', async () => {
  const { clock, annDevice, bad } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const since = clock.now();
  const [run] = bad();
  const count = (): ReturnType<typeof shiftNow> =>
    shiftNow(getLoop(api).replica, { since, list: null }, clock.now());
  const before = count();
  annDevice.wire.up = false;
  await api.send('changeExecution', {
    id: String(must(run)),
    change: { kind: 'review', comment: null },
  });
  expect(count()).toMatchObject({ cleared: before.cleared + 1, of: before.of });
  const heard: number[] = [];
  const watch = await api.watch('shiftNow', { since, list: null }, ({ cleared }) => {
    heard.push(cleared);
  });
  expect(heard).toEqual([before.cleared + 1]);
  watch.close();
});

test('HAND-5: while days are still loading, no number of unlisted results is shown', () => {
  const engine = makeEngine();
  const getShift = (daysLeft: number) =>
    shiftNow({ engine, daysLeft }, { since: SINCE, list: EVERYTHING }, NOW);
  engine.put({ problem: [problem(1, {}), problem(2, {})] });
  expect([29, 1, 0].map((left) => getShift(left).unlisted)).toEqual([null, null, 2]);
  expect(getShift(29).older).toBe(2);
});
