import { expect, test } from 'vitest';
import type { LeanRun } from '#contract/runs/columns.ts';
import { encodeColumns, NONE, newestFirst, viewColumns } from '#contract/runs/columns.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsFilter } from '#contract/runs/query.ts';
import type { ProblemRow } from '#contract/runs/rows.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { NOW } from './arbitrary.ts';
import { run } from './lean-run.ts';
import { getColumns, makeBoth } from './both.ts';
import { answer } from './oracle.ts';

const getIds = (
  engine: ReturnType<typeof makeEngine>,
  more: Partial<typeof EVERYTHING> = {},
): number[] => [...engine.select({ ...EVERYTHING, ...more }, NOW).ids()];

test('COL-2, COL-7: an empty store and a store with one run answer queries', () => {
  const engine = makeEngine();
  const nothing = engine.select({ ...EVERYTHING, rows: 'jobs', order: 'worst', text: 'x' }, NOW);
  expect([
    nothing.total,
    [...nothing.ids()],
    nothing.progress,
    engine.newestAt,
    engine.size,
  ]).toEqual([0, [], { cleared: 0, of: 0 }, null, 0]);
  expect(engine.view(nothing, { first: 0, count: 50 }, NOW)).toEqual([]);
  engine.addSegment(getColumns([]));
  engine.upsert([run(7)]);
  const one = engine.select(EVERYTHING, NOW);
  expect([one.total, [...one.ids()], engine.newestAt, engine.size]).toEqual([1, [7], 1_007_000, 1]);
  expect(engine.view(one, { first: 0, count: 50 }, NOW)).toHaveLength(1);
  expect(engine.view(one, { first: 1, count: 50 }, NOW)).toEqual([]);
  expect(engine.view(one, { first: -5, count: 0 }, NOW)).toEqual([]);
});

test('COL-2: a period includes its first millisecond and excludes its end, at any fraction of a second', () => {
  const engine = makeEngine();
  engine.upsert([
    run(1, { startSec: 10 }),
    run(2, { startSec: 11 }),
    run(3, { startSec: 11 }),
    run(4, { startSec: 12 }),
  ]);
  expect(getIds(engine, { from: 11_000, to: 12_000 })).toEqual([3, 2]);
  expect(getIds(engine, { from: 10_001, to: 12_001 })).toEqual([4, 3, 2]);
  expect(getIds(engine, { from: 11_001, to: 12_000 })).toEqual([]);
  expect(getIds(engine, { to: 11_001 })).toEqual([3, 2, 1]);
});

test('COL-1: 16,385 runs added at once, as two overlapping pages, or one by one make the same store', () => {
  const runs = Array.from({ length: 16_385 }, (_, i) =>
    run(i + 1, {
      startSec: 5_000 + (i >> 2),
      job: 1 + (i % 9),
      message: i % 100 === 0 ? `m${i}` : null,
    }),
  ).sort(newestFirst);
  const whole = makeEngine();
  const cut = makeEngine();
  const late = makeEngine();
  whole.addSegment(viewColumns(encodeColumns(runs).buffer));
  cut.addSegment(viewColumns(encodeColumns(runs.slice(8_000)).buffer));
  cut.addSegment(viewColumns(encodeColumns(runs.slice(0, 8_010)).buffer));
  late.addSegment(viewColumns(encodeColumns(runs.filter((_, i) => i % 2_000 !== 7)).buffer));
  late.upsert(runs.filter((_, i) => i % 2_000 === 7).toReversed());
  const truth = runs.map(({ n }) => n);
  for (const engine of [whole, cut, late]) {
    expect(engine.size).toBe(16_385);
    expect(getIds(engine)).toEqual(truth);
    expect(getIds(engine, { text: 'm1000' })).toEqual([10_001, 1_001]);
    expect(engine.runs(truth)).toEqual(new Map(runs.map((one) => [one.n, one])));
  }
});

test('COL-1, COL-8: segments longer than two pages are split, and thousands of corrected messages stay searchable', () => {
  const both = makeBoth();
  const old = Array.from({ length: 16_384 }, (_, i) => run(i * 3 + 1, { startSec: 5_000 + i }));
  both.take({ kind: 'segment', runs: old });
  both.take({
    kind: 'segment',
    runs: old.map((one) => run(one.n + 1, { startSec: one.startSec })),
  });
  both.take({
    kind: 'upsert',
    runs: old
      .slice(0, 9_000)
      .map((one) => run(one.n + 2, { startSec: one.startSec, kind: 3, message: `late ${one.n}` })),
  });
  both.take({
    kind: 'upsert',
    runs: old.slice(0, 3_000).map((one) => ({ ...one, message: `told ${one.n}` })),
  });
  for (const text of ['late 1', 'told']) {
    const request = { ...EVERYTHING, text, order: 'worst' as const };
    expect([...both.engine.select(request, NOW).ids()]).toEqual(
      answer(both.plain, request, NOW).ids,
    );
  }
});

/** Two in a hundred failed, with one of three problems; forty companies; some say something. */
const mixed = (n: number): LeanRun =>
  run(n, {
    kind: n % 50 === 0 ? 3 : 1,
    company: 1 + (n % 40),
    problem: n % 50 === 0 ? 1 + (n % 3) : null,
    message: n % 70 === 0 ? `m${n}` : null,
  });
const getTrouble = (n: number): ProblemRow => ({
  n,
  job: 1,
  company: 1,
  cause: n,
  state: 'Failed',
  openedAt: 0,
  lastAt: 0,
  lastRun: 1,
  runs: 1,
  closedAt: null,
  closedBy: null,
  review: n === 1 ? { by: 'u1', at: 0, comment: null } : null,
  snooze: null,
  note: null,
  ticket: null,
});

test('COL-2, COL-3, COL-9: a query on a single column returns what plain rows do, with few rows, most rows and rows without a problem, before and after a change', () => {
  const failed = { states: ['Failed'] } satisfies Partial<RunsFilter>;
  const max = Array.from({ length: 30 }, (_, i) => i);
  const questions: Partial<RunsFilter>[] = [
    {},
    failed,
    { states: ['Success'] },
    { companies: max },
    { companies: [7, 9] },
    { review: 'pending' },
    { review: 'none' },
    { causes: [3] },
    { text: 'm14' },
    { text: 'm told' },
    { from: 1_501_000, companies: max },
    { to: 3_502_000, companies: max },
  ];
  for (const [size, asks] of [
    [3_000, questions],
    [33_000, [failed]],
  ] as const) {
    // as one piece: a page, and more than a piece grows to
    const both = makeBoth();
    both.take({ kind: 'put', company: [], job: [], cause: [], problem: [1, 2, 3].map(getTrouble) });
    both.take({ kind: 'segment', runs: Array.from({ length: size }, (_, i) => mixed(i + 1)) });
    for (const changed of [[], [50, 51, 52, size]]) {
      both.take({
        kind: 'upsert',
        runs: changed.map((n) => ({
          ...mixed(n),
          kind: 4,
          company: 7,
          problem: n % 2 === 0 ? 2 : null,
          message: 'm told',
        })),
      });
      for (const more of asks) {
        const request = { ...EVERYTHING, ...more };
        const details = both.engine.select(request, NOW);
        const truth = answer(both.plain, request, NOW);
        expect(details.facets).toEqual(truth.facets);
        expect(
          Buffer.from(details.ids().buffer).equals(Buffer.from(Uint32Array.from(truth.ids).buffer)),
        ).toBe(true);
      }
    }
  }
});

test("COL-1: columns are copied: changes in the store don't affect the source", () => {
  const columns = getColumns([run(1), run(2)]);
  const before = columns.kind.slice();
  const engine = makeEngine();
  engine.addSegment(columns);
  engine.upsert([run(2, { kind: 3, message: 'bad' })]);
  expect(columns.kind).toEqual(before);
});

test('COL-1: unknown lengths and sizes stay unknown, and the largest stay exact', () => {
  const engine = makeEngine();
  const known = run(2, { bytes: 2 ** 47, elapsedSec: NONE - 1 });
  engine.upsert([run(1, { bytes: null, elapsedSec: null }), known]);
  expect(
    engine
      .view(engine.select(EVERYTHING, NOW), { first: 0, count: 2 }, NOW)
      .map(({ bytes, durationSec }) => [bytes, durationSec]),
  ).toEqual([
    [2 ** 47, NONE - 1],
    [null, null],
  ]);
});

test('COL-8: a correction of a run wins over a segment added later; among segments, the later wins', () => {
  const engine = makeEngine();
  engine.addSegment(getColumns([run(1, { message: 'first' }), run(2, { message: 'first' })]));
  engine.upsert([run(1, { message: 'told' })]);
  engine.addSegment(getColumns([run(1, { message: 'later' }), run(2, { message: 'later' })]));
  expect([...engine.runs([1, 2]).values()].map(({ message }) => message)).toEqual([
    'later',
    'told',
  ]);
});

test('COL-4: a search term matches its characters literally, in any case and any alphabet', () => {
  const engine = makeEngine();
  engine.put({ company: [{ n: 1, id: 'c', name: 'Straßenbau İzmir', madeAt: 0 }] });
  engine.upsert([
    run(1, { message: 'Disk (D:) [full] 100% a.b*c' }),
    run(2, { message: 'plain', company: 2 }),
  ]);
  for (const text of [
    '(d:)',
    '[FULL]',
    '100%',
    'a.b*c',
    'STRASSE'.replace('SS', 'ß'),
    'İzmir',
    ' disk ',
  ])
    expect(getIds(engine, { text })).toEqual([1]);
  expect(getIds(engine, { text: 'a.b.c' })).toEqual([]);
  engine.put({ company: [{ n: 1, id: 'c', name: 'Renamed', madeAt: 0 }] });
  expect(getIds(engine, { text: 'straße' })).toEqual([]);
  expect(getIds(engine, { text: 'RENAMED' })).toEqual([1]);
});

test('COL-4: a run with a corrected message is found by the new message, and still by its names', () => {
  const engine = makeEngine();
  engine.put({ company: [{ n: 1, id: 'c', name: 'Disk works', madeAt: 0 }] });
  engine.addSegment(
    getColumns([
      run(1, { message: 'disk full' }),
      run(2, { message: 'disk full', company: 2 }),
      run(3, { company: 2 }),
    ]),
  );
  engine.upsert([
    run(1, { message: 'quota' }),
    run(2, { message: 'quota', company: 2 }),
    run(3, { message: 'disk full', company: 2 }),
  ]);
  expect(getIds(engine, { text: 'disk' })).toEqual([3, 1]);
  expect(getIds(engine, { text: 'quota' })).toEqual([2, 1]);
});

test('COL-2: when a snooze ends between two queries, its runs become pending; a query for the earlier time shows them as snoozed', () => {
  const engine = makeEngine();
  const problem = {
    n: 4,
    job: 1,
    company: 1,
    cause: 1,
    state: 'Failed' as const,
    openedAt: 0,
    lastAt: 0,
    lastRun: 1,
    runs: 1,
    closedAt: null,
    closedBy: null,
    review: null,
    snooze: { by: 'u', at: 0, until: NOW, reason: 'r' },
    note: null,
    ticket: null,
  };
  engine.put({ problem: [problem] });
  engine.upsert([run(1, { kind: 3, problem: 4 }), run(2)]);
  const asleep = (now: number): number[] => [
    ...engine.select({ ...EVERYTHING, review: 'snoozed' }, now).ids(),
  ];
  expect([asleep(NOW - 1), asleep(NOW), asleep(NOW - 1)]).toEqual([[1], [], [1]]);
  expect(engine.select(EVERYTHING, NOW).progress).toEqual({ cleared: 0, of: 1 });
  engine.overlay(new Map([[4, { ...problem, review: { by: 'u', at: 1, comment: null } }]]));
  expect(engine.select(EVERYTHING, NOW).progress).toEqual({ cleared: 1, of: 1 });
  expect(engine.row('problem', 4)).toEqual(problem);
  expect(engine.view(engine.select(EVERYTHING, NOW), { first: 1, count: 1 }, NOW)[0]?.waiting).toBe(
    true,
  );
  engine.overlay(new Map());
  expect(engine.select(EVERYTHING, NOW).progress).toEqual({ cleared: 0, of: 1 });
});

test('COL-9: counts from sums follow a corrected run, and a filter on a single column counts as rows do', () => {
  const both = makeBoth();
  const problem = {
    n: 4,
    job: 1,
    company: 1,
    cause: 1,
    state: 'Failed' as const,
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
  };
  both.take({
    kind: 'put',
    company: [],
    job: [],
    cause: [{ n: 1, template: 't', kind: 'space' }],
    problem: [problem],
  });
  both.take({
    kind: 'segment',
    runs: Array.from({ length: 20 }, (_, i) =>
      run(i + 1, { company: 1 + (i % 3), kind: 1 + (i % 4), problem: i % 5 === 0 ? 4 : null }),
    ),
  });
  const filters = [
    {},
    { review: 'pending' as const },
    { review: 'none' as const },
    { companies: [2] },
    { states: ['Failed' as const] },
    { kinds: ['space' as const] },
    { causes: [2] },
  ];
  for (const kind of [3, 2, 1]) {
    for (const more of filters) {
      const request = { ...EVERYTHING, ...more };
      expect(both.engine.select(request, NOW).facets).toEqual(
        answer(both.plain, request, NOW).facets,
      );
    }
    both.take({
      kind: 'upsert',
      runs: [
        run(6, { company: 1 + kind, kind, problem: kind === 2 ? null : 4 }),
        run(7, { company: 3, kind, problem: 4 }),
      ],
    });
  }
});
