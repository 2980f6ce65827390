import { array, assert, integer, nat, property } from 'fast-check';
import { expect, test } from 'vitest';
import type { RowId } from '#contract/fold.ts';
import type { LeanRun } from '#contract/runs/columns.ts';
import { makeChance } from '#tests/sim/random.ts';
import { SimServer } from '#tests/sim/server.ts';
import { Story } from '#tests/sim/story.ts';
import { must } from '#tests/workers/scene.ts';
import type { SmallTable } from '#workers/types.ts';
import { applyEvents, mergePatches, rekind } from '#workers/sync/apply.ts';
import type { Base } from '#workers/sync/apply.ts';

const NOW = Date.UTC(2026, 5, 15, 6);

function getLog(seed: number, more: number) {
  const server = new SimServer(() => NOW);
  const story = new Story(server, makeChance(seed), () => NOW);
  story.begin(2, 4, 10);
  for (let i = 0; i < more; i++) story.goOn();
  const user = server.addUser('ann');
  const problems = [...server.rows.problem.keys()];
  if (problems.length > 0)
    server.append(
      [
        {
          company: 1,
          event: {
            type: 'problem.reviewed@1',
            data: { problems: problems.map(Number), comment: null },
          },
        },
      ],
      { actor: { kind: 'user', id: user.me.id }, commandId: null },
    );
  return server.log;
}

/** A device's rows as plain maps. */
function plain() {
  const tables = new Map<SmallTable, Map<RowId, unknown>>();
  const runs = new Map<number, LeanRun>();
  const of = (table: SmallTable) => {
    const rows = tables.get(table) ?? new Map<RowId, unknown>();
    tables.set(table, rows);
    return rows;
  };
  const base: Base = {
    row: (table, id) => of(table).get(id) as never,
    run: (n) => runs.get(n),
    isComing: () => false,
  };
  return {
    base,
    runs,
    take(events: readonly unknown[], cursor: number) {
      const applied = applyEvents(base, events, cursor);
      for (const [table, rows] of Object.entries(applied.patch.rows))
        for (const row of rows ?? [])
          of(table as SmallTable).set(
            table === 'key' ? (row as { id: string }).id : (row as { n: number }).n,
            row,
          );
      for (const run of applied.patch.runs) runs.set(run.n, run);
      for (const n of applied.rekinded) {
        const job = base.row('job', n);
        for (const run of runs.values())
          if (job && run.job === n) runs.set(run.n, rekind(run, job));
      }
      return applied;
    },
    canonical: () => [
      [...tables]
        .map(([name, rows]) => [name, [...rows].sort(([a], [b]) => Number(a) - Number(b))])
        .filter(([, rows]) => (rows as unknown[]).length > 0)
        .sort(([a], [b]) => String(a).localeCompare(String(b))),
      [...runs].sort(([a], [b]) => a - b),
    ],
  };
}

test('SYNC-2, G4: any division of the events into batches makes the rows of a single fold', () => {
  assert(
    property(integer({ min: 1, max: 10_000 }), array(nat(60), { maxLength: 12 }), (seed, cuts) => {
      const log = getLog(seed, 25);
      const whole = plain();
      const cut = plain();
      whole.take(log, log.length);
      let from = 0;
      for (const at of [...new Set(cuts)].sort((a, b) => a - b)) {
        cut.take(log.slice(from, at), at);
        from = Math.max(from, at);
      }
      cut.take(log.slice(from), log.length);
      expect(cut.canonical()).toEqual(whole.canonical());
    }),
    { numRuns: 100 * Number(process.env['PROOF'] ?? 1) },
  );
});

test('SYNC-1: two patches merged into one equal both applied in order', () => {
  assert(
    property(integer({ min: 1, max: 10_000 }), integer({ min: 1, max: 40 }), (seed, at) => {
      const log = getLog(seed, 25);
      const one = plain();
      const first = one.take(log.slice(0, at), at).patch;
      const second = one.take(log.slice(at), log.length).patch;
      const merged = mergePatches(first, second);
      expect(merged.cursor).toBe(log.length);
      for (const run of merged.runs)
        expect(
          second.runs.find(({ n }) => n === run.n) ?? first.runs.find(({ n }) => n === run.n),
        ).toEqual(run);
      expect(new Set(merged.runs.map(({ n }) => n))).toEqual(
        new Set([...first.runs, ...second.runs].map(({ n }) => n)),
      );
      for (const row of merged.rows.problem ?? [])
        expect(one.base.row('problem', row.n)).toEqual(row);
    }),
    { numRuns: 30 * Number(process.env['PROOF'] ?? 1) },
  );
});

test("G11: an event that can't be read or folded is skipped as a whole, and the rest stays", () => {
  const log = getLog(7, 10);
  const clean = plain();
  const poisoned = plain();
  clean.take(log, log.length);
  const bad = [
    { seq: log.length + 1, event: { type: 'moon.risen@1', data: {} } },
    null,
    { ...log[3], seq: log.length + 2, event: { type: 'run.finished@1', data: { n: 'x' } } },
    // A run of a job that nobody has heard of contradicts the log.
    {
      ...log.find(({ event }) => event.type === 'run.finished@1'),
      seq: log.length + 3,
      event: {
        type: 'run.started@1',
        data: {
          n: 9_999,
          job: 9_999,
          company: 1,
          key: '00000000-0000-4000-8000-0000000000aa',
          uid: 'u',
          startedAt: NOW,
        },
      },
    },
  ];
  const applied = poisoned.take(
    [...log.slice(0, 5), ...bad.slice(0, 2), ...log.slice(5), ...bad.slice(2)],
    log.length + 3,
  );
  expect(applied.poison).toHaveLength(4);
  expect(applied.poison[0]).toBe(`moon.risen@1 (${log.length + 1})`);
  expect(poisoned.canonical()).toEqual(clean.canonical());
});

test("SYNC-2: the start of a run of a day that isn't loaded waits for that day, which may have its end", () => {
  const log = getLog(3, 0);
  const one = plain();
  one.take(log, log.length);
  const job = must(one.base.row('job', 1));
  const started = {
    ...log[0],
    seq: 500,
    company: job.company,
    event: {
      type: 'run.started@1',
      data: { n: 777, job: 1, company: job.company, key: job.key, uid: 'late', startedAt: NOW },
    },
  };
  expect(applyEvents({ ...one.base, isComing: () => true }, [started], 500).patch.runs).toEqual([]);
  expect(applyEvents(one.base, [started], 500).patch.runs).toHaveLength(1);
});

test('RUN-8, SYNC-1: a run that a page delivered before its event is counted once, and a corrected one is not counted again', () => {
  const log = getLog(3, 0);
  const server = plain();
  server.take(log, log.length);
  const first = must(
    log.findLast(({ event }) => event.type === 'run.finished@1' && event.data.problem !== null),
  );
  if (first.event.type !== 'run.finished@1') throw new Error('no run failed');
  const { data } = first.event;
  const problem = must(data.problem);
  const before = log.slice(0, first.seq - 1);
  const counted = must(server.base.row('problem', problem)).runs;
  const correction = {
    ...first,
    seq: log.length + 1,
    event: { ...first.event, data: { ...data, message: 'again', corrects: { problem } } },
  };
  const moved = {
    ...first,
    seq: log.length + 2,
    event: {
      ...first.event,
      data: { ...data, status: 'Success', problem: null, corrects: { problem } },
    },
  };
  const ahead = plain();
  ahead.take(before, before.length);
  ahead.runs.set(data.n, must(server.runs.get(data.n)));
  ahead.take(log.slice(before.length), log.length);
  expect(ahead.canonical()).toEqual(server.canonical());
  for (const device of [server, ahead]) {
    device.runs.delete(data.n);
    device.take([correction], log.length + 1);
    expect(device.base.row('problem', problem)?.runs).toBe(counted);
    device.runs.delete(data.n);
    device.take([moved], log.length + 2);
    expect(device.base.row('problem', problem)?.runs).toBe(counted - 1);
  }
});
