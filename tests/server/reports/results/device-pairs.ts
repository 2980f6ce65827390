/**
 * Users who ask the server, each beside a device that holds the same: what both answer must agree.
 */
import * as fc from 'fast-check';
import { ENTITY_GROUPS, JOB_TYPES, SOURCES } from '#contract/runs/vocabulary.ts';
import type { Store } from '#server/platform/db/store.ts';
import type { ColumnStore } from '#workers/types.ts';
import { anDemo, BERLIN, DAY, iso, NOW } from './fixtures.ts';
import type { Demo, Get } from './fixtures.ts';

export const numRuns = (runs: number): number => runs * Number(process.env['PROOF'] ?? 1);
export const few = <T>(values: readonly T[]): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<T[]>([]) },
    { weight: 1, arbitrary: fc.subarray([...values], { minLength: 1, maxLength: 2 }) },
  );
export const STORED = new Map([['2020-01-01', true]]);
export const must = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error('nothing here');
  return value;
};

/** Somebody who asks the server, and a device that holds the same. */
export interface Pair {
  readonly get: Get & {
    post(path: string, body: unknown): Promise<{ text: string; headers: Headers }>;
  };
  readonly engine: ColumnStore;
  readonly timeZone: string;
}
interface Query {
  readonly from: number;
  readonly to: number;
  readonly companyIds: readonly number[];
  readonly entityGroup: readonly (typeof ENTITY_GROUPS)[number][];
  readonly source: readonly (typeof SOURCES)[number][];
  readonly type: readonly (typeof JOB_TYPES)[number][];
}

const time = fc
  .record({
    back: fc.integer({ min: 0, max: 24 }),
    length: fc.integer({ min: 1, max: 20 }),
    odd: fc.constantFrom(0, 0, 0, 1, 500, 7 * 3_600_000),
  })
  .map(({ back, length, odd }) => ({
    from: NOW - back * DAY + odd,
    to: NOW + (length - back) * DAY,
  }));
export const request: fc.Arbitrary<Query> = fc
  .tuple(
    time,
    fc.record({
      companyIds: few([1, 2, 3]),
      entityGroup: few(ENTITY_GROUPS.slice(0, 4)),
      source: few([SOURCES[0], SOURCES[2], SOURCES[9]]),
      type: few([JOB_TYPES[0], JOB_TYPES[1], JOB_TYPES[7]]),
    }),
  )
  .map(([when, what]) => ({ ...when, ...what }));
export const query = (
  { from, to }: Pick<Query, 'from' | 'to'>,
  filters: object,
  more = '',
): string =>
  `?from=${iso(from)}&to=${iso(to)}&filters=${encodeURIComponent(JSON.stringify(filters))}${more}`;

/** Two providers, each with a user of all companies and one of two of them. */
export async function devicePairs(open: () => Promise<Store>): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  const walls = [BERLIN, { timeZone: 'America/New_York', dayBeginsHour: 0 }];
  for (const [place, wall] of walls.entries()) {
    const demoData: Demo = await anDemo(await open(), 7 + place, wall, {
      jobs: 14,
      runs: 900,
      days: 24,
    });
    for (const companies of [null, [1, 2]])
      pairs.push({
        get: await demoData.as(`u${place}${companies ? 'some' : 'all'}`, ['operator'], companies),
        engine: await demoData.device(companies),
        timeZone: wall.timeZone,
      });
  }
  return pairs;
}
