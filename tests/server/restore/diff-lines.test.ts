import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from '#server/features/restore/versions/diff-lines.ts';

/** The slow, obvious way: the length of the longest common subsequence. */
function countCommon(a: readonly string[], b: readonly string[]): number {
  const rows = Array.from({ length: a.length + 1 }, () =>
    Array.from({ length: b.length + 1 }, () => 0),
  );
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1)
      (rows[i] as number[])[j] =
        a[i - 1] === b[j - 1]
          ? (rows[i - 1]?.[j - 1] ?? 0) + 1
          : Math.max(rows[i - 1]?.[j] ?? 0, rows[i]?.[j - 1] ?? 0);
  return rows[a.length]?.[b.length] ?? 0;
}

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 25 });

test('RES-81: a comparison has both texts whole, and no more changes than needed', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after, 100) ?? [];
      const pick = (kind: 'removed' | 'added'): readonly string[] =>
        diff.filter((line) => line.kind === 'same' || line.kind === kind).map(({ text }) => text);
      expect([pick('removed'), pick('added')]).toEqual([before, after]);
      expect(diff.filter(({ kind }) => kind === 'same')).toHaveLength(countCommon(before, after));
    }),
    { numRuns: 500 },
  );
});

const many = (letter: string): readonly string[] =>
  Array.from({ length: 50 }, (_, n) => `${letter}${n}`);

test('RES-81: texts that differ in too many lines are not compared', () => {
  expect(diffLines(many('a'), many('b'), 99)).toBeNull();
  expect(diffLines(many('a'), many('b'), 100)).toHaveLength(100);
});
