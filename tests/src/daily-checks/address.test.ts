import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GROUPS, ORDERS, REVIEW_STATES, RUN_STATES } from '#contract/runs/query.ts';
import { ENTITY_GROUPS, JOB_TYPES, PROBLEM_KINDS, SOURCES } from '#contract/runs/vocabulary.ts';
import { parseListAddress, formatListQuery } from '#src/features/shared/runs/list-address.ts';
import { addDays } from '#src/features/shared/date-range/dates.ts';
import type { Span } from '#src/features/shared/date-range/dates.ts';
import { toStoredQuery } from '#src/features/shared/runs/stored-list.ts';
import { clearedList, DEFAULT_LIST, narrowed } from '#src/features/shared/runs/list-state.ts';
import type { RunListState } from '#src/features/shared/runs/list-state.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
const some = <T>(all: readonly T[]): fc.Arbitrary<T[]> =>
  fc.uniqueArray(fc.constantFrom(...all), { maxLength: 4 });
const ids = fc.uniqueArray(fc.integer({ min: 1, max: 9_999_999 }), { maxLength: 4 });
const day = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days));
const span: fc.Arbitrary<Span> = fc.oneof(
  fc.constantFrom<Span>({ kind: 'today' }, { kind: 'yesterday' }),
  fc.integer({ min: 1, max: 999 }).map((days): Span => ({ kind: 'last', days })),
  fc
    .tuple(day, fc.integer({ min: 0, max: 60 }))
    .map(([from, days]): Span => ({ kind: 'range', from, to: addDays(from, days) })),
);
const name = fc.oneof(
  fc.constantFrom('srv-01', 'a,b', 'x & y=z', '', '%2C', ','),
  fc.string({ maxLength: 12, unit: 'binary' }).map((text) => text.toWellFormed()),
);
const list: fc.Arbitrary<RunListState> = fc.record({
  span,
  rows: fc.constantFrom('jobs', 'runs'),
  review: fc.constantFrom(...REVIEW_STATES, null),
  states: some(RUN_STATES),
  kinds: some(PROBLEM_KINDS),
  companies: ids,
  sources: some(SOURCES),
  types: some(JOB_TYPES),
  causes: fc.uniqueArray(fc.integer({ min: 0, max: 9_999_999 }), { maxLength: 4 }),
  jobs: ids,
  servers: fc.uniqueArray(name, { maxLength: 4 }),
  instructionTypes: some(ENTITY_GROUPS),
  managed: fc.constantFrom(true, false, null),
  anomaly: fc.boolean(),
  text: fc.string({ maxLength: 60, unit: 'binary' }).map((text) => text.toWellFormed()),
  order: fc.constantFrom(...ORDERS),
  reverse: fc.boolean(),
  group: fc.constantFrom(...GROUPS, null),
  open: fc.option(fc.integer({ min: 1, max: 9_999_999 })),
});

test("DAY-1: the address has the list's whole state, and reads back the same", () => {
  fc.assert(
    fc.property(list, (one) => {
      expect(parseListAddress(formatListQuery(one))).toEqual(one);
    }),
    RUNS,
  );
});

test('DAY-1: a plain address is the default list: last 2 days, pending, anomalies on, newest of each job, worst first', () => {
  expect(parseListAddress('')).toEqual(DEFAULT_LIST);
  expect(formatListQuery(DEFAULT_LIST)).toBe('');
  expect(DEFAULT_LIST).toMatchObject({
    span: { kind: 'last', days: 2 },
    review: 'pending',
    anomaly: true,
    managed: null,
    companies: [],
    sources: [],
    types: [],
  });
});

test('DAY-2: invalid values in an address fall back, one by one, and never throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (text) => {
      expect(parseListAddress(formatListQuery(parseListAddress(text)))).toEqual(
        parseListAddress(text),
      );
    }),
    RUNS,
  );
  expect(
    parseListAddress(
      '?date=last-0&review=maybe&state=Failed,Gone,Failed&company=4,x,-2,4,1e3&managed=perhaps&rows=all&run=NaN&q=sql',
    ),
  ).toEqual({ ...DEFAULT_LIST, states: ['Failed'], companies: [4], text: 'sql' });
  expect(
    parseListAddress(
      '?order=best&reverse=maybe&group=planet&cause=0,00,7&server=a,b&server=a%2Cb&server=c&instructionType=office365,tape',
    ),
  ).toEqual({
    ...DEFAULT_LIST,
    causes: [0, 7],
    servers: ['a,b', 'c'],
    instructionTypes: ['office365'],
  });
  for (const date of [
    '2026-02-30..2026-03-01',
    '2026-03-02..2026-03-01',
    'last-1000',
    '..',
    'a..b..c',
  ])
    expect(parseListAddress(`date=${date}`).span).toEqual(DEFAULT_LIST.span);
});

test('DAY-2: days come as from and to as well; a date goes before them, and half of them is none', () => {
  expect(parseListAddress('from=2026-11-14&to=2026-11-20&instructionType=office365')).toEqual({
    ...DEFAULT_LIST,
    span: { kind: 'range', from: '2026-11-14', to: '2026-11-20' },
    instructionTypes: ['office365'],
  });
  expect(parseListAddress('date=today&from=2026-11-14&to=2026-11-20').span).toEqual({
    kind: 'today',
  });
  for (const query of [
    'from=2026-11-14',
    'to=2026-11-20',
    'from=2026-11-20&to=2026-11-14',
    'from=2026-11-31&to=2026-12-02',
    'from=x..y&to=z',
  ])
    expect(parseListAddress(query).span).toEqual(DEFAULT_LIST.span);
  expect(formatListQuery(parseListAddress('from=2026-11-14&to=2026-11-20'))).toBe(
    'date=2026-11-14..2026-11-20',
  );
});

test('DAY-3: the device stores the filters and not the search, the cause or the open run', () => {
  const stored = parseListAddress(
    toStoredQuery({
      ...DEFAULT_LIST,
      companies: [3],
      text: 'sql',
      causes: [9],
      jobs: [2],
      open: 7,
    }),
  );
  expect(stored).toEqual({ ...DEFAULT_LIST, companies: [3] });
});

test('DAY-4: "Clear n" counts the filters and removes only them', () => {
  const one: RunListState = {
    ...DEFAULT_LIST,
    span: { kind: 'today' },
    states: ['Failed', 'Error'],
    servers: ['a'],
    managed: true,
    text: 'x',
    review: null,
    rows: 'runs',
    order: 'job',
    reverse: true,
    group: 'server',
    open: 5,
  };
  expect(narrowed(one)).toBe(6);
  expect(narrowed(clearedList(one))).toBe(0);
  expect(clearedList(one)).toMatchObject({
    span: { kind: 'today' },
    rows: 'runs',
    order: 'job',
    reverse: true,
    group: 'server',
    open: 5,
    review: 'pending',
  });
});
