import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  getAnomalies,
  anomalyText,
  type ResultFacts,
  MIN_RUNS,
  MIN_SPREAD,
  getProblem,
  step,
  getUsualRange,
} from '#contract/problems/judge.ts';
import type { Measure, ProblemState, Status } from '#contract/runs/vocabulary.ts';
import { MEASURES, PROBLEM_STATES, SEVERITY } from '#contract/runs/vocabulary.ts';

const runs = (count: number): { numRuns: number } => ({
  numRuns: count * Number(process.env['PROOF'] ?? 1),
});
const value = fc.oneof(fc.nat(20), fc.nat(1_000_000), fc.nat(2 ** 40));
const history = fc.oneof(
  fc.array(value, { maxLength: 30 }),
  fc
    .tuple(value, fc.array(fc.nat(200), { minLength: 5, maxLength: 30 }))
    .map(([base, offs]) => offs.map((off) => base + off)),
);

/** The definition, word by word: the median by counting how many are below, the range by trying. */
function slowMedian(values: readonly number[]): number {
  const at = (rank: number): number =>
    values.find(
      (one) =>
        values.filter((other) => other < one).length <= rank &&
        values.filter((other) => other <= one).length > rank,
    ) ?? 0;
  return values.length % 2 === 1
    ? at((values.length - 1) / 2)
    : (at(values.length / 2 - 1) + at(values.length / 2)) / 2;
}
function slowAnomaly(
  measure: Measure,
  one: number,
  values: readonly number[],
  calibrated: readonly [number, number] | undefined,
): boolean {
  if (values.length < 7) return false;
  const median = slowMedian(values);
  const mad = Math.max(
    slowMedian(values.map((other) => Math.abs(other - median))),
    0.05 * median,
    MIN_SPREAD[measure],
  );
  let [low, high] = [Math.max(0, Math.floor(median - 4 * mad)), Math.ceil(median + 4 * mad)];
  if (measure === 'files') {
    if (one >= median / 2) return false;
    low = Math.max(low, Math.ceil(median / 2));
  }
  // Nothing where there was some: below the least that there ever was.
  if (measure === 'bytes' && one === 0 && median > 0 && low === 0)
    low = Math.min(high, ...values.filter((other) => other > 0));
  // A range that was calibrated joins the usual one: what lies between them is usual too.
  return (
    one < Math.min(low, calibrated?.[0] ?? low) || one > Math.max(high, calibrated?.[1] ?? high)
  );
}

test('RUN-4: anomalies are those of the definition, calculated the slow way', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...MEASURES),
      value,
      history,
      fc.option(fc.tuple(value, value)),
      fc.constantFrom<Status>('Success', 'Warning'),
      (measure, one, values, range, status) => {
        const calibrated =
          range === null ? undefined : ([Math.min(...range), Math.max(...range)] as const);
        const stat = {
          durations: [],
          bytes: [],
          files: [],
          ...(measure === 'duration' ? { durations: values } : { [measure]: values }),
          calibrated: calibrated ? { [measure]: calibrated } : {},
        };
        const facts: ResultFacts = {
          status,
          durationSec: null,
          bytes: null,
          files: null,
          message: null,
          ...(measure === 'duration' ? { durationSec: one } : { [measure]: one }),
        };
        const found = getAnomalies(facts, stat);
        expect(found.map((anomaly) => anomaly.measure)).toEqual(
          slowAnomaly(measure, one, values, calibrated) ? [measure] : [],
        );
        for (const { low, high } of found) expect(one < low || one > high).toBe(true);
      },
    ),
    {
      ...runs(1_500),
      // Was once missed: half of a few files is within the least spread.
      examples: [
        ['files', 0, [0, 0, 0, 1, 1, 1, 1], null, 'Success'],
        ['files', 1, Array<number>(7).fill(4), null, 'Warning'],
      ],
    },
  );
});

test('RUN-4: there is a range from seven runs on, it contains the median, and it is never below 0', () => {
  fc.assert(
    fc.property(history, (values) => {
      const usual = getUsualRange(values);
      expect(usual === null).toBe(values.length < MIN_RUNS);
      if (usual === null) return;
      expect(usual[0]).toBeGreaterThanOrEqual(0);
      expect(usual[0] <= slowMedian(values) && slowMedian(values) <= usual[1]).toBe(true);
    }),
    runs(500),
  );
  expect(getUsualRange(Array<number>(7).fill(1000))).toEqual([800, 1200]);
});

test('RUN-4: a value marked as normal is not an anomaly again, and only successful results are judged', () => {
  const stat = {
    durations: Array<number>(8).fill(600),
    bytes: Array<number>(8).fill(1e9),
    files: Array<number>(8).fill(1000),
    calibrated: {},
  };
  const facts: ResultFacts = {
    status: 'Success',
    durationSec: 6000,
    bytes: 0,
    files: 499,
    message: null,
  };
  expect(getAnomalies(facts, stat).map(({ measure }) => measure)).toEqual([
    'duration',
    'bytes',
    'files',
  ]);
  expect(
    getAnomalies(facts, {
      ...stat,
      calibrated: { duration: [6000, 6000], bytes: [0, 0], files: [499, 499] },
    }),
  ).toEqual([]);
  for (const status of ['Running', 'Failed', 'Error', 'Missed'] as const)
    expect(getAnomalies({ ...facts, status }, stat)).toEqual([]);
  expect(getAnomalies({ ...facts, durationSec: 620, bytes: 1e9, files: 500 }, stat)).toEqual([]);
});

test('RUN-4: the row shows the measure, the value and the usual range', () => {
  expect(
    anomalyText([
      { measure: 'bytes', value: 96_400_000_000, low: 8_100_000_000, high: 11_600_000_000 },
    ]),
  ).toBe('Transferred 96.4 GB, usual 8.1 to 11.6 GB');
  expect(anomalyText([{ measure: 'bytes', value: 0, low: 900_000, high: 2_100_000_000 }])).toBe(
    'Transferred 0 bytes, usual 900.0 kB to 2.1 GB',
  );
  expect(
    anomalyText([
      { measure: 'duration', value: 8_040, low: 1_200, high: 1_860 },
      { measure: 'files', value: 120, low: 900, high: 1_100 },
    ]),
  ).toBe('Took 2 h 14 min, usual 20 to 31 min; 120 files, usual 900 to 1,100');
  expect(anomalyText([])).toBeNull();
});

test('RUN-5: a problem is a state and a cause', () => {
  const facts: ResultFacts = {
    status: 'Failed',
    durationSec: 1,
    bytes: null,
    files: null,
    message: 'open /a/b: permission denied',
  };
  expect(getProblem(facts, [])).toEqual({
    state: 'Failed',
    template: 'open ‹path›: permission denied',
    kind: 'access',
  });
  expect(getProblem({ ...facts, message: null }, [])).toEqual({
    state: 'Failed',
    template: 'Failed without a message',
    kind: 'other',
  });
  expect(getProblem({ ...facts, status: 'Success' }, [])).toBeNull();
  expect(getProblem({ ...facts, status: 'Running' }, [])).toBeNull();
  expect(getProblem({ ...facts, status: 'Missed' }, [])).toMatchObject({
    state: 'Missed',
    kind: 'silent',
  });
  expect(
    getProblem({ ...facts, status: 'Success' }, [{ measure: 'bytes', value: 0, low: 1, high: 2 }]),
  ).toEqual({ state: 'Anomaly', template: 'Transferred nothing', kind: 'unusual' });
});

type Open = { state: ProblemState; template: string } | null;
type Details = Open | 'started';
const afterwards = (move: ReturnType<typeof step>, before: Open, one: Details): Open =>
  move === 'open' && one !== 'started' ? one : move === 'same' ? before : null;

/** The rule as a table: what ends, what goes on, what is fresh. */
function wanted(before: Open, one: Details): [ReturnType<typeof step>, Open] {
  if (one === null) return [before === null ? 'none' : 'close', null];
  if (one === 'started')
    return before === null
      ? ['none', null]
      : before.state === 'Missed'
        ? ['close', null]
        : ['same', before];
  const fresh =
    before === null ||
    before.template !== one.template ||
    SEVERITY[one.state] > SEVERITY[before.state];
  return fresh ? ['open', one] : ['same', before];
}

test('RUN-6: after any results at most one problem is open, as severe as its results', () => {
  const next = fc.oneof(
    fc.constant('started' as const),
    fc.constant(null),
    fc.record({ state: fc.constantFrom(...PROBLEM_STATES), template: fc.constantFrom('a', 'b') }),
  );
  fc.assert(
    fc.property(fc.array(next, { maxLength: 30 }), (walk) => {
      let open: Open = null;
      for (const one of walk) {
        const before: Open = open;
        const move = step(before, before?.template ?? null, one);
        open = afterwards(move, before, one);
        expect([move, open]).toEqual(wanted(before, one));
        // As bad as what it tells of, and never better.
        const details = one !== null && one !== 'started' ? SEVERITY[one.state] : 0;
        expect(open === null ? 0 : SEVERITY[open.state]).toBeGreaterThanOrEqual(details);
      }
    }),
    runs(500),
  );
});
