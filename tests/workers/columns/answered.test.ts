import { expect, test } from 'vitest';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { JobRow, ProblemRow } from '#contract/runs/rows.ts';
import { encodeColumns, viewColumns } from '#contract/runs/columns.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { run as makeRun } from './lean-run.ts';

const NOW = Date.UTC(2026, 10, 20, 9);
const DAY = 86_400_000;

const run = (n: number, job: number) =>
  makeRun(n, { job, problem: job, startSec: NOW / 1000 - n * 60, bytes: null, kind: 3 });
const job = (n: number, name: string): JobRow => ({
  n,
  uid: 'j',
  key: 'k',
  company: 1,
  name,
  source: 'restic',
  type: 'Backup',
  group: 'other',
  computer: '',
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
const problem = (n: number, openedAt: number, closedAt: number | null): ProblemRow => ({
  n,
  job: n,
  company: 1,
  cause: 1,
  state: 'Failed',
  openedAt,
  lastAt: NOW,
  lastRun: n,
  runs: 1,
  closedAt,
  closedBy: null,
  review: null,
  snooze: null,
  note: null,
  ticket: null,
});

function filled() {
  const engine = makeEngine();
  engine.zone('UTC', 0);
  engine.addSegment(
    viewColumns(
      encodeColumns([run(2, 2), run(1, 1)].toSorted((a, b) => b.startSec - a.startSec)).buffer,
    ),
  );
  return engine;
}

test('COL-8: a repeated text search finds the names of jobs that were added since', () => {
  const engine = filled();
  const request = { ...EVERYTHING, text: 'mail' };
  engine.put({ job: [job(1, 'Files')] });
  expect(engine.select(request, NOW).total).toBe(0);
  engine.put({ job: [job(1, 'Mail'), job(2, 'Mail 2')] });
  expect(engine.select(request, NOW).total).toBe(2);
});

test('COL-8, COL-10: an order that depends on the date is computed again when the day changes', () => {
  const engine = filled();
  const request = { ...EVERYTHING, order: 'streak' as const };
  engine.put({ problem: [problem(1, NOW - 2 * DAY, NOW), problem(2, NOW - DAY, null)] });
  expect([...engine.select(request, NOW).ids()]).toEqual([2, 1]);
  expect([...engine.select(request, NOW + 3 * DAY).ids()]).toEqual([1, 2]);
});

test('COL-7: a list without changes stays the same object', () => {
  const engine = filled();
  const request = { ...EVERYTHING, review: 'pending' as const };
  engine.put({ problem: [problem(1, NOW - DAY, null)] });
  const list = engine.select(request, NOW);
  engine.put({ job: [job(1, 'Mail')], key: [] });
  expect(engine.select({ ...request }, NOW + 1)).toBe(list);
});
