import { expect, test } from 'vitest';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { JobRow } from '#contract/runs/rows.ts';
import { makeEngine } from '#workers/columns/engine.ts';
import { NOW } from './arbitrary.ts';
import { run as makeRun } from './lean-run.ts';

const job: JobRow = {
  n: 1,
  uid: 'j',
  key: 'k',
  company: 1,
  name: 'invoice\u202Efdp.exe',
  source: 'api',
  type: 'Backup',
  group: 'other',
  computer: '\u2066pc\u2069-1',
  server: 'srv\u202D-1',
  managed: null,
  enabled: true,
  schedule: null,
  graceSec: null,
  firstSeenAt: 0,
  missedIgnored: null,
  disabledIgnored: null,
  problem: null,
};

test('RUN-12: on the device, no name or reason contains characters that change the text direction, and each is found as it reads', () => {
  const engine = makeEngine();
  engine.put({
    company: [{ n: 1, id: 'c', name: 'Acme \u202ELtd', madeAt: 0 }],
    job: [job, { ...job, n: 2, name: 'שלום\u200F!', computer: '' }],
  });
  engine.upsert(
    [1, 2].map((n) =>
      makeRun(n, {
        job: n,
        startSec: Math.floor(NOW / 1000) - n,
        message: `open \u202Efdp.exe`,
      }),
    ),
  );
  const found = engine.view(engine.select(EVERYTHING, NOW), { first: 0, count: 9 }, NOW);
  expect(
    found.map(({ jobName, companyName, computer, message }) => [
      jobName,
      companyName,
      computer,
      message,
    ]),
  ).toEqual([
    ['invoicefdp.exe', 'Acme Ltd', 'pc-1', 'open fdp.exe'],
    ['שלום\u200F!', 'Acme Ltd', '', 'open fdp.exe'],
  ]);
  expect(engine.row('job', 1)).toMatchObject({
    name: 'invoicefdp.exe',
    computer: 'pc-1',
    server: 'srv-1',
  });
  for (const text of ['invoicefdp', 'pc-1', 'acme ltd'])
    expect(
      engine
        .view(engine.select({ ...EVERYTHING, text }, NOW), { first: 0, count: 9 }, NOW)
        .some(({ n }) => n === 1),
    ).toBe(true);
});
