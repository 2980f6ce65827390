import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { moveGridCursor } from '#src/features/shared/grid/cursor.ts';
import type { GridCursor } from '#src/features/shared/grid/cursor.ts';
import {
  addPinned,
  columnWidth,
  getBlocks,
  getStretch,
  withSkipped,
} from '#src/features/shared/grid/virtual-window.ts';
import {
  badWords,
  cellWords,
  getCellForm,
  missingWords,
  shareOrDash,
  getDayStatus,
} from '#src/features/calendar/labels.ts';
import type { DayHead } from '#src/features/calendar/labels.ts';

const RUNS = { numRuns: 200 * Number(process.env['PROOF'] ?? 1) };

test('CALV-6: only visible cells are rendered, with at most two blocks and a margin, for 10,000 lines as for ten', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 11_000 }),
      fc.nat(11_000),
      fc.integer({ min: 0, max: 60 }),
      (count, at, inSight) => {
        const startIndex = Math.min(at, count - 1);
        const endIndex = Math.min(count - 1, startIndex + inSight);
        const drawn = getBlocks({ startIndex, endIndex, count });
        expect(drawn).toEqual(drawn.map((_, i) => (drawn[0] ?? 0) + i));
        expect(drawn[0]).toBeGreaterThanOrEqual(0);
        expect(drawn[0]).toBeLessThanOrEqual(startIndex);
        expect(drawn.at(-1)).toBeLessThan(count);
        expect(drawn.at(-1)).toBeGreaterThanOrEqual(endIndex);
        expect(drawn.length).toBeLessThanOrEqual(endIndex - startIndex + 33);
        expect((drawn[0] ?? 0) % 8).toBe(0);
      },
    ),
    RUNS,
  );
});

test('CALV-7: the active row or day stays rendered wherever the grid is scrolled, in its own place, and nothing else is loaded for it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 11_000 }),
      fc.nat(11_000),
      fc.integer({ min: 0, max: 60 }),
      fc.nat(10_999),
      (count, at, inSight, pinned) => {
        const startIndex = Math.min(at, count - 1);
        const endIndex = Math.min(count - 1, startIndex + inSight);
        const blocks = getBlocks({ startIndex, endIndex, count });
        const drawn = addPinned(blocks, pinned, count);
        expect(new Set(drawn)).toEqual(new Set(pinned < count ? [...blocks, pinned] : blocks));
        expect(drawn).toEqual(drawn.toSorted((a, b) => a - b));
        const { first, count: loaded } = getStretch(drawn);
        expect(first).toBeLessThanOrEqual(startIndex);
        expect(first + loaded).toBeGreaterThan(endIndex);
        expect(loaded).toBeLessThanOrEqual(blocks.length + 1);
        // What is left out and what is rendered fill the same room as all of them.
        let place = 0;
        for (const { index, skipped } of withSkipped(drawn)) {
          expect(place + skipped).toBe(index);
          place = index + 1;
        }
      },
    ),
    RUNS,
  );
});

test('CALV-6: a month fills the width, a quarter scrolls, and under a finger a day is 44 px wide', () => {
  expect(columnWidth(853, 30, false)).toBe(28);
  expect(columnWidth(853, 92, false)).toBe(26);
  expect(columnWidth(1_300, 7, false)).toBe(40);
  expect(columnWidth(258, 30, true)).toBe(44);
});

test('CALV-7: keys stay in the grid', () => {
  const keys = [
    'ArrowUp',
    'ArrowDown',
    'ArrowLeft',
    'ArrowRight',
    'Home',
    'End',
    'PageUp',
    'PageDown',
  ];
  const reach = { lines: 40, days: 30, page: 20, start: 29 };
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean()), { maxLength: 30 }),
      (pressed) => {
        let at: GridCursor | null = null;
        for (const [key, ctrl] of pressed) {
          at = moveGridCursor(at, key, ctrl, reach);
          expect(at && at.line >= 0 && at.line < 40 && at.day >= -1 && at.day < 30).toBe(true);
        }
      },
    ),
    RUNS,
  );
});

test('CALV-7: the first arrow goes to today, Home and End along the line, with Ctrl to the corners, and the name comes before the first day', () => {
  const reach = { lines: 40, days: 30, page: 20, start: 20 };
  expect(moveGridCursor(null, 'ArrowDown', false, reach)).toEqual({ line: 0, day: 20 });
  expect(moveGridCursor({ line: 3, day: 20 }, 'Home', false, reach)).toEqual({ line: 3, day: 0 });
  expect(moveGridCursor({ line: 3, day: 0 }, 'ArrowLeft', false, reach)).toEqual({
    line: 3,
    day: -1,
  });
  expect(moveGridCursor({ line: 3, day: 20 }, 'End', false, reach)).toEqual({ line: 3, day: 29 });
  expect(moveGridCursor({ line: 3, day: 20 }, 'End', true, reach)).toEqual({ line: 39, day: 29 });
  expect(moveGridCursor({ line: 3, day: 20 }, 'PageDown', false, reach)).toEqual({
    line: 23,
    day: 20,
  });
  expect(moveGridCursor({ line: 3, day: 20 }, 'x', false, reach)).toBeNull();
  expect(moveGridCursor(null, 'ArrowDown', false, { ...reach, lines: 0 })).toBeNull();
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 10, 20, 12);
const head = (n: number, more: Partial<DayHead> = {}): DayHead => {
  const from = Date.UTC(2026, 10, n);
  return {
    day: `2026-11-${String(n).padStart(2, '0')}`,
    from,
    to: from + DAY,
    weekend: false,
    today: n === 20,
    here: true,
    ...more,
  };
};

test(`CALV-5: days not on this device, not loaded yet or in the future are described, and aren't "not due"`, () => {
  const stored = Date.UTC(2026, 10, 18, 6);
  expect(getDayStatus(head(17, { here: false }), stored, NOON)).toBe('away');
  expect(getDayStatus(head(18, { here: false }), stored, NOON)).toBe('part');
  expect(getDayStatus(head(19, { here: false }), stored, NOON)).toBe('loading');
  expect(getDayStatus(head(20), stored, NOON)).toBe('here');
  expect(getDayStatus(head(21), stored, NOON)).toBe('ahead');
  expect(getCellForm(null, 'away')).toBe('away');
  expect(getCellForm(null, 'here')).toBe('none');
  expect(getCellForm('off', 'here')).toBe('off');
  expect(getCellForm('Failed', 'part')).toBe('failed');
  expect(cellWords(head(20), 'missed')).toBe('Friday 11/20/26, today: Did not run');
  expect(cellWords(head(20), 'none')).toBe('Friday 11/20/26, today: No result yet');
  expect(cellWords(head(19), 'none')).toBe('Thursday 11/19/26: Not due');
  expect(cellWords(head(17), 'away')).toBe('Tuesday 11/17/26: Not on this device');
  expect(badWords(head(19), 1_200, 'here')).toBe('Thursday 11/19/26: 1,200 failed or did not run');
  expect(badWords(head(19), 0, 'here')).toBe('Thursday 11/19/26: none failed');
  expect(badWords(head(17), 0, 'away')).toBe('Tuesday 11/17/26: Not on this device');
});

test('CALV-5: one sentence says why days are empty', () => {
  const stored = Date.UTC(2026, 10, 18, 6);
  const lost = { here: false };
  expect(
    missingWords([head(16, lost), head(17, lost), head(18, lost), head(19)], stored, NOON),
  ).toBe('Days before 11/18/26 are not on this device');
  expect(missingWords([head(18, lost), head(19)], stored, NOON)).toBe(
    '11/18/26 is only partly stored on this device',
  );
  expect(missingWords([head(19, lost), head(20)], stored, NOON)).toBe('1 of 2 days loaded');
  expect(missingWords([head(16, lost)], stored, NOON)).toBe('These days are not on this device');
  expect(missingWords([head(19), head(20), head(21)], stored, NOON)).toBeNull();
});

test('CALV-5: a share is never rounded up to 100', () => {
  expect([1, 0.9999, 0.975, 0, null].map(shareOrDash)).toEqual([
    '100.0%',
    '99.9%',
    '97.5%',
    '0.0%',
    '–',
  ]);
});
