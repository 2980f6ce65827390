import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EXPORT_COLUMNS, utcText, wallText, withoutFormula } from '#contract/runs/csv.ts';
import type { ExportColumn } from '#contract/runs/csv.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunView } from '#contract/runs/query.ts';
import { parseCsv } from '#tests/contract/runs/parse-csv.ts';
import { TestClock } from '#tests/sim/clock.ts';
import { filter, NOW, steps } from '#tests/workers/columns/arbitrary.ts';
import { getColumns, makeBoth } from '#tests/workers/columns/both.ts';
import type { Both } from '#tests/workers/columns/both.ts';
import { must, scene } from '#tests/workers/scene.ts';
import { exportRuns } from '#workers/export/export.ts';
import { run as makeRun } from '../columns/lean-run.ts';

const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);
const ALL: readonly ExportColumn[] = EXPORT_COLUMNS.map((id) => ({
  id,
  title: id,
  ...(id === 'state' && { words: { Missed: 'Did not run' } }),
}));

function begin(
  { engine }: Both,
  request = EVERYTHING,
  columns = ALL,
  more: Partial<Parameters<typeof exportRuns>[0]> = {},
) {
  const clock = new TestClock(NOW);
  const shares: number[] = [];
  const made = exportRuns({
    engine,
    clock,
    filter: request,
    columns,
    names: new Map([
      ['u1', 'Ann'],
      ['u2', 'Ben'],
    ]),
    onProgress: (share) => {
      shares.push(share);
    },
    stillHere: () => true,
    ...more,
  });
  return { made, clock, shares };
}

const text = (one: string | null | undefined): string => withoutFormula(one ?? '');
const range = (one: readonly [number, number] | null): string[] =>
  one ? one.map(String) : ['', ''];

/** Cells of one row as the grid tells it. */
function getCells({ plain }: Both, row: RunView): string[] {
  const zone = plain.timeZone;
  const when = (at: number | null | undefined): string[] =>
    at === null || at === undefined ? ['', ''] : [wallText(at, zone), utcText(at)];
  const { problem } = row;
  return [
    row.state === 'Missed' ? 'Did not run' : row.state,
    problem ? String(problem.day) : '',
    text(row.companyName),
    text(row.jobName),
    text(row.computer),
    text(plain.jobs.get(row.job)?.server),
    row.source,
    row.type,
    row.managed === null ? '' : String(row.managed),
    row.scheduleState ?? '',
    problem?.kind ?? '',
    text(row.template),
    text(row.message),
    ...when(row.startedAt),
    row.durationSec === null ? '' : String(row.durationSec),
    ...range(row.usualDuration),
    row.bytes === null ? '' : String(row.bytes),
    ...range(row.usualBytes),
    ...when(row.lastGoodAt),
    row.review,
    text(problem?.review?.name),
    ...when(problem?.review?.at),
    text(problem?.review?.comment),
    ...when(row.review === 'snoozed' ? problem?.snooze?.until : null),
    text(problem?.note?.content),
    text(problem?.ticket),
    String(row.n),
  ];
}

test('CSV-5: the file has the list in its order, row by row, with the texts of the grid', async () => {
  await fc.assert(
    fc.asyncProperty(steps, filter, async (all, request) => {
      const both = makeBoth();
      for (const step of all) both.take(step);
      const { made, clock } = begin(both, request);
      await clock.pass(10);
      const { name, rows, file } = must(await made.done());
      const selection = both.engine.select({ ...request, group: null }, NOW);
      const view = both.engine.view(selection, { first: 0, count: 1_000 }, NOW);
      const bytes = new Uint8Array(await file.arrayBuffer());
      expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
      const [titles, ...lines] = parseCsv(new TextDecoder().decode(bytes));
      expect(lines).toEqual(
        view.map((row) => getCells(both, { ...row, message: row.message?.toWellFormed() ?? null })),
      );
      expect(rows).toBe(view.length);
      expect(name).toBe('DailyChecks_2026-11-20_103000.csv');
      expect(titles?.slice(13, 19)).toEqual([
        'started',
        'started (UTC)',
        'duration (seconds)',
        'usualDuration from (seconds)',
        'usualDuration to (seconds)',
        'bytes (bytes)',
      ]);
    }),
    { numRuns: numRuns(40) },
  );
});

const many = (count: number): LeanRun[] =>
  Array.from({ length: count }, (_, i) =>
    makeRun(i + 1, {
      job: 1 + (i % 40),
      startSec: NOW / 1000 - i * 60,
      elapsedSec: i,
      bytes: i,
      message: i % 3 === 0 ? `message ${i}` : null,
    }),
  );
function full(): Both {
  const both = makeBoth();
  both.engine.addSegment(getColumns(many(16_000)));
  return both;
}
const FEW: readonly ExportColumn[] = [
  { id: 'run', title: 'Run' },
  { id: 'message', title: 'Message' },
];

test('CSV-6: it is written in slices between other work, reports its progress, and keeps the rows of the moment when it started', async () => {
  const both = full();
  const { made, clock, shares } = begin(both, EVERYTHING, FEW);
  let between = 0;
  const other = (): void => {
    if ((shares.at(-1) ?? 0) < 1) {
      between += 1;
      clock.after(0, other);
    }
  };
  clock.after(0, other);
  both.engine.upsert([{ ...many(1)[0]!, n: 99_999, startSec: NOW / 1000 + 5 }]);
  await clock.pass(10);
  const { rows, file } = must(await made.done());
  expect(rows).toBe(16_000);
  expect(between).toBeGreaterThanOrEqual(3);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect([shares[0], shares.at(-1)]).toEqual([0, 1]);
  const lines = parseCsv(await file.text());
  expect(lines).toHaveLength(16_001);
  expect(lines[1]).toEqual(['1', 'message 0']);
});

test("CSV-6: it ends immediately when canceled or when its user signs out, and continues if the page doesn't listen", async () => {
  const both = full();
  const one = begin(both, EVERYTHING, FEW);
  one.made.cancel();
  await one.clock.pass(10);
  expect(await one.made.done()).toBeNull();
  expect(one.shares).toEqual([0]);
  const late = begin(both, EVERYTHING, FEW, {
    onProgress: (share) => {
      if (share > 0) late.made.cancel();
    },
  });
  await late.clock.pass(10);
  expect(await late.made.done()).toBeNull();
  let here = true;
  const left = begin(both, EVERYTHING, FEW, {
    onProgress: (share) => {
      here = share < 0.5;
    },
    stillHere: () => here,
  });
  await left.clock.pass(10);
  expect(await left.made.done()).toBeNull();
  const deaf = begin(both, EVERYTHING, FEW, {
    onProgress: () => {
      throw new Error('gone');
    },
  });
  await deaf.clock.pass(10);
  expect(must(await deaf.made.done()).rows).toBe(16_000);
  const gone = begin(both, EVERYTHING, FEW, {
    onProgress: () => Promise.reject(new Error('gone')),
  });
  await gone.clock.pass(10);
  expect(must(await gone.made.done()).rows).toBe(16_000);
});

test('CSV-5, CSV-6, OVER-1, CAL-1, FIND-1: all four are answered by the worker offline, and not at all after signing out', async () => {
  const { clock, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  annDevice.wire.up = false;
  const got: Record<string, unknown[]> = { overview: [], calendar: [], find: [] };
  const day = 86_400_000;
  const from = clock.now() - 7 * day;
  const to = clock.now() + day;
  await api.watch('overview', { from, to, companies: [], instructionTypes: [] }, (value) => {
    got['overview']?.push(value);
  });
  await api.watch(
    'calendar',
    {
      from,
      to,
      mode: 'worst',
      companies: [],
      sources: [],
      types: [],
      instructionTypes: [],
      problemsOnly: false,
      text: '',
      folded: [],
      rows: { first: 0, count: 50 },
      days: { first: 0, count: 9 },
    },
    (value) => {
      got['calendar']?.push(value);
    },
  );
  await api.watch('find', { text: '', limit: 5 }, (value) => {
    got['find']?.push(value);
  });
  const made = await api.exportRuns(EVERYTHING, FEW, () => {});
  await clock.pass(100);
  const { rows } = must(await made.done());
  expect(rows).toBeGreaterThan(0);
  expect(got['overview']?.at(-1)).toMatchObject({ version: 1, jobs: { all: 6 } });
  expect(got['calendar']?.at(-1)).toMatchObject({ version: 1, jobs: 6 });
  expect(got['find']?.at(-1)).toMatchObject({ jobs: { count: 6 } });
  await api.signOut('discard');
  await clock.pass(100);
  expect([got['overview']?.at(-1), got['calendar']?.at(-1)]).toEqual([null, null]);
  expect(got['find']?.at(-1)).toMatchObject({ jobs: { count: 0 } });
  expect(await (await api.exportRuns(EVERYTHING, FEW, () => {})).done()).toBeNull();
});
