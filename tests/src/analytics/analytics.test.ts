import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import type { ComputerOut, RepositoryOut } from '#contract/daily-checks/operator-calls.ts';
import type { TrendDay } from '#contract/analytics/trends.ts';
import { parseListAddress } from '#src/features/shared/runs/list-address.ts';
import {
  computersListAddress,
  computersPlace,
  SHOWS,
  shownComputers,
} from '#src/features/computers/rows.ts';
import {
  RANKING_MEASURES,
  rankingsAddress,
  rankingsPlace,
} from '#src/features/analytics/rankings/address.ts';
import { repositoriesAddress, repositoriesPlace } from '#src/features/repositories/address.ts';
import {
  REPOSITORY_ORDERS,
  getRepositoryRows,
  shownRows,
} from '#src/features/repositories/rows.ts';
import {
  cellAddress,
  sheetAddress,
  sheetPlace,
} from '#src/features/analytics/spreadsheet/address.ts';
import { makeSheetFile } from '#src/features/analytics/spreadsheet/file.ts';
import type { SheetLine } from '#src/features/analytics/spreadsheet/sheet.ts';
import {
  BYS,
  drillAddress,
  trendsAddress,
  trendsPlace,
} from '#src/features/analytics/trends/address.ts';
import { bucketed, getBuckets, getBucketUnit } from '#src/features/analytics/trends/buckets.ts';
import { failureRate, rateWords } from '#src/features/analytics/trends/labels.ts';
import { addDays, spanKey } from '#src/features/shared/date-range/dates.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');
const getQuery = (address: string): string =>
  address.slice(address.indexOf('?') < 0 ? address.length : address.indexOf('?') + 1);
const span = fc.constantFrom(
  { kind: 'last', days: 30 } as const,
  { kind: 'this', unit: 'year' } as const,
  { kind: 'range', from: '2026-01-03', to: '2026-02-01' } as const,
);
const chosen = {
  span,
  companies: fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { maxLength: 3 }),
  sources: fc.subarray([...SOURCES], { maxLength: 3 }),
  types: fc.subarray([...JOB_TYPES], { maxLength: 3 }),
};

test('TREND-3, TREND-4, TREND-5, TREND-7: the address holds the state of a page, and invalid values become the defaults', () => {
  fc.assert(
    fc.property(fc.record({ ...chosen, by: fc.constantFrom(...BYS) }), (place) => {
      expect(trendsPlace(getQuery(trendsAddress(place)))).toEqual(place);
    }),
  );
  fc.assert(
    fc.property(
      fc.record({ ...chosen, measure: fc.constantFrom(...RANKING_MEASURES) }),
      (place) => {
        expect(rankingsPlace(getQuery(rankingsAddress(place)))).toEqual(place);
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.record({
        ...chosen,
        mode: fc.constantFrom('worst', 'last'),
        by: fc.constantFrom('job', 'company'),
        text: fc.constantFrom('', 'a & b'),
      }),
      (place) => {
        expect(sheetPlace(getQuery(sheetAddress(place)))).toEqual(place);
      },
    ),
  );
  fc.assert(
    fc.property(
      fc.record({
        order: fc.constantFrom(...REPOSITORY_ORDERS),
        text: fc.constantFrom('', 'nas 1'),
        companies: fc.constantFrom([], [4]),
        open: fc.constantFrom(null, 'a/b'),
        span,
      }),
      (place) => {
        expect(repositoriesPlace(getQuery(repositoriesAddress(place)))).toEqual(place);
      },
    ),
  );
  fc.assert(
    fc.property(fc.string(), (query) => {
      for (const read of [trendsPlace, rankingsPlace, sheetPlace, repositoriesPlace])
        expect(() => read(query)).not.toThrow();
    }),
  );
  expect([
    trendsAddress(trendsPlace('by=nobody&company=x&date=never')),
    sheetAddress(sheetPlace('show=no')),
  ]).toEqual(['/monitoring/analytics/trends', '/monitoring/spreadsheet']);
});

test('TREND-3: a figure links to the results that it counts', () => {
  const place = { companies: [3], sources: ['restic'], types: ['BackupCopy'] } as const;
  const days = ['2026-11-01', '2026-11-07'] as const;
  const of = (address: string) => {
    const {
      span: over,
      companies,
      sources,
      types,
      states,
      review,
      rows,
    } = parseListAddress(getQuery(address));
    return { days: spanKey(over), companies, sources, types, states, review, rows };
  };
  expect(of(drillAddress(place, days, ['Warning']))).toEqual({
    days: '2026-11-01..2026-11-07',
    companies: [3],
    sources: ['restic'],
    types: ['BackupCopy'],
    states: ['Warning'],
    review: null,
    rows: 'runs',
  });
  expect(of(drillAddress(place, days, [], { by: 'company', key: '8' }))).toMatchObject({
    companies: [8],
    sources: ['restic'],
  });
  expect(of(drillAddress(place, days, [], { by: 'source', key: 'borg' }))).toMatchObject({
    companies: [3],
    sources: ['borg'],
    types: ['BackupCopy'],
  });
  expect(
    parseListAddress(getQuery(cellAddress({ company: 2, job: 5, name: 'x' }, '2026-11-03'))),
  ).toMatchObject({ jobs: [5], review: null });
  expect(
    parseListAddress(getQuery(cellAddress({ company: 2, job: null, name: 'A & B' }, '2026-11-03'))),
  ).toMatchObject({ companies: [2], text: 'A & B', jobs: [] });
});

const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
const daysFrom = (first: string, count: number): TrendDay[] =>
  Array.from({ length: count }, (_, i) => ({
    day: addDays(first, i),
    from: 0,
    runs: 10,
    failures: i % 3,
    warnings: 1,
    missed: 0,
  }));

test('TREND-6: buckets contain each day once, in order, and no number is lost', () => {
  expect([1, 45, 46, 182, 183, 366].map(getBucketUnit)).toEqual([
    'day',
    'day',
    'week',
    'week',
    'month',
    'month',
  ]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 366 }),
      fc.integer({ min: 0, max: 60 }),
      (count, late) => {
        const days = daysFrom(addDays('2025-09-12', late), count);
        const before = daysFrom('2024-09-12', count);
        const buckets = getBuckets(days, before);
        expect([buckets[0]?.days[0], buckets.at(-1)?.days[1]]).toEqual([
          days[0]?.day,
          days.at(-1)?.day,
        ]);
        expect(
          buckets
            .slice(1)
            .every(({ days: [first] }, i) => first === addDays(buckets[i]?.days[1] ?? '', 1)),
        ).toBe(true);
        expect([
          sum(buckets.map((one) => one.failures)),
          sum(buckets.map((one) => one.before?.failures ?? -1)),
          sum(
            bucketed(
              days.map((one) => one.failures),
              days,
            ),
          ),
        ]).toEqual([
          sum(days.map((one) => one.failures)),
          sum(before.map((one) => one.failures)),
          sum(days.map((one) => one.failures)),
        ]);
        expect(
          buckets
            .slice(1)
            .every((one) =>
              getBucketUnit(count) === 'week'
                ? Date.parse(one.days[1]) - Date.parse(one.days[0]) === 6 * DAY
                : getBucketUnit(count) === 'month'
                  ? one.days[0].endsWith('-01')
                  : one.days[0] === one.days[1],
            ),
        ).toBe(true);
        expect(buckets.map(({ before: then }) => then?.warnings)).toEqual(
          buckets.map(({ warnings }) => warnings),
        );
      },
    ),
  );
  expect(getBuckets(daysFrom('2026-11-01', 2), null).map(({ before }) => before)).toEqual([
    null,
    null,
  ]);
});

test('TREND-3: a rate covers runs that ended or should have run, and a small rate is never shown as zero', () => {
  expect(
    failureRate({ runs: 9, success: 2, warning: 1, failed: 1, missed: 0, anomaly: 0, running: 5 }),
  ).toBe(0.25);
  expect(
    failureRate({ runs: 1, success: 0, warning: 0, failed: 0, missed: 0, anomaly: 0, running: 1 }),
  ).toBe(null);
  expect([0, 0.0004, 0.0324, 1].map(rateWords)).toEqual([
    '0.0 %',
    'under 0.1 %',
    '3.2 %',
    '100.0 %',
  ]);
});

test('TREND-7: repositories are sorted fullest first and without a size last; full, nearly full, outdated and unknown ones are labeled', () => {
  const of = (_id: string, more: Partial<RepositoryOut>): RepositoryOut => ({
    _id,
    company: 1,
    companyName: 'Oakhurst',
    name: _id,
    type: null,
    hostName: 'nas',
    path: null,
    capacityBytes: 100,
    freeBytes: null,
    usedBytes: 50,
    sampledAt: NOW - 1000,
    days: [],
    fullAt: null,
    ...more,
  });
  const all = [
    of('well', {}),
    of('untold', { usedBytes: null, capacityBytes: null }),
    of('stale', { usedBytes: 10, sampledAt: NOW - 3 * DAY }),
    of('soon', { usedBytes: 70, fullAt: NOW + 4 * DAY }),
    of('full', { usedBytes: 100, fullAt: NOW - 1 }),
    of('by free', { usedBytes: null, freeBytes: 5 }),
  ];
  const rows = getRepositoryRows(all, new Map([[1, 'Acme']]), NOW);
  const show = (order: (typeof REPOSITORY_ORDERS)[number], text = '') =>
    shownRows(rows, { order, text, companies: [] }).map(({ id }) => id);
  expect(show('fullest')).toEqual(['full', 'by free', 'soon', 'well', 'stale', 'untold']);
  expect(show('soonest').slice(0, 2)).toEqual(['full', 'soon']);
  expect(show('stale')[0]).toBe('stale');
  expect([show('name', 'ACME').length, show('name', 'soon'), show('name', 'nowhere')]).toEqual([
    6,
    ['soon'],
    [],
  ]);
  expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
    'well': 'well',
    'untold': 'none',
    'stale': 'stale',
    'soon': 'soon',
    'full': 'full',
    'by free': 'well',
  });
  expect(rows.find(({ id }) => id === 'by free')).toMatchObject({ used: 95, free: 5, share: 0.95 });
});

test('TREND-9: computers without a job come first, ignored ones return when the period ends, and the address holds the filter', () => {
  const of = (_id: string, more: Partial<ComputerOut>): ComputerOut => ({
    _id,
    company: 1,
    companyName: 'Oakhurst',
    hostName: _id,
    os: null,
    osType: null,
    ipAddresses: ['10.0.0.7'],
    firstSeenAt: 0,
    seenAt: NOW,
    lastSeenAt: new Date(NOW).toISOString(),
    jobs: 0,
    note: null,
    ignored: null,
    ignoredUntil: null,
    ...more,
  });
  const all = [
    of('pc-10', { jobs: 2 }),
    of('pc-2', {}),
    of('meant', { ignored: { by: 'u', at: 0, until: NOW + 1 } }),
    of('over', { ignored: { by: 'u', at: 0, until: NOW } }),
  ];
  const show = (which: (typeof SHOWS)[number], text = '') =>
    shownComputers(all, { show: which, text }, new Map([[1, 'Acme']]), NOW).map(
      ({ id, status }) => `${id} ${status}`,
    );
  expect(show('all')).toEqual([
    'over without-job',
    'pc-2 without-job',
    'meant ignored',
    'pc-10 with-job',
  ]);
  expect([
    show('ignored'),
    show('with-job', 'ACME'),
    show('without-job', 'pc'),
    show('all', '10.0.0.7').length,
    show('all', 'nowhere'),
  ]).toEqual([['meant ignored'], ['pc-10 with-job'], ['pc-2 without-job'], 4, []]);
  fc.assert(
    fc.property(
      fc.record({ span, show: fc.constantFrom(...SHOWS), text: fc.constantFrom('', 'a & b') }),
      (place) => {
        expect(computersPlace(getQuery(computersListAddress(place)))).toEqual(place);
      },
    ),
  );
  // Links that people saved before the values were renamed.
  expect(['bare', 'kept', 'other'].map((name) => computersPlace(`show=${name}`).show)).toEqual([
    'without-job',
    'with-job',
    'all',
  ]);
});

const line = (i: number): SheetLine => ({
  key: `j${i}`,
  company: 1,
  companyName: '=Acme',
  job: i,
  name: `+job ${i}`,
  detail: 'pc',
  share: 0.5,
  cells: ['Failed', null, 'off'],
});

test('TREND-8: a file contains every row and day, read in pages, and starts no formula; a canceled export creates no file', async () => {
  const all = Array.from({ length: 450 }, (_, i) => line(i));
  const heads = ['2026-11-01', '2026-11-02', '2026-11-03'].map((day) => ({
    day,
    from: 0,
    to: 0,
    weekend: false,
    today: false,
    status: 'here' as const,
  }));
  const shares: number[] = [];
  const making = makeSheetFile(
    sheetPlace(''),
    heads,
    (first) => Promise.resolve({ lines: all.slice(first, first + 200), total: all.length }),
    NOW,
    'UTC',
    (share) => shares.push(share),
  );
  const made = await making.done();
  const lines = ((await made?.file.text()) ?? '').trim().split('\r\n');
  expect([made?.rows, lines.length, made?.name.startsWith('Spreadsheet'), shares.at(-1)]).toEqual([
    450,
    451,
    true,
    1,
  ]);
  expect(lines[0]?.replace('\uFEFF', '')).toBe(
    'Company,Job,Computer,Good days,2026-11-01,2026-11-02,2026-11-03',
  );
  expect(lines[1]).toBe("'=Acme,'+job 0,pc,50.0%,Failed,,Disabled");
  const cancelled = makeSheetFile(
    sheetPlace(''),
    heads,
    (first) => {
      cancelled.cancel();
      return Promise.resolve({ lines: all.slice(first, first + 200), total: all.length });
    },
    NOW,
    'UTC',
    () => undefined,
  );
  expect(await cancelled.done()).toBe(null);
});
