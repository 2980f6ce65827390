/**
 * How fast the column store answers in memory: `node tests/bench/columns.ts [runs …]`. Times in ms:
 * median, p95 and least by the wall clock, and the mean of this thread's processor time (which does
 * not wait for the machine's other work).
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runAt, viewColumns } from '../../contract/runs/columns.ts';
import { EVERYTHING, GROUPS, ORDERS } from '../../contract/runs/query.ts';
import type { RunsFilter } from '../../contract/runs/query.ts';
import { makeEngine } from '../../workers/columns/engine.ts';
import type { ColumnStore } from '../../workers/types.ts';
import { makeChanges, makeData } from './data.ts';
import { BENCH_NOW } from './now.ts';
import type { BenchData } from './data.ts';

const DAY = 86_400_000;
const ROUNDS = 40;

/** The morning's list: what asks for a person in the last two days, worst first. */
export const DEFAULT_FILTER: RunsFilter = {
  ...EVERYTHING,
  from: BENCH_NOW - 2 * DAY,
  rows: 'jobs',
  review: 'pending',
  order: 'worst',
};
export const BENCH_FILTERS: readonly (readonly [name: string, filter: RunsFilter])[] = [
  ['two days, pending', { ...EVERYTHING, from: BENCH_NOW - 2 * DAY, review: 'pending' }],
  ['everything', EVERYTHING],
  [
    '30 days, 2 sources, 3 types',
    {
      ...EVERYTHING,
      from: BENCH_NOW - 30 * DAY,
      sources: ['vbr', 'borg'],
      types: ['Backup', 'Tape', 'Agent'],
    },
  ],
  ['25 companies', { ...EVERYTHING, companies: Array.from({ length: 25 }, (_, i) => 1 + i * 97) }],
  ['failed or error, managed', { ...EVERYTHING, states: ['Failed', 'Error'], managed: true }],
  [
    '60 days, unmanaged, 3 sources, worst first',
    {
      ...EVERYTHING,
      from: BENCH_NOW - 60 * DAY,
      managed: false,
      sources: ['vbr', 'restic', 'office365'],
      order: 'worst',
    },
  ],
  ['F7 newest of each job, worst first', { ...EVERYTHING, rows: 'jobs', order: 'worst' }],
  ['F8 half of it: 4 types', { ...EVERYTHING, types: ['Backup', 'Tape', 'Agent', 'Replication'] }],
];
export const BENCH_KEYS: readonly string[] = ['sql-p', 'timeout', 'nyc0'].flatMap((word) =>
  Array.from(word, (_, i) => word.slice(0, i + 1)),
);

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
};

interface Took {
  readonly wall: number;
  readonly cpu: number;
}

function timed(work: () => void): Took {
  const before = process.threadCpuUsage();
  const start = performance.now();
  work();
  const wall = performance.now() - start;
  const { user, system } = process.threadCpuUsage(before);
  return { wall, cpu: (user + system) / 1000 };
}

const cells = (values: readonly (number | string)[]): string =>
  values
    .map((value) => (typeof value === 'number' ? value.toFixed(2) : value).padStart(8))
    .join(' ');

function say(name: string, times: readonly Took[], more = ''): void {
  const wall = times.map((time) => time.wall);
  const cpu = times.reduce((sum, time) => sum + time.cpu, 0) / times.length;
  console.log(
    `  ${name.padEnd(46)}${cells([quantile(wall, 0.5), quantile(wall, 0.95), Math.min(...wall), cpu])}  ${more}`,
  );
}

function load(data: BenchData): { engine: ColumnStore; ms: Took } {
  const engine = makeEngine();
  engine.people(data.people);
  engine.zone('Europe/Berlin', 6);
  engine.put({
    company: data.companies,
    job: data.jobs,
    cause: data.causes,
    problem: data.problems,
  });
  const columns = data.pages.map((page) => viewColumns(page.buffer));
  return {
    engine,
    ms: timed(() => {
      for (const one of columns) engine.addSegment(one);
    }),
  };
}

const ask = (engine: ColumnStore, filter: RunsFilter): number => {
  const selection = engine.select(filter, BENCH_NOW);
  engine.view(selection, { first: 0, count: 50 }, BENCH_NOW);
  return selection.total;
};

function measure(runs: number): void {
  const started = performance.now();
  const data = makeData(runs);
  console.log(
    `\n${runs.toLocaleString('en')} runs, ${data.problems.length.toLocaleString('en')} problems, made in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  console.log(`  ${''.padEnd(46)}${cells(['median', 'p95', 'least', 'cpu'])}`);
  const loads = Array.from({ length: 5 }, () => load(data).ms);
  say(
    'add all segments',
    loads,
    `${Math.round(
      (runs /
        quantile(
          loads.map(({ wall }) => wall),
          0.5,
        )) *
        1000,
    ).toLocaleString('en')} runs/s`,
  );
  collect();
  const before = process.memoryUsage();
  const { engine } = load(data);
  collect();
  const after = process.memoryUsage();
  const cold = timed(() => {
    ask(engine, DEFAULT_FILTER);
  });

  for (let round = 0; round < 5; round++)
    for (const [, filter] of BENCH_FILTERS) ask(engine, filter);

  say('default filter, first time', [cold]);
  const both = new Map<string, { select: Took[]; view: Took[]; total: number }>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, filter] of [['default filter', DEFAULT_FILTER] as const, ...BENCH_FILTERS]) {
      const times = both.get(name) ?? { select: [], view: [], total: 0 };
      let selection = engine.select(filter, BENCH_NOW);
      times.select.push(
        timed(() => {
          selection = engine.select(filter, BENCH_NOW);
        }),
      );
      times.view.push(
        timed(() => {
          engine.view(selection, { first: 0, count: 50 }, BENCH_NOW);
        }),
      );
      both.set(name, { ...times, total: selection.total });
    }
  }
  for (const [name, { select, view, total }] of both) {
    say(name, select, `${total.toLocaleString('en')} rows`);
    say('  its first 50 rows', view);
  }
  for (const [name, filter] of [
    ...ORDERS.map(
      (order) => [`everything, by ${order}`, { ...EVERYTHING, order, reverse: true }] as const,
    ),
    ...GROUPS.map(
      (group) => [`everything, grouped by ${group}`, { ...EVERYTHING, group }] as const,
    ),
  ]) {
    const cold = timed(() => {
      engine.select(filter, BENCH_NOW);
    });
    say(
      name,
      Array.from({ length: 12 }, () =>
        timed(() => {
          engine.select(filter, BENCH_NOW).lines({ first: 1_000, count: 50 }, []);
        }),
      ),
      `first ${cold.wall.toFixed(1)}`,
    );
  }
  const firstKey = timed(() => {
    ask(engine, { ...EVERYTHING, text: 'q' });
  });
  say('text, the very first key', [firstKey]);
  const keys = new Map<string, Took[]>();
  for (let round = 0; round < 12; round++) {
    for (const text of BENCH_KEYS)
      keys.set(text, [
        ...(keys.get(text) ?? []),
        timed(() => {
          engine.select({ ...EVERYTHING, text }, BENCH_NOW);
        }),
      ]);
  }
  say('text, a key of 16', [...keys.values()].flat());
  for (const [text, times] of keys) say(`  "${text}"`, times);
  const columns = data.pages.map((page) => viewColumns(page.buffer));
  const all = (place: number): ReturnType<typeof runAt> =>
    runAt(columns[Math.floor(place / 16_384)] ?? columns[0]!, place % 16_384);
  const changes = Array.from({ length: 12 }, (_, round) => makeChanges(data, all, round));
  const deltas = changes.map(({ runs, problems }) =>
    timed(() => {
      engine.put({ problem: problems });
      engine.upsert(runs);
      ask(engine, DEFAULT_FILTER);
    }),
  );
  say('1,000 changes and the default view', deltas, `first ${(deltas[0]?.wall ?? 0).toFixed(1)}`);
  const bytes = data.pages.reduce((sum, page) => sum + page.length, 0);
  console.log(
    `  ${(bytes / runs).toFixed(1)} bytes a run in pages; store: ${((after.arrayBuffers - before.arrayBuffers) / 1e6).toFixed(1)} MB of columns and tables, ${((after.heapUsed - before.heapUsed) / 1e6).toFixed(1)} MB of heap (${((after.arrayBuffers - before.arrayBuffers + after.heapUsed - before.heapUsed) / runs).toFixed(1)} bytes a run)`,
  );
}

if (import.meta.main)
  for (const runs of process.argv.length > 2
    ? process.argv.slice(2).map(Number)
    : [100_000, 500_000])
    measure(runs);
