import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunState } from '#contract/runs/query.ts';
import { splitCause } from '#src/features/shared/runs/cause-pieces.ts';
import { stripPaths, stripWidth, stripWords, WIDE } from '#src/features/shared/runs/spark-bars.ts';
import { usualLine } from '#src/features/shared/runs/baseline.ts';

test('DAY-10: fixed words come from the template, variable ones from the message', () => {
  expect(
    splitCause(
      'Unable to connect to host dp-fs01.dpike.example: refused',
      'Unable to connect to host ‹host›: ‹text›',
    ),
  ).toEqual([
    { text: 'Unable to connect to host ', fixed: true },
    { text: 'dp-fs01.dpike.example', fixed: false },
    { text: ': ', fixed: true },
    { text: 'refused', fixed: false },
  ]);
  expect(
    splitCause('Error: Unable to connect to host fs01', 'Unable to connect to host ‹host›'),
  ).toEqual([
    { text: 'Error: Unable to connect to host ', fixed: true },
    { text: 'fs01', fixed: false },
  ]);
  expect(splitCause('Job A: Disk full', 'Disk full')).toEqual([
    { text: 'Job A: Disk full', fixed: false },
  ]);
  expect(splitCause('Disk full', null)).toEqual([{ text: 'Disk full', fixed: false }]);
  expect(splitCause('other words', 'Unable to ‹x›')).toEqual([
    { text: 'other words', fixed: false },
  ]);
});

test('DAY-10: whatever the template, no letter of the message is lost or moved', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.option(fc.string({ unit: fc.constantFrom('a', ' ', '‹', '›', 'é') })),
      (message, template) => {
        expect(
          splitCause(message, template)
            .map(({ text }) => text)
            .join(''),
        ).toBe(message);
      },
    ),
    { numRuns: 200 * Number(process.env['PROOF'] ?? 1) },
  );
});

test('DAY-11: a strip shows each day by shape: 14 days are 84 px wide, today 2 px apart, and it has a text', () => {
  const strip: (RunState | null)[] = [
    ...Array.from({ length: 10 }, () => 'Success' as const),
    null,
    'Warning',
    'Missed',
    'Failed',
  ];
  expect(stripWidth(14, WIDE)).toBe(84);
  expect(stripPaths(strip, WIDE).map(({ mark }) => mark)).toEqual([
    'success',
    'none',
    'warning',
    'missed',
    'failed',
  ]);
  expect(stripPaths(strip, WIDE).at(-1)?.d).toBe('M80 0h4v16h-4z');
  expect(stripWords(strip, '11/20/26')).toBe(
    '14 days to 11/20/26: 10 success, 1 not due, 1 warning, 1 did not run, 1 failed',
  );
});

test('DAY-12: the needle is outside exactly if the value is outside the usual range, and never leaves the line', () => {
  const measure = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(measure, measure, measure, (value, a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const line = usualLine(value, [low, high], 56);
      expect(line.outside).toBe(value < low || value > high);
      expect(line.needle).toBeGreaterThanOrEqual(0);
      expect(line.needle).toBeLessThanOrEqual(54);
    }),
    { numRuns: 100 * Number(process.env['PROOF'] ?? 1) },
  );
  expect(usualLine(5, null, 56)).toEqual({ band: null, needle: null, outside: false });
  expect(usualLine(null, [40, 48], 56).needle).toBeNull();
});
