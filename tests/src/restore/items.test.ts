import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitPeople } from '#src/features/restore/items/people.ts';
import {
  addItems,
  NO_ITEMS_SELECTED,
  rangeTo,
  sumBytes,
  toggleItem,
} from '#src/features/restore/items/selection.ts';
import {
  MAX_PAGES,
  missingPages,
  getNearestPages,
  PAGE_ROWS,
} from '#src/features/restore/items/use-items.ts';
import { mail } from './nodes.ts';

const page = { rows: [], next: null, count: null };

test('RES-33: the pages of what is shown are loaded, and the first page first, which has the count', () => {
  const none = { pages: new Map(), count: null };
  expect(missingPages(none, 5 * PAGE_ROWS, 6 * PAGE_ROWS)).toEqual([0]);
  fc.assert(
    fc.property(
      fc.nat(5_000),
      fc.nat(5_000),
      fc.nat(60),
      fc.uniqueArray(fc.nat(25)),
      (count, first, length, loaded) => {
        const pages = new Map(loaded.map((n) => [n, page]));
        const shown = new Set<number>();
        for (let index = first; index <= first + length; index++)
          if (index < count) shown.add(Math.floor(index / PAGE_ROWS));
        expect(missingPages({ pages, count }, first, first + length)).toEqual(
          [...shown].filter((n) => !pages.has(n)),
        );
      },
    ),
  );
});

test('RES-33: the pages nearest to what is shown stay in memory', () => {
  const all = new Map(Array.from({ length: MAX_PAGES + 10 }, (_, n) => [n, n]));
  const stored = [...getNearestPages(all, 0).keys()].toSorted((a, b) => a - b);
  expect(stored).toEqual(Array.from({ length: MAX_PAGES }, (_, n) => n));
  expect(getNearestPages(all, MAX_PAGES + 9).has(0)).toBe(false);
});

test('RES-33: a selection toggles, extends from its anchor, and ends at the limit', () => {
  const first = toggleItem(NO_ITEMS_SELECTED, mail('a', 7), 3);
  expect([...first.items.keys()]).toEqual(['a']);
  expect(rangeTo(first, 1)).toEqual([1, 3]);
  expect(rangeTo(first, 9)).toEqual([3, 9]);
  expect(rangeTo(NO_ITEMS_SELECTED, 4)).toEqual([4, 4]);
  const more = addItems(first, [mail('a', 7), mail('b', 5), mail('c', 1)], 2);
  expect([...more.items.keys()]).toEqual(['a', 'b']);
  expect(sumBytes(more)).toBe(12);
  expect(toggleItem(more, mail('a', 7), 3).items.has('a')).toBe(false);
});

test('RES-33: the sender of a mail is told apart from its recipients', () => {
  expect(
    splitPeople('Ann Abel <ann@example.com>, bob@example.com, Cole, Cy <cy@example.com>'),
  ).toEqual([
    { name: 'Ann Abel', address: 'ann@example.com' },
    { name: 'bob@example.com', address: '' },
    { name: 'Cole, Cy', address: 'cy@example.com' },
  ]);
  expect(splitPeople('')).toEqual([]);
  expect(splitPeople('<ann@example.com>')).toEqual([{ name: 'ann@example.com', address: '' }]);
});
