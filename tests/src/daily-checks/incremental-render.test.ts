import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  MAX_NEW_ROWS,
  getRowsToRender,
  NO_ROWS,
} from '#src/features/daily-checks/incremental-render.ts';
import type { RenderableRow } from '#src/features/daily-checks/incremental-render.ts';

const RUNS = { numRuns: 100 * Number(process.env['PROOF'] ?? 1) };
/**
 * Lines of a list in which the run at a place is that place's number plus `shift`; the first and
 * the last six are near, not seen.
 */
const linesAt = (first: number, count: number, shift = 0, cursor = -1): readonly RenderableRow[] =>
  Array.from({ length: count }, (_, i) => ({
    index: first + i,
    key: first + i + shift,
    seen: i >= 6 && i < count - 6,
    cursor: first + i === cursor,
  }));

test('DAY-22: of new rows only a limited number is rendered at once, the cursor and the visible ones first, and all in the end', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.integer({ min: 13, max: 80 }), (first, count) => {
      const lines = linesAt(first, count, 0, first + count - 1);
      const seen = lines.filter((line) => line.seen).length;
      let drawn = NO_ROWS;
      let frames = 0;
      for (; drawn.keys.size < count; frames += 1) {
        const next = getRowsToRender(lines, drawn);
        const fresh = [...next.keys].filter((key) => !drawn.keys.has(key));
        expect(fresh.length).toBeLessThanOrEqual(MAX_NEW_ROWS + 1);
        expect(fresh.length).toBeGreaterThan(0);
        expect([...drawn.keys].every((key) => next.keys.has(key))).toBe(true);
        expect(next.places.has(first + count - 1)).toBe(true);
        if (lines.some((line) => !line.seen && !line.cursor && next.places.has(line.index)))
          expect(lines.filter((line) => line.seen && next.places.has(line.index))).toHaveLength(
            seen,
          );
        drawn = next;
      }
      expect(frames).toBeLessThanOrEqual(Math.ceil(count / MAX_NEW_ROWS));
    }),
    RUNS,
  );
});

test('DAY-22: the visible part moves from one line to the next at once, and a line that only moved stays rendered', () => {
  const before = {
    keys: new Set(linesAt(100, 40).map(({ key }) => key)),
    places: new Set(linesAt(100, 40).map(({ index }) => index)),
  };
  const others = getRowsToRender(linesAt(100, 40, 5_000), before);
  expect(
    linesAt(100, 40)
      .filter(({ seen }) => seen)
      .every(({ index }) => others.places.has(index)),
  ).toBe(true);
  expect(others.places.size).toBe(28); // what is near waits for its frame
  // one came in above: 39 moved, one is new
  expect(getRowsToRender(linesAt(100, 40, -1), before).places.size).toBe(40);
  expect(getRowsToRender(linesAt(103, 40), before).places.size).toBe(40);
  expect(getRowsToRender([], before).places.size).toBe(0);
});
