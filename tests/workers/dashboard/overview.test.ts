import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Overview, OverviewQuery } from '#contract/dashboard/overview.ts';
import { successShare } from '#contract/dashboard/overview.ts';
import { NOW, getStart, steps } from '#tests/workers/columns/arbitrary.ts';
import type { Step } from '#tests/workers/columns/arbitrary.ts';
import { getColumns, makeBoth } from '#tests/workers/columns/both.ts';
import { ENTITY_GROUPS } from '#contract/runs/vocabulary.ts';
import { makeOverview } from '#workers/dashboard/overview.ts';
import { slowOverview } from './slow.ts';
import { run as makeRun } from '../columns/lean-run.ts';

const DAY = 86_400_000;
const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);
/** Quick where all is well; the long comparison says what is not. */
const isSame = (actual: unknown, wanted: unknown): boolean => {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual).toEqual(wanted);
  return true;
};
const few = <T>(values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: fc.subarray([...values], { minLength: 1 }) },
  );

/** The steps of the columns' tests, with disabled jobs, groups, and problems of many jobs. */
const varied = (all: readonly Step[]): Step[] =>
  all.map((step) => {
    if (step.kind === 'overlay') return { ...step, problems: step.problems.map(withRuns) };
    if (step.kind !== 'put') return step;
    return {
      ...step,
      job: step.job.map((job) => ({
        ...job,
        enabled: job.n % 3 !== 0,
        group: ENTITY_GROUPS[job.name.length % 3] ?? 'other',
      })),
      problem: step.problem.map(withRuns),
    };
  });
const withRuns = (
  problem: Extract<Step, { kind: 'overlay' }>['problems'][number],
): typeof problem => {
  const lastRun = 1 + ((problem.n * 13) % 90);
  return {
    ...problem,
    job: 1 + ((problem.n * 5) % 6),
    company: 1 + (problem.n % 3),
    lastRun,
    lastAt: problem.n % 4 === 0 ? problem.lastAt : getStart(lastRun) * 1000,
  };
};

const question = fc
  .record({
    back: fc.integer({ min: 0, max: 24 }),
    length: fc.integer({ min: 0, max: 24 }),
    hours: fc.constantFrom(0, 0, 0, 7),
    companies: few([1, 2, 3]),
    instructionTypes: few(ENTITY_GROUPS.slice(0, 4)),
  })
  .map(({ back, length, hours, companies, instructionTypes }): OverviewQuery => ({
    from: NOW - back * DAY + hours * 3_600_000,
    to: NOW + (length - back) * DAY,
    companies,
    instructionTypes,
  }));

test('OVER-1, OVER-2, OVER-3, OVER-4, OVER-5: every number equals that of plain rows, after any change, including unsent ones', () => {
  fc.assert(
    fc.property(
      steps,
      fc.array(question, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('Europe/Berlin', 'America/New_York', 'UTC'),
      fc.nat(23),
      (all, questions, timeZone, hour) => {
        const both = makeBoth(timeZone, hour);
        const stored = new Map([
          ['2026-11-10', true],
          ['2026-10-28', true],
        ]);
        const overviews = questions.map((ask) => ({ ask, overview: makeOverview() }));
        const changing = makeOverview();
        for (const step of varied(all)) {
          both.take(step);
          for (const { ask, overview } of overviews) {
            const truth = slowOverview(both.plain, stored, ask, NOW);
            expect(isSame(overview({ engine: both.engine, days: stored }, ask, NOW), truth)).toBe(
              true,
            );
            expect(isSame(changing({ engine: both.engine, days: stored }, ask, NOW), truth)).toBe(
              true,
            );
          }
        }
      },
    ),
    { numRuns: numRuns(60) },
  );
});

const must = <T>(value: T | null): T => {
  if (value === null) throw new Error('nothing here');
  return value;
};

const getJob = (n: number) => ({
  n,
  uid: `j${n}`,
  key: 'k',
  company: 1 + (n % 2),
  name: `job ${n}`,
  source: 'restic' as const,
  type: 'Backup' as const,
  group: 'other' as const,
  computer: `pc${n}`,
  server: '',
  managed: null,
  enabled: true,
  schedule: null,
  graceSec: null,
  firstSeenAt: 0,
  missedIgnored: null,
  disabledIgnored: null,
  problem: null,
});
const problem = (n: number, of: number, cause: number, state: 'Failed' | 'Warning') => ({
  n,
  job: of,
  company: 1 + (of % 2),
  cause,
  state,
  openedAt: NOW - DAY * n,
  lastAt: NOW - n * 1000,
  lastRun: n,
  runs: 1,
  closedAt: null,
  closedBy: null,
  review: null,
  snooze: null,
  note: null,
  ticket: null,
});
const run = (
  n: number,
  of: number,
  daysBack: number,
  kind: number,
  elapsedSec: number | null,
  bytes: number | null,
) =>
  makeRun(n, {
    job: of,
    company: 1 + (of % 2),
    startSec: Math.floor((NOW - daysBack * DAY) / 1000) - n,
    elapsedSec,
    bytes,
    kind,
  });
function small() {
  const both = makeBoth('UTC', 0);
  both.take({
    kind: 'put',
    company: [
      { n: 1, id: 'a', name: 'A', madeAt: 0 },
      { n: 2, id: 'b', name: 'B', madeAt: 0 },
    ],
    cause: [
      { n: 1, template: 'no space', kind: 'space' },
      { n: 2, template: 'locked', kind: 'locked' },
    ],
    problem: [],
    job: [1, 2, 3, 4].map(getJob),
  });
  return both;
}
const days = new Map([['2026-10-01', true]]);
const ASK: OverviewQuery = {
  from: Date.UTC(2026, 10, 14),
  to: Date.UTC(2026, 10, 21),
  companies: [],
  instructionTypes: [],
};

test('OVER-4: a cause that two jobs share is one line, others are one per job; the worst state comes first, and reviewed ones are left out', () => {
  const both = small();
  const overview = makeOverview();
  both.take({
    kind: 'put',
    company: [],
    cause: [],
    job: [],
    problem: [problem(1, 1, 1, 'Warning'), problem(2, 2, 1, 'Warning'), problem(3, 3, 2, 'Failed')],
  });
  const lines = (): unknown =>
    must(overview({ engine: both.engine, days }, ASK, NOW)).attention.map(
      ({ state, cause, jobs, jobName, companies }) => ({ state, cause, jobs, jobName, companies }),
    );
  expect(lines()).toEqual([
    { state: 'Failed', cause: null, jobs: 1, jobName: 'job 3', companies: 1 },
    { state: 'Warning', cause: 1, jobs: 2, jobName: 'job 1', companies: 2 },
  ]);
  both.take({
    kind: 'overlay',
    problems: [
      { ...problem(3, 3, 2, 'Failed'), review: { by: 'u1', at: NOW, comment: null } },
      {
        ...problem(2, 2, 1, 'Warning'),
        snooze: { by: 'u1', at: NOW, until: NOW + 1, reason: 'known' },
      },
    ],
  });
  expect(lines()).toEqual([
    { state: 'Warning', cause: null, jobs: 1, jobName: 'job 1', companies: 1 },
  ]);
  expect(must(overview({ engine: both.engine, days }, ASK, NOW + 2)).pending).toBe(2);
});

test('OVER-5: rankings have up to five jobs of the period, and runs without a length or size count in none', () => {
  const both = small();
  const overview = makeOverview();
  both.take({
    kind: 'upsert',
    runs: [
      run(1, 1, 0, 3, 10, 5),
      run(2, 1, 1, 4, 30, null),
      run(3, 2, 0, 1, 25, 7),
      run(4, 2, 0, 0, 999, null),
      run(5, 3, 9, 3, 999, 999),
      run(6, 4, 0, 5, 999, null),
    ],
  });
  const view = must(overview({ engine: both.engine, days }, ASK, NOW));
  expect(view.mostFailures.map(({ jobName, value }) => [jobName, value])).toEqual([['job 1', 2]]);
  expect(view.longest.map(({ jobName, value }) => [jobName, value])).toEqual([
    ['job 2', 25],
    ['job 1', 20],
  ]);
  expect(view.mostTransferred.map(({ jobName, value }) => [jobName, value])).toEqual([
    ['job 2', 7],
    ['job 1', 5],
  ]);
  expect(view.jobs).toEqual({ all: 4, disabled: 0, neverRan: 1, companies: 2 });
  expect(successShare(view.now)).toBe(1 / 4);
  expect(successShare(view.before)).toBe(0);
});

test('OVER-6: unchanged rows are not computed again', () => {
  const both = small();
  const overview = makeOverview();
  both.engine.addSegment(getColumns([run(1, 1, 0, 1, 10, 5), run(2, 2, 0, 1, 10, 5)]));
  both.engine.addSegment(getColumns([run(3, 1, 5, 1, 10, 5), run(4, 2, 6, 1, 10, 5)]));
  const look = (): Omit<Overview, 'version'> =>
    must(overview({ engine: both.engine, days }, ASK, NOW));
  look();
  const reads = new Map<number, number>();
  both.engine.walk(0, Infinity, (piece) => {
    const { bytesLow } = piece.cols;
    Object.defineProperty(piece.cols, 'bytesLow', {
      get: () => {
        reads.set(piece.minN, (reads.get(piece.minN) ?? 0) + 1);
        return bytesLow;
      },
    });
  });
  expect(look().now.runs).toBe(4);
  expect([...reads]).toEqual([]);
  both.engine.upsert([run(2, 2, 0, 3, 10, 5)]); // of the newer piece
  look(); // sums by job are made without the days that moved
  reads.clear();
  both.engine.upsert([run(2, 2, 0, 4, 10, 6)]);
  expect(look().now).toMatchObject({ runs: 4, failed: 1, bytes: 21 });
  expect([...reads.keys()]).toEqual([1]);
  reads.clear();
  for (let i = 0; i < 30; i++) look(); // rests, and is kept again
  reads.clear();
  look();
  expect([...reads.keys()]).toEqual([]);
  both.engine.upsert([run(2, 2, 0, 3, 10, 7)]);
  expect(look().mostTransferred.map(({ value }) => value)).toEqual([12, 10]);
});
