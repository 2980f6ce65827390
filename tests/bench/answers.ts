/**
 * How fast the worker answers the dashboard, the calendar, the palette and an export, beside the
 * same from an array of plain rows: `node tests/bench/answers.ts [runs …]`. Times in ms: median,
 * p95 and least by the wall clock.
 */
import { viewColumns } from '../../contract/runs/columns.ts';
import type { CalendarQuery } from '../../contract/calendar/calendar.ts';
import { CALENDAR_MODES } from '../../contract/calendar/calendar.ts';
import { getDay, worst } from '../../contract/time/day.ts';
import { EXPORT_COLUMNS } from '../../contract/runs/csv.ts';
import type { OverviewQuery } from '../../contract/dashboard/overview.ts';
import { EVERYTHING } from '../../contract/runs/query.ts';
import type { RunState } from '../../contract/runs/query.ts';
import { makeCalendar } from '../../workers/calendar/calendar.ts';
import { makeEngine } from '../../workers/columns/engine.ts';
import { getState } from '../../workers/columns/kinds.ts';
import { exportRuns } from '../../workers/export/export.ts';
import { makeFinder } from '../../workers/search/search.ts';
import { makeOverview } from '../../workers/dashboard/overview.ts';
import { makeTrends } from '../../workers/analytics/trends.ts';
import type { ColumnStore } from '../../workers/types.ts';
import { realClock } from '../../workers/clock.ts';
import { BENCH_KEYS } from './columns.ts';
import { makeChanges, makeData } from './data.ts';
import { BENCH_NOW } from './now.ts';
import type { BenchData } from './data.ts';

const DAY = 86_400_000;
const ZONE = 'Europe/Berlin';
const HOUR = 6;
const TO = Date.UTC(2026, 10, 21, 5);
const getSpan = (days: number): { readonly from: number; readonly to: number } => ({
  from: TO - days * DAY,
  to: TO,
});
const OVERVIEW = (days: number): OverviewQuery => ({
  ...getSpan(days),
  companies: [],
  instructionTypes: [],
});
const CALENDAR = (days: number): CalendarQuery => ({
  ...getSpan(days),
  mode: 'worst',
  companies: [],
  sources: [],
  types: [],
  instructionTypes: [],
  problemsOnly: false,
  text: '',
  folded: [],
  rows: { first: 4_000, count: 60 },
  days: { first: 0, count: days },
});

interface Row {
  readonly job: number;
  readonly company: number;
  readonly startedAt: number;
  readonly state: RunState;
  readonly bytes: number | null;
  readonly elapsed: number | null;
}

const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
};
function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}
function say(name: string, times: readonly number[], more = ''): void {
  const cells = [quantile(times, 0.5), quantile(times, 0.95), Math.min(...times)]
    .map((value) => value.toFixed(2).padStart(9))
    .join(' ');
  console.log(`  ${name.padEnd(58)}${cells}  ${more}`);
}
const rounds = (count: number, work: (round: number) => unknown): number[] =>
  Array.from({ length: count }, (_, round) => timed(() => work(round)));

function load(data: BenchData): ColumnStore {
  const engine = makeEngine();
  engine.people(data.people);
  engine.zone(ZONE, HOUR);
  engine.put({
    company: data.companies,
    job: data.jobs,
    cause: data.causes,
    problem: data.problems,
  });
  for (const page of data.pages) engine.addSegment(viewColumns(page.buffer));
  return engine;
}

/** The same rows as a page without columns would hold them. */
function plainRows(engine: ColumnStore): Row[] {
  const all = engine.select(EVERYTHING, BENCH_NOW);
  return engine
    .lean(all, { first: 0, count: all.total })
    .map(({ job, company, startSec, kind, bytes, elapsedSec }) => ({
      job,
      company,
      startedAt: startSec * 1000,
      state: getState(kind),
      bytes,
      elapsed: elapsedSec,
    }));
}

/** Tallies by day, sums by job, top five: what the overview does, by filter, group and sort. */
function plainOverview(rows: readonly Row[], { from, to }: OverviewQuery): number {
  const now = rows.filter(({ startedAt }) => startedAt >= from && startedAt < to);
  const before = rows.filter(({ startedAt }) => startedAt >= 2 * from - to && startedAt < from);
  const count = (all: readonly Row[]): Record<string, number> => {
    const by: Record<string, number> = { bytes: 0 };
    for (const { state, bytes } of all) {
      by[state] = (by[state] ?? 0) + 1;
      by['bytes'] = (by['bytes'] ?? 0) + (bytes ?? 0);
    }
    return by;
  };
  const days = [...Map.groupBy(now, ({ startedAt }) => getDay(startedAt, ZONE, HOUR)).values()].map(
    count,
  );
  const jobs = [...Map.groupBy(now, ({ job }) => job)].map(([job, own]) => ({
    job,
    failures: own.filter(({ state }) => state === 'Failed' || state === 'Error').length,
    bytes: own.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
    mean: own.reduce((sum, { elapsed }) => sum + (elapsed ?? 0), 0) / own.length,
  }));
  const top = (['failures', 'bytes', 'mean'] as const).map((key) =>
    jobs.toSorted((a, b) => b[key] - a[key]).slice(0, 5),
  );
  return days.length + top.length + Object.keys(count(before)).length;
}

/** Only what is in sight: the rows of 60 jobs, by day. */
function plainCalendar(
  rows: readonly Row[],
  jobs: ReadonlySet<number>,
  { from, to }: CalendarQuery,
): number {
  const own = rows.filter(
    (row) => jobs.has(row.job) && row.startedAt >= from && row.startedAt < to,
  );
  return [
    ...Map.groupBy(own, ({ job, startedAt }) => `${job} ${getDay(startedAt, ZONE, HOUR)}`).values(),
  ].map((all) =>
    worst(
      all.map(({ state }) => state),
      'worst',
    ),
  ).length;
}

async function measure(runs: number): Promise<void> {
  const data = makeData(runs);
  const engine = load(data);
  const store = { engine, days: new Map([['2026-08-22', true]]) };
  console.log(
    `\n${runs.toLocaleString('en')} runs of ${data.jobs.length.toLocaleString('en')} jobs\n  ${''.padEnd(58)}   median       p95     least`,
  );
  const rows = plainRows(engine);
  for (const days of [7, 30, 90]) {
    say(
      `overview, ${days} days, first time`,
      rounds(9, () => makeOverview()(store, OVERVIEW(days), BENCH_NOW)),
    );
    const overview = makeOverview();
    overview(store, OVERVIEW(days), BENCH_NOW);
    say(
      '  again, nothing changed',
      rounds(30, () => overview(store, OVERVIEW(days), BENCH_NOW)),
    );
    say(
      '  plain rows',
      rounds(5, () => plainOverview(rows, OVERVIEW(days))),
    );
  }
  const trends = makeTrends();
  const request = { ...getSpan(14), companies: [], sources: [], types: [], by: 'company' as const };
  say(
    'trends, 14 days beside 14, first time',
    rounds(9, () => makeTrends()(store, request)),
  );
  say(
    '  again, nothing changed',
    rounds(30, () => trends(store, request)),
  );
  const ask = CALENDAR(90);
  const cold = rounds(9, () => makeCalendar()(store, ask, BENCH_NOW));
  const calendar = makeCalendar();
  say('calendar, 90 days, first time', cold);
  const lines = calendar(store, ask, BENCH_NOW)?.lines ?? [];
  const inSight = new Set(lines.flatMap((line) => (line.kind === 'job' ? [line.job] : [])));
  say(
    '  scrolled',
    rounds(60, (round) =>
      calendar(store, { ...ask, rows: { first: round * 300, count: 60 } }, BENCH_NOW),
    ),
    `${lines.length} lines`,
  );
  say(
    '  as a spreadsheet by job, scrolled',
    rounds(60, (round) =>
      calendar(store, { ...ask, lines: 'job', rows: { first: round * 150, count: 60 } }, BENCH_NOW),
    ),
  );
  say(
    '  as a spreadsheet by company',
    rounds(20, (round) =>
      calendar(store, { ...ask, lines: 'company', rows: { first: round, count: 60 } }, BENCH_NOW),
    ),
  );
  say(
    '  another mode',
    rounds(20, (round) =>
      calendar(store, { ...ask, mode: CALENDAR_MODES[round % 4] ?? 'worst' }, BENCH_NOW),
    ),
  );
  say(
    '  problems only',
    rounds(20, (round) =>
      calendar(
        store,
        { ...ask, problemsOnly: true, rows: { first: round * 100, count: 60 } },
        BENCH_NOW,
      ),
    ),
  );
  say(
    '  a key of text',
    rounds(20, (round) =>
      calendar(store, { ...ask, text: 'sql prod'.slice(0, 1 + (round % 8)) }, BENCH_NOW),
    ),
  );
  say(
    '  all companies folded',
    rounds(20, () =>
      calendar(store, { ...ask, folded: data.companies.map(({ n }) => n) }, BENCH_NOW),
    ),
  );
  say(
    '  plain rows, only what is in sight',
    rounds(5, () => plainCalendar(rows, inSight, ask)),
  );
  const find = makeFinder();
  const names = data.jobs.map(({ name }) => name.toLowerCase());
  say('palette, the very first key', [timed(() => find(engine, { text: 's', limit: 8 }))]);
  say(
    '  a key',
    BENCH_KEYS.flatMap((text) => rounds(5, () => find(engine, { text, limit: 8 }))),
  );
  say(
    '  plain rows: names of jobs alone, filter and sort',
    BENCH_KEYS.flatMap((text) =>
      rounds(5, () =>
        names
          .filter((name) => name.includes(text))
          .sort()
          .slice(0, 8),
      ),
    ),
  );
  const overview = makeOverview();
  const spans: number[] = [];
  const cells: number[] = [];
  overview(store, OVERVIEW(30), BENCH_NOW);
  for (let round = 0; round < 12; round++) {
    const lean = engine.lean(engine.select(EVERYTHING, BENCH_NOW), { first: 0, count: 20_000 });
    const changes = makeChanges(data, (place) => lean[place % lean.length] ?? lean[0]!, round);
    engine.put({ problem: changes.problems });
    engine.upsert(changes.runs);
    spans.push(timed(() => overview(store, OVERVIEW(30), BENCH_NOW)));
    cells.push(timed(() => calendar(store, ask, BENCH_NOW)));
  }
  say('after 1,000 changes: overview of 30 days', spans);
  say('after 1,000 changes: calendar of 90 days', cells);
  await measureExport(engine);
}

async function measureExport(engine: ColumnStore): Promise<void> {
  for (const [name, ids] of [
    ['7 columns', ['state', 'company', 'job', 'message', 'started', 'duration', 'bytes']],
    ['all columns', EXPORT_COLUMNS],
  ] as const) {
    const columns = ids.map((id) => ({ id, title: id }));
    let longest = 0;
    let max = 0;
    let busy = true;
    const waits: number[] = [];
    const before = process.memoryUsage().heapUsed;
    const start = performance.now();
    const made = exportRuns({
      engine,
      clock: realClock,
      filter: EVERYTHING,
      columns,
      names: new Map(),
      stillHere: () => true,
      onProgress: () => {
        max = Math.max(max, process.memoryUsage().heapUsed - before);
      },
    });
    const other = (): void => {
      const request = performance.now();
      setTimeout(() => {
        longest = Math.max(longest, performance.now() - request);
        waits.push(performance.now() - request);
        if (busy) other();
      }, 0);
    };
    other();
    const file = await made.done();
    busy = false;
    const took = performance.now() - start;
    console.log(
      `  export, ${name}: ${(((file?.rows ?? 0) / took) * 1000).toFixed(0)} rows/s, ${(took / 1000).toFixed(2)} s, ${((file?.file.size ?? 0) / 1e6).toFixed(1)} MB; other work waits ${quantile(waits, 0.5).toFixed(1)} ms, at most ${longest.toFixed(1)}; heap at most ${(max / 1e6).toFixed(0)} MB more`,
    );
  }
}

for (const runs of process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000, 500_000])
  await measure(runs);
