import { expect, test } from 'vitest';
import { EVERYTHING, ofGroup, SINGLE_CAUSES } from '#contract/runs/query.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { CauseRow, ProblemRow } from '#contract/runs/rows.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { nameKey, Ranks, sortedNames, UNKNOWN } from '#workers/columns/order-names.ts';
import { NOW } from './arbitrary.ts';
import { run } from './lean-run.ts';

const company = (n: number, name: string) => ({ n, id: `c${n}`, name, madeAt: 0 });
const problem = (n: number, reviewed: boolean) => ({
  n,
  job: n,
  company: 1,
  cause: 1,
  state: 'Failed' as const,
  openedAt: 0,
  lastAt: 0,
  lastRun: n,
  runs: 1,
  closedAt: null,
  closedBy: null,
  review: reviewed ? { by: 'u', at: 1, comment: null } : null,
  snooze: null,
  note: null,
  ticket: null,
});
const at = (n: number, job: number, cause: number, cleared = false): ProblemRow => ({
  ...problem(n, cleared),
  job,
  cause,
});
const [SUCCESS, WARNING, FAILED] = [1, 2, 3] as const;

test('COL-12: names sort as people read them: any case, no accents, numbers by value; equal ones by their letters', () => {
  const names = [
    'Ähre',
    'ähre 2',
    'Bäcker',
    'Backup 2',
    'Backup 010',
    'backup 10',
    'İzmir',
    'Job 9',
    'job 100',
    'job 999999999',
    'job 1000000000',
    'Straße 1',
    'strasse 2',
    'Zoo',
  ];
  expect(sortedNames(names.toReversed())).toEqual(names);
  expect(nameKey('sql 12') < nameKey('sql 123')).toBe(true);
  expect(nameKey('sql 123') < nameKey('sql 99999999999999999999')).toBe(true);
  expect(nameKey('a9b') < nameKey('a10a')).toBe(true);
});

test('COL-12: ranks follow changed names, and a missing or empty name has none', () => {
  const ranks = new Ranks();
  for (const [n, name] of [
    [1, 'b'],
    [2, 'a'],
    [3, 'B'],
    [5, 'b'],
    [6, ''],
  ] as const)
    ranks.set(n, name);
  expect([...ranks.to(7)]).toEqual([UNKNOWN, 2, 0, 1, UNKNOWN, 2, UNKNOWN, UNKNOWN]);
  ranks.set(2, 'c');
  expect([...ranks.to(3)]).toEqual([UNKNOWN, 1, 2, 0, UNKNOWN, 1, UNKNOWN]);
  ranks.clear();
  ranks.set(2, 'z');
  expect([...ranks.to(1)]).toEqual([UNKNOWN, UNKNOWN, 0]);
});

test('COL-10: rows without a value come last in both directions, equal ones newest first', () => {
  const engine = makeEngine();
  engine.upsert([
    run(1, { bytes: 5 }),
    run(2, { bytes: null }),
    run(3, { bytes: 2 ** 40 }),
    run(4, { bytes: 5 }),
    run(5, { bytes: 2 ** 40 + 7 }),
    run(6, { bytes: null }),
  ]);
  const by = (more: Partial<RunsFilter>): number[] => [
    ...engine.select({ ...EVERYTHING, ...more }, NOW).ids(),
  ];
  expect(by({ order: 'bytes' })).toEqual([4, 1, 3, 5, 6, 2]);
  expect(by({ order: 'bytes', reverse: true })).toEqual([5, 3, 4, 1, 6, 2]);
  expect(by({ order: 'newest', reverse: true })).toEqual([1, 2, 3, 4, 5, 6]);
});

test('COL-10: a sort key is updated when it changes: a name, a successful run, a ticket', () => {
  const engine = makeEngine();
  const by = (order: RunsFilter['order']): number[] => [
    ...engine.select({ ...EVERYTHING, order }, NOW).ids(),
  ];
  engine.put({ company: [company(1, 'Bakery'), company(2, 'Clinic')] });
  engine.upsert([
    run(1, { job: 1, company: 1 }),
    run(2, { job: 2, company: 2, kind: FAILED }),
    run(3, { job: 2, company: 2, kind: WARNING }),
  ]);
  expect([by('company'), by('lastGood')]).toEqual([
    [1, 3, 2],
    [1, 3, 2],
  ]);
  engine.put({ company: [company(1, 'Dentist')] });
  engine.upsert([run(4, { job: 1, company: 1 })]);
  expect([by('company'), by('lastGood')]).toEqual([
    [3, 2, 4, 1],
    [3, 2, 4, 1],
  ]);
});

test('COL-11: group headings sort by worst state, then row count, then title, and count reviewed rows whatever the review filter', () => {
  const engine = makeEngine();
  engine.put({
    company: [company(1, 'Zoo'), company(2, 'Äpfel'), company(3, 'Bakery'), company(4, 'Clinic')],
    problem: [problem(1, false), problem(2, true), problem(3, false)],
  });
  engine.upsert([
    run(1, { company: 4, kind: SUCCESS }),
    run(2, { company: 4, kind: SUCCESS }),
    run(3, { company: 1, kind: FAILED, problem: 1 }),
    run(4, { company: 1, kind: FAILED, problem: 2, job: 2 }),
    run(5, { company: 3, kind: FAILED, problem: 3, job: 3 }),
    run(6, { company: 2, kind: FAILED, problem: 3, job: 3 }),
    run(7, { company: 1, kind: SUCCESS, job: 2 }),
  ]);
  const all = engine
    .select({ ...EVERYTHING, group: 'company' }, NOW)
    .lines({ first: 0, count: 50 }, [1]);
  expect(
    all.heads.map(({ title, line, rows, jobs, worst, folded, progress }) => [
      title,
      line,
      rows,
      jobs,
      worst,
      folded,
      progress.cleared,
      progress.of,
    ]),
  ).toEqual([
    ['Zoo', 0, 3, 2, 'Failed', true, 1, 2],
    ['Äpfel', 1, 1, 1, 'Failed', false, 0, 1],
    ['Bakery', 3, 1, 1, 'Failed', false, 0, 1],
    ['Clinic', 5, 2, 1, 'Success', false, 0, 0],
  ]);
  expect([all.count, [...all.rows.ids()]]).toEqual([8, [6, 5, 2, 1]]);
  const pending = engine.select({ ...EVERYTHING, group: 'company', review: 'pending' }, NOW);
  expect(pending.counts(1)).toEqual({
    rows: 1,
    jobs: 1,
    companies: 1,
    worst: 'Failed',
    progress: { cleared: 1, of: 2 },
  });
  expect(pending.lines({ first: 1, count: 1 }, []).rows.total).toBe(1);
});

test('COL-13: causes of only one job share one heading after those that jobs share, whatever was reviewed; rows without a cause come last', () => {
  const engine = makeEngine();
  const causes = ['Host is away', 'Disk is full', 'No space', 'Locked', 'Half'].map(
    (template, i): CauseRow => ({ n: i + 1, template, kind: 'other' }),
  );
  engine.put({
    cause: causes,
    problem: [
      at(1, 1, 1),
      at(2, 2, 1, true),
      at(3, 3, 2),
      at(4, 4, 3),
      at(5, 5, 4, true),
      at(6, 6, 5, true),
      at(7, 7, 5, true),
    ],
  });
  engine.upsert([
    run(1, { job: 1, problem: 1, kind: WARNING }),
    run(2, { job: 2, problem: 2, kind: WARNING }),
    ...[3, 4, 5, 6, 7].map((n) => run(n, { job: n, problem: n, kind: FAILED })),
    run(8, { job: 8, kind: FAILED }),
  ]);
  const selectLines = (review: RunsFilter['review'], folded: readonly (number | string)[] = []) =>
    engine
      .select({ ...EVERYTHING, group: 'cause', review }, NOW)
      .lines({ first: 0, count: 50 }, folded);
  const words = ({ heads }: ReturnType<typeof selectLines>) =>
    heads.map(({ key, title, rows, jobs, worst, progress: { cleared, of } }) => [
      key,
      title,
      rows,
      jobs,
      worst,
      cleared,
      of,
    ]);
  expect(words(selectLines(null))).toEqual([
    [5, 'Half', 2, 2, 'Failed', 2, 2],
    [1, 'Host is away', 2, 2, 'Warning', 1, 2],
    [SINGLE_CAUSES, '', 3, 3, 'Failed', 1, 3],
    [0, '', 1, 1, 'Failed', 0, 0],
  ]);
  // The host's other job is dealt with: its cause is still one that jobs share. The lock is counted
  // with the single ones that are dealt with.
  expect(words(selectLines('pending'))).toEqual([
    [1, 'Host is away', 1, 1, 'Warning', 1, 2],
    [SINGLE_CAUSES, '', 2, 2, 'Failed', 1, 3],
  ]);
  const [, single] = selectLines('pending').heads;
  expect(single?.causes).toEqual([2, 3, 4]);
  expect([
    ...engine
      .select(
        ofGroup({ ...EVERYTHING, group: 'cause', review: 'pending' }, single ?? { key: 0 }),
        NOW,
      )
      .ids(),
  ]).toEqual([4, 3]);
  expect([...selectLines('pending', [SINGLE_CAUSES]).rows.ids()]).toEqual([1]);
});

test('COL-3: the number of anomalies counts them as if they were problems', () => {
  const engine = makeEngine();
  const anomaly = SUCCESS | 8;
  engine.put({
    problem: [
      {
        n: 1,
        job: 1,
        company: 1,
        cause: 1,
        state: 'Anomaly',
        openedAt: 0,
        lastAt: 0,
        lastRun: 1,
        runs: 1,
        closedAt: null,
        closedBy: null,
        review: null,
        snooze: null,
        note: null,
        ticket: null,
      },
    ],
  });
  engine.upsert([
    run(1, { kind: anomaly, problem: 1 }),
    run(2),
    run(3, { kind: anomaly, problem: 1, company: 2 }),
  ]);
  const countAnomalies = (more: Partial<RunsFilter>) =>
    engine
      .select({ ...EVERYTHING, anomaly: false, ...more }, NOW)
      .facets.anomaly.map(({ count }) => count);
  expect([
    countAnomalies({}),
    countAnomalies({ review: 'pending' }),
    countAnomalies({ review: 'none' }),
    countAnomalies({ review: 'pending', companies: [1] }),
    countAnomalies({ anomaly: true, review: 'pending' }),
  ]).toEqual([
    [2, 1],
    [2, 0],
    [0, 1],
    [1, 0],
    [2, 0],
  ]);
});
