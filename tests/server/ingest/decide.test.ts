import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { fold, FOLDS, memoryRows } from '#contract/fold.ts';
import type { IngestKeyRow } from '#contract/runs/rows.ts';
import { type Decision, decide } from '#server/features/ingest/decide.ts';
import type { DecisionState } from '#server/features/ingest/decision-state.ts';
import { type Normal, normalizeExecution } from '#server/features/ingest/normalize.ts';
import { bySource } from '#server/features/ingest/pipeline.ts';
import { eachDatabase } from '../db/databases.ts';
import { anExecution, aPlace, HOUR, iso, NOON } from './fixtures.ts';

const key: IngestKeyRow = {
  id: '5b0e7a56-6f43-4a0e-9f0e-6f2f2b7f8a11',
  name: 'Key of the test',
  company: 1,
  tool: 'restic',
  managed: null,
  hint: 'abcd',
  madeAt: 0,
  rotatedAt: null,
  revokedAt: null,
  firstResultAt: null,
};
const by = bySource(key.id, NOON);

/** A state of maps that nothing may write to, with the rows and names that tests put into it. */
interface Known {
  readonly rows: ReturnType<typeof memoryRows>;
  readonly names: Record<
    'jobByUid' | 'runByUid' | 'runByStart' | 'causeByName',
    ReadonlyMap<string, number>
  >;
  readonly next: DecisionState['next'];
}

const beginning = (): Known => {
  const rows = memoryRows();
  rows.key.set(key.id, key);
  return {
    rows,
    names: {
      jobByUid: new Map(),
      runByUid: new Map(),
      runByStart: new Map(),
      causeByName: new Map(),
    },
    next: { job: 1, run: 1, problem: 1, cause: 1 },
  };
};

const getState = ({ rows, names, next }: Known): DecisionState => ({
  job: sealed(rows.job),
  stat: sealed(rows.stat),
  run: sealed(rows.run),
  problem: sealed(rows.problem),
  cause: sealed(rows.cause),
  key: sealed(rows.key),
  jobByUid: sealed(names.jobByUid),
  runByUid: sealed(names.runByUid),
  runByStart: sealed(names.runByStart),
  causeByName: sealed(names.causeByName),
  logged: sealed(new Map([[1, 'the log so far']])),
  next: Object.freeze({ ...next }),
});

const refuse = (): never => {
  throw new Error('A decision wrote to its input.');
};

/** A copy whose rows are frozen and that throws when it is written to. */
function sealed<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  const copy = new Map([...map].map(([one, value]) => [one, frozen(value)]));
  return Object.assign(copy, { set: refuse, delete: refuse, clear: refuse });
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const one of Object.values(value)) frozen(one);
  return Object.freeze(value);
}

/** The state after a decision, the slow way: its events folded one by one into all rows. */
function after(before: Known, decision: Decision): Known {
  for (const logged of decision.folded.events) fold(before.rows, logged);
  const names = Object.fromEntries(
    Object.entries(before.names).map(([name, known]) => [
      name,
      new Map([...known, ...decision.names[name as keyof Known['names']]]),
    ]),
  ) as unknown as Known['names'];
  return { rows: before.rows, names, next: decision.state.next };
}

/** Results of three jobs at few times, so that many are about the same run or repeat another. */
const anyResult = fc
  .record({
    job: fc.constantFrom('A', 'B', 'C'),
    hour: fc.integer({ min: 0, max: 9 }),
    status: fc.constantFrom('Running', 'Success', 'Success', 'Warning', 'Failed', 'Error'),
    name: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
    message: fc.option(fc.constantFrom('disk is full', 'connection refused', 'no such host')),
    bytes: fc.option(fc.constantFrom(0, 1_000_000, 9_000_000_000)),
    log: fc.option(fc.constantFrom('one line', 'another line')),
    computer: fc.constantFrom('pc-1', 'pc-2'),
  })
  .map(
    ({
      job,
      hour,
      status,
      name,
      message,
      bytes,
      log,
      computer,
    }): Parameters<typeof normalizeExecution>[0] => ({
      job,
      jobInstanceUid: job,
      computer,
      status,
      startTime: iso(NOON - (20 - hour) * HOUR),
      ...(status === 'Running' ? {} : { endTime: iso(NOON - (20 - hour) * HOUR + HOUR / 2) }),
      ...(name === undefined ? {} : { externalId: `run-${name}` }),
      ...(message === null ? {} : { message }),
      ...(bytes === null ? {} : { bytesTransferred: bytes }),
      ...(log === null ? {} : { log }),
    }),
  );

const normalized = (results: readonly Parameters<typeof normalizeExecution>[0][]): Normal[] =>
  results.map((result, index) => frozen(normalizeExecution(result, index, NOON) as Normal));

const RUNS = 150 * Number(process.env['PROOF'] ?? 1);

test('ING-19: a decision changes none of its inputs, and is repeatable', () => {
  fc.assert(
    fc.property(
      fc.array(anyResult, { maxLength: 12 }),
      fc.array(anyResult, { maxLength: 12 }),
      (earlier, results) => {
        const first = decide(getState(beginning()), frozen(key), normalized(earlier), by);
        const known = after(beginning(), first);
        const state = getState(known);
        const input = frozen(normalized(results));
        const once = decide(state, frozen(key), input, frozen(by));
        const twice = decide(state, frozen(key), input, frozen(by));
        expect({ ...once, state: null }).toEqual({ ...twice, state: null });
        const { rows } = after(known, once);
        for (const table of ['job', 'stat', 'run', 'problem', 'cause', 'key'] as const)
          for (const [id, row] of rows[table]) expect(once.state[table].get(id)).toEqual(row);
      },
    ),
    { numRuns: RUNS },
  );
});

test('ING-19: results divided into requests in any way make the same events as one by one', () => {
  fc.assert(
    fc.property(
      fc.array(anyResult, { minLength: 1, maxLength: 24 }),
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 24 }),
      (unordered, sizes) => {
        // A request is decided in the order of its starts, the start of a run before its end.
        const results = unordered.toSorted(
          (a, b) =>
            Date.parse(a.startTime) - Date.parse(b.startTime) ||
            Number(a.status !== 'Running') - Number(b.status !== 'Running'),
        );
        expect(decidedIn(results, sizes)).toEqual(decidedIn(results, [1]));
      },
    ),
    { numRuns: RUNS },
  );
});

/** What results become in requests of these sizes, the last size for all that follow. */
function decidedIn(
  results: readonly Parameters<typeof normalizeExecution>[0][],
  sizes: readonly number[],
): unknown {
  let known = beginning();
  const events: unknown[] = [];
  const logs: unknown[] = [];
  const counts = { accepted: 0, duplicates: 0, rejected: 0 };
  for (let from = 0, turn = 0; from < results.length; turn += 1) {
    const size = sizes[Math.min(turn, sizes.length - 1)] ?? 1;
    const some = normalized(results.slice(from, from + size));
    const decision = decide(getState(known), key, some, by);
    for (const { seq: _, ...logged } of decision.folded.events) events.push(logged);
    logs.push(...decision.logs);
    counts.accepted += decision.accepted;
    counts.duplicates += decision.duplicates;
    counts.rejected += decision.rejected.length;
    known = after(known, decision);
    from += size;
  }
  return { events, logs, counts, next: known.next };
}

const night = (slot: number, status: string): unknown[] =>
  ['A', 'B'].map((job) =>
    anExecution({
      job,
      status,
      startTime: iso(NOON - slot * HOUR),
      endTime: iso(NOON - slot * HOUR + 60_000),
      ...(status === 'Success' ? {} : { message: `disk of ${job} is full` }),
    }),
  );

eachDatabase((name, open) => {
  test(`LOG-9: each event of a posted result is folded once (${name})`, async () => {
    const place = await aPlace(await open());
    const { ground: fixture, tenant } = place;
    const head = (): Promise<number> =>
      fixture.context.store.tenant(tenant, async (tx) => (await tx.head()).seq, { readOnly: true });
    const before = await head();
    const folds = Object.values(FOLDS).map((one) => vi.spyOn(one, 'fold'));
    try {
      for (const results of [
        night(9, 'Success'),
        night(8, 'Failed'),
        night(8, 'Warning'),
        night(7, 'Success'),
      ])
        expect((await place.post('executions', results)).status).toBe(200);
      const folded = folds.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      expect(folded).toBe((await head()) - before);
      expect(folded, 'jobs, causes, problems and runs').toBeGreaterThan(12);
    } finally {
      for (const spy of folds) spy.mockRestore();
    }
  });
});
