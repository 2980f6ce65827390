import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsFilter, RunView } from '#contract/runs/query.ts';
import type { JobRow, ProblemRow } from '#contract/runs/rows.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { openSnapshots, openFirst } from '#workers/startup/cold-start.ts';
import { startOfUtcDay } from '#workers/disk/manifest.ts';
import type { Disk, ColumnStore, SmallRows } from '#workers/types.ts';
import { DISKS } from '#tests/workers/disk/places.ts';
import { DAYS, fresh, page, patch, problem, run, runsOfDay } from '#tests/workers/disk/sample.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const [today = '', yesterday = ''] = DAYS;
const NOW = (startOfUtcDay(today) + 86_400) * 1000;
const WINDOW = { first: 0, count: 20 };

const job = (n: number): JobRow => ({
  n,
  uid: `j${n}`,
  key: 'k',
  company: (n % 3) + 1,
  name: `job ${n}`,
  source: 'restic',
  type: 'Backup',
  group: 'other',
  computer: `pc ${n}`,
  server: '',
  managed: null,
  enabled: true,
  schedule: null,
  graceSec: null,
  firstSeenAt: 1,
  missedIgnored: null,
  disabledIgnored: null,
  problem: null,
});
/**
 * Runs of `sample.ts` are of the jobs 1 to 7, and every fifth has the problem of its own number.
 */
const JOBS = Array.from({ length: 300 }, (_, i) => job(i + 1));
const BOOKS: SmallRows = {
  job: JOBS,
  company: [1, 2, 3].map((n) => ({ n, id: `c${n}`, name: `company ${n}`, madeAt: 0 })),
  cause: [{ n: 1, template: 'it ‹failed›', kind: 'other' }],
};
const problems = (seed: number): ProblemRow[] =>
  Array.from({ length: 900 }, (_, i): ProblemRow => {
    const n = (i + 1) * 5;
    const turn = (Math.floor(n / 5) + seed) % 4;
    return {
      ...problem(n),
      closedAt: turn === 0 ? 5 : null,
      closedBy: turn === 0 ? 'success' : null,
      review: turn === 1 ? { by: 'u1', at: 3, comment: null } : null,
      snooze: turn === 2 ? { by: 'u1', at: 3, until: NOW + 1000, reason: 'known' } : null,
    };
  });

/** What a row tells of older runs is not whole before the rest is here. */
const withoutHistory = (rows: readonly RunView[]): unknown[] =>
  rows.map((row) => ({
    ...row,
    strip: [],
    lastGoodAt: null,
    usualBytes: null,
    usualDuration: null,
  }));
function getAnswer(engine: ColumnStore, filter: RunsFilter): unknown {
  const list = engine.select(filter, NOW);
  return {
    total: list.total,
    facets: list.facets,
    progress: list.progress,
    ids: [...list.ids()],
    rows: withoutHistory(engine.view(list, WINDOW, NOW)),
  };
}

/** Everything, as the obvious way brings it. */
async function openedWhole(disk: Disk): Promise<ColumnStore> {
  const engine = makeEngine();
  const opened = await disk.open();
  if (!opened) throw new Error('nothing to open');
  engine.zone(opened.branding.timeZone, opened.branding.dayBeginsHour);
  engine.people(opened.people);
  engine.put(opened.rows);
  await disk.remainingSnapshots(opened.folds, (rows) => Promise.resolve(engine.put(rows)));
  for (const { id } of opened.segments) engine.addSegment(await disk.segment(id));
  for (const one of opened.patches) {
    engine.put(one.rows);
    engine.upsert(one.runs);
  }
  return engine;
}

const filters: fc.Arbitrary<RunsFilter> = fc
  .record({
    from: fc.constantFrom(
      null,
      startOfUtcDay(today) * 1000,
      startOfUtcDay(yesterday) * 1000 + 5_000_000,
      startOfUtcDay(DAYS[3] ?? '') * 1000,
    ),
    to: fc.constantFrom(null, NOW, startOfUtcDay(today) * 1000),
    rows: fc.constantFrom('jobs' as const, 'runs' as const),
    review: fc.constantFrom(null, 'pending' as const, 'snoozed' as const, 'cleared' as const),
    order: fc.constantFrom('worst' as const, 'newest' as const),
    text: fc.constantFrom('', '', 'job 3', 'pc', 'version'),
    companies: fc.constantFrom([], [1], [2, 3]),
  })
  .map((some) => ({ ...EVERYTHING, ...some }));

describe.each(DISKS)('on %s', (name, make) => {
  test(
    'COL-6, COL-8: the first view of a partly opened store equals that of the whole store, and loading the rest completes it',
    { timeout: 60_000 * PROOF },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          filters,
          filters,
          fc.nat(3),
          fc.nat(40),
          fc.boolean(),
          async (filter, other, seed, changes, folded) => {
            const { disk, again } = await make();
            await disk.begin(fresh({ ...BOOKS, problem: problems(seed) }));
            await disk.addDays(
              DAYS.map((day, i) => ({ day, pages: [page(runsOfDay(day, 40, 1 + i * 1000))] })),
            );
            for (let i = 0; i < changes; i++) {
              const n = ((i * 13 + seed) % 40) + 1 + (i % 4) * 1000;
              const day = DAYS[i % 4] ?? '';
              await disk.append(
                patch(11 + i, [run(n, startOfUtcDay(day) + ((n % 1000) - 1) * 40, i)], {
                  problem: [problem(n * 5, i)],
                  job: [{ ...job((n % 7) + 1), name: `renamed ${i}` }],
                }),
                i,
              );
            }
            if (folded) while (await disk.compact());
            const later = await again();
            const engine = makeEngine();
            const first =
              (await openFirst(later, engine, { filter: () => filter, window: WINDOW }, NOW)) ??
              expect.fail('nothing to open');
            const whole = await openedWhole(later);
            expect(getAnswer(engine, filter)).toEqual(getAnswer(whole, filter));
            await openSnapshots(later, engine, first.opened, () => Promise.resolve());
            for (const { id } of first.rest) engine.addSegment(await later.segment(id));
            expect(getAnswer(engine, other)).toEqual(getAnswer(whole, other));
            for (const table of ['job', 'problem'] as const) {
              expect([...engine.all(table)].sort((a, b) => a.n - b.n)).toEqual(
                [...whole.all(table)].sort((a, b) => a.n - b.n),
              );
            }
            later.close();
          },
        ),
        { numRuns: (name === 'memory' ? 30 : 12) * PROOF },
      );
    },
  );

  test('COL-6: opening reads no job, problem or segment beyond the first view', async () => {
    const { disk } = await make();
    await disk.begin(fresh({ ...BOOKS, problem: problems(0) }));
    await disk.addDays(
      DAYS.map((day, i) => ({ day, pages: [page(runsOfDay(day, 40, 1 + i * 1000))] })),
    );
    const segments: number[] = [];
    const request: { job: number[]; problem: number[] } = { job: [], problem: [] };
    const watched: Disk = {
      ...disk,
      segment: (id) => {
        segments.push(id);
        return disk.segment(id);
      },
      snapshots: (folds, wanted) => {
        request.job.push(...(wanted.job ?? []));
        request.problem.push(...(wanted.problem ?? []));
        return disk.snapshots(folds, wanted);
      },
      remainingSnapshots: () => Promise.reject(new Error('read beyond the first view')),
    };
    const engine = makeEngine();
    const filter = {
      ...EVERYTHING,
      from: startOfUtcDay(today) * 1000,
      rows: 'runs' as const,
      review: 'pending' as const,
    };
    const first = await openFirst(watched, engine, { filter: () => filter, window: WINDOW }, NOW);
    expect(segments).toEqual([1]);
    expect(first?.rest.map(({ id }) => id)).toEqual([2, 3, 4]);
    expect(request.problem.toSorted((a, b) => a - b)).toEqual([5, 10, 15, 20, 25, 30, 35, 40]);
    const shown = engine.view(engine.select(filter, NOW), WINDOW, NOW);
    expect(shown.length).toBeGreaterThan(0);
    expect(request.job.toSorted((a, b) => a - b)).toEqual(
      [...new Set(shown.map((row) => row.job))].toSorted((a, b) => a - b),
    );
    expect(shown.map(({ jobName }) => jobName)).toEqual(shown.map((row) => `job ${row.job}`));
    expect(engine.all('job').length + engine.all('problem').length).toBe(
      request.job.length + request.problem.length,
    );
  });

  test('SYNC-7: snapshots that another tab has folded meanwhile are reported as gone', async () => {
    const { disk } = await make();
    await disk.begin(fresh({ problem: [problem(1)] }));
    const folds = (await disk.open())?.folds ?? 0;
    for (let i = 0; i < 40; i++)
      await disk.append(patch(11 + i, [], { problem: [problem(1, i)] }), i);
    while (await disk.compact());
    await expect(disk.snapshots(folds, { problem: [1] })).rejects.toMatchObject({ kind: 'gone' });
    await expect(disk.remainingSnapshots(folds, () => Promise.resolve())).rejects.toMatchObject({
      kind: 'gone',
    });
  });
});
