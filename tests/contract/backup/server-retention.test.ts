import * as fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { isShorterRetention, type ServerRetention } from '#contract/backup/server-repositories.ts';

const numRuns = 2_000 * Number(process.env['PROOF'] ?? 1);
/** The options of the specification, with their years. */
const YEARS = { Year1: 1, Years2: 2, Years3: 3, Years5: 5, Years7: 7, Years10: 10, Years25: 25 };
const POLICIES = Object.keys(YEARS) as (keyof typeof YEARS)[];

const days = (count: number): ServerRetention => ({ unit: 'days', count });
const months = (count: number): ServerRetention => ({ unit: 'months', count });
const years = (policy: keyof typeof YEARS | 'Keep'): ServerRetention => ({ unit: 'years', policy });

const amount = fc.oneof(
  fc.integer({ min: 1, max: 300 }).map(months),
  fc.constantFrom(...POLICIES).map(years),
);
const duration = (retention: ServerRetention): object => {
  if (retention.unit === 'days') return { days: retention.count };
  if (retention.unit === 'months') return { months: retention.count };
  return retention.policy === 'Keep' ? { years: 5_000 } : { years: YEARS[retention.policy] };
};
/** Close to each other, where calendars differ. */
const pair = fc.oneof(
  fc.tuple(amount, amount),
  fc
    .tuple(amount, fc.integer({ min: -4, max: 4 }), fc.boolean())
    .map(([one, more, isFirst]): [ServerRetention, ServerRetention] => {
      const { months: wholeMonths = 0, years: wholeYears = 0 } = duration(one) as {
        readonly months?: number;
        readonly years?: number;
      };
      const about = days(Math.max(1, Math.round((wholeYears + wholeMonths / 12) * 365.25) + more));
      return isFirst ? [about, one] : [one, about];
    }),
);
const date = fc.oneof(
  fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2399, 11, 31) }),
  fc
    .tuple(fc.integer({ min: 2000, max: 2399 }), fc.integer({ min: 0, max: 11 }))
    .chain(([year, month]) =>
      fc.constantFrom(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 0)),
    ),
);

test('G73, VB365-62: no retention that removes something earlier on any date passes as not shorter', () => {
  fc.assert(
    fc.property(pair, date, ([one, than], at) => {
      const day = DateTime.fromMillis(at, { zone: 'utc' }).startOf('day');
      const isReallyShorter =
        day.minus(duration(one)) > day.minus(duration(than)) ||
        day.plus(duration(one)) < day.plus(duration(than));
      expect(!isReallyShorter || isShorterRetention(one, than)).toBe(true);
    }),
    { numRuns },
  );
});

test('G73, VB365-62: a retention called shorter is so on some date', () => {
  const cycle = Array.from({ length: 4_800 }, (_, month) =>
    DateTime.utc(2000).plus({ months: month }),
  ).flatMap((first) => [first, first.endOf('month').startOf('day')]);
  const close: [ServerRetention, ServerRetention][] = [1, 2, 12, 13, 37].flatMap((count) =>
    Array.from({ length: 9 }, (_, n) => days(Math.round(count * 30.44) + n - 4)).flatMap(
      (one): [ServerRetention, ServerRetention][] => [
        [one, months(count)],
        [months(count), one],
      ],
    ),
  );
  const isOnSomeDate = ([one, than]: [ServerRetention, ServerRetention]): boolean =>
    cycle.some(
      (day) =>
        day.minus(duration(one)) > day.minus(duration(than)) ||
        day.plus(duration(one)) < day.plus(duration(than)),
    );
  expect(close.filter((two) => isShorterRetention(...two) && !isOnSomeDate(two))).toEqual([]);
});

test('G73, VB365-62: a year is twelve months, and 365 days are shorter than both', () => {
  for (const year of [years('Year1'), months(12)]) {
    expect(isShorterRetention(year, months(12))).toBe(false);
    expect(isShorterRetention(months(12), year)).toBe(false);
    expect(isShorterRetention(days(365), year)).toBe(true);
    expect(isShorterRetention(days(366), year)).toBe(false);
    expect(isShorterRetention(year, days(365))).toBe(false);
    expect(isShorterRetention(year, days(366))).toBe(true);
    expect(isShorterRetention(months(11), year)).toBe(true);
    expect(isShorterRetention(year, years('Keep'))).toBe(true);
    expect(isShorterRetention(years('Keep'), year)).toBe(false);
  }
  expect(isShorterRetention(days(30), months(1))).toBe(true);
  expect(isShorterRetention(days(31), months(1))).toBe(false);
  expect(isShorterRetention(days(9_999), years('Keep'))).toBe(true);
  expect(isShorterRetention(years('Keep'), days(9_999))).toBe(false);
  expect(isShorterRetention(years('Keep'), years('Keep'))).toBe(false);
});
