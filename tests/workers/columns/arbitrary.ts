/**
 * Random stores and questions, small and crowded: few numbers, so that everything meets everything.
 */
import * as fc from 'fast-check';
import type { LeanRun } from '#contract/runs/columns.ts';
import { NONE } from '#contract/runs/columns.ts';
import { EVERYTHING, GROUPS, ORDERS, REVIEW_STATES, RUN_STATES } from '#contract/runs/query.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { CauseRow, JobRow, ProblemRow } from '#contract/runs/rows.ts';
import {
  ENTITY_GROUPS,
  JOB_TYPES,
  PROBLEM_KINDS,
  PROBLEM_STATES,
  SOURCES,
  STATUSES,
} from '#contract/runs/vocabulary.ts';
import type { CompanyRow } from '#contract/users/rows.ts';

export const NOW = Date.UTC(2026, 10, 20, 9, 30);
const nowSec = NOW / 1000;

export const words = fc.oneof(
  fc.constantFrom(
    'Full backup',
    'SQL-01',
    'sql (prod) [a.*]',
    'İstanbul',
    'Straße',
    'ΟΔΟΣ',
    'a',
    '',
    'backup.',
    '\\d+',
    'end\nline',
    '😀 x',
    'nul\0nul',
    'B',
  ),
  fc.string({ maxLength: 6 }),
);
const people = ['u1', 'u2', 'nobody'];
const by = fc.constantFrom(...people);
const moment = fc.integer({ min: NOW - 20 * 86_400_000, max: NOW + 86_400_000 });

export const kind = fc
  .record({
    status: fc.nat(STATUSES.length - 1),
    anomaly: fc.boolean(),
    managed: fc.nat(2),
    source: fc.constantFrom(0, 2, 16),
    type: fc.constantFrom(0, 7, 14),
  })
  .map(
    ({ status, anomaly, managed, source, type }) =>
      status | (anomaly ? 8 : 0) | (managed << 4) | (source << 6) | (type << 11),
  );

/** The start follows from the number: a run never changes it. Several numbers share a start. */
export const getStart = (n: number): number =>
  nowSec - Math.floor(((n * 7919) % 640) / 3) * 7200 + 3600;

export const run: fc.Arbitrary<LeanRun> = fc.integer({ min: 1, max: 90 }).chain((n) =>
  fc.record({
    n: fc.constant(n),
    startSec: fc.constant(getStart(n)),
    job: fc.integer({ min: 1, max: 6 }),
    company: fc.constantFrom(1, 2, 3, 65_535),
    problem: fc.option(fc.integer({ min: 1, max: 12 })),
    elapsedSec: fc.option(fc.nat(9_000)),
    bytes: fc.option(fc.constantFrom(0, 1, NONE, NONE + 1, 5e12, 1e9)),
    kind,
    message: fc.option(words),
  }),
);

export const company: fc.Arbitrary<CompanyRow> = fc.record({
  n: fc.constantFrom(1, 2, 65_535),
  id: fc.constant('c'),
  name: words,
  madeAt: fc.constant(0),
});
export const job: fc.Arbitrary<JobRow> = fc.record({
  n: fc.integer({ min: 1, max: 7 }),
  uid: fc.constant('j'),
  key: fc.constant('k'),
  company: fc.constantFrom(1, 2),
  name: words,
  source: fc.constantFrom(...SOURCES),
  type: fc.constantFrom(...JOB_TYPES),
  group: fc.constantFrom(...ENTITY_GROUPS),
  computer: words,
  server: fc.constantFrom('', '', 'srv-1', 'srv-2', 'a'),
  managed: fc.constant(null),
  enabled: fc.constant(true),
  schedule: fc.constantFrom(
    null,
    { type: 'kind' as const, kind: 'Chained' as const },
    { type: 'cron' as const, cron: '0 3 1 * *', tz: 'UTC' },
  ),
  graceSec: fc.constant(null),
  firstSeenAt: fc.constant(0),
  missedIgnored: fc.constant(null),
  disabledIgnored: fc.constant(null),
  problem: fc.constant(null),
});
export const cause: fc.Arbitrary<CauseRow> = fc.record({
  n: fc.integer({ min: 1, max: 4 }),
  template: words,
  kind: fc.constantFrom(...PROBLEM_KINDS),
});
export const problem: fc.Arbitrary<ProblemRow> = fc.record({
  n: fc.integer({ min: 1, max: 10 }),
  job: fc.constant(1),
  company: fc.constant(1),
  cause: fc.integer({ min: 1, max: 5 }),
  state: fc.constantFrom(...PROBLEM_STATES),
  openedAt: moment,
  lastAt: moment,
  lastRun: fc.constant(1),
  runs: fc.constant(1),
  closedAt: fc.option(moment),
  closedBy: fc.constant(null),
  review: fc.option(fc.record({ by, at: moment, comment: fc.constant(null) })),
  snooze: fc.option(
    fc.record({
      by,
      at: moment,
      until: fc.constantFrom(NOW - 1, NOW, NOW + 1, NOW + 3_600_000),
      reason: fc.constant('later'),
    }),
  ),
  note: fc.option(fc.record({ by, at: moment, content: fc.constant('seen') })),
  ticket: fc.option(fc.constantFrom('#1', '#2', '#10', '', 'inc 3')),
});

const few = <T>(values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: fc.subarray([...values], { minLength: 1, maxLength: 3 }) },
  );

export const filter: fc.Arbitrary<RunsFilter> = fc.record({
  from: fc.option(moment, { freq: 2 }),
  to: fc.option(moment, { freq: 2 }),
  rows: fc.constantFrom('jobs', 'runs'),
  review: fc.option(fc.constantFrom(...REVIEW_STATES), { freq: 2 }),
  states: few(RUN_STATES),
  kinds: few(PROBLEM_KINDS),
  companies: few([1, 2, 3, 4, 65_535]),
  sources: few([SOURCES[0], SOURCES[2], SOURCES[16]]),
  types: few([JOB_TYPES[0], JOB_TYPES[7], JOB_TYPES[14]]),
  causes: few([0, 1, 2, 3, 4, 5, 99]),
  jobs: few([1, 2, 3, 7, 99]),
  managed: fc.option(fc.boolean(), { freq: 2 }),
  servers: few(['', 'srv-1', 'srv-2', 'a']),
  instructionTypes: few(ENTITY_GROUPS),
  reverse: fc.boolean(),
  group: fc.option(fc.constantFrom(...GROUPS), { freq: 2 }),
  anomaly: fc.boolean(),
  text: fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: words }),
  order: fc.constantFrom(...ORDERS),
});

/** Asks a review and one thing or two, so that much is left to be put in order. */
export const lightFilter: fc.Arbitrary<RunsFilter> = fc
  .tuple(
    filter,
    fc.subarray(
      ['from', 'to', 'states', 'companies', 'text', 'rows', 'kinds', 'servers'] as const,
      { maxLength: 2 },
    ),
  )
  .map(([{ review, anomaly, order, reverse, group, ...request }, some]) => ({
    ...EVERYTHING,
    review,
    anomaly,
    order,
    reverse,
    group,
    ...Object.fromEntries(some.map((name) => [name, request[name]])),
  }));

export type Step =
  | { readonly kind: 'segment' | 'upsert'; readonly runs: readonly LeanRun[] }
  | {
      readonly kind: 'put';
      readonly company: CompanyRow[];
      readonly job: JobRow[];
      readonly cause: CauseRow[];
      readonly problem: ProblemRow[];
    }
  | { readonly kind: 'overlay'; readonly problems: readonly ProblemRow[] }
  | { readonly kind: 'clear' };

const array = <T>(one: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(one, { maxLength, size: 'max' });
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('segment' as const, 'upsert' as const),
        runs: array(run, 40),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('put' as const),
        company: array(company, 3),
        job: array(job, 7),
        cause: array(cause, 4),
        problem: array(problem, 10),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('overlay' as const), problems: array(problem, 3) }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'clear' as const }) },
  ),
  { maxLength: 9, size: 'max' },
);
