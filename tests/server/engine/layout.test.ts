import { array, assert, nat, property, record, shuffledSubarray, string } from 'fast-check';
import { expect, test } from 'vitest';
import {
  nameEntries,
  placeByDate,
  type LayoutFolder,
} from '#server/engine/embedded/sessions/layout.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
interface Entry {
  readonly n: number;
  readonly at: number;
}

const getAll = (placed: LayoutFolder<Entry>): Entry[] => [
  ...placed.entries,
  ...[...placed.folders.values()].flatMap(getAll),
];
const largest = (placed: LayoutFolder<Entry>): number =>
  Math.max(
    placed.entries.length,
    placed.folders.size,
    ...[...placed.folders.values()].map((part) => largest(part)),
  );
const inOrder = (placed: LayoutFolder<Entry>): unknown => [
  [...placed.entries].sort((a, b) => a.n - b.n),
  [...placed.folders]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, inOrder(part)]),
];

test('ENG-30: no folder of a restore point is large, and each depends on the set of items alone', () => {
  const days = nat(3_000).map((day) => day * 86_400_000);
  const strange = nat(6).map((at) => [NaN, Infinity, -Infinity, -8e15, 8e15, 0, 1][at] ?? 0);
  const entries = array(record({ day: days, odd: strange, isOdd: nat(9) }), {
    maxLength: 400,
  }).map((all) => all.map(({ day, odd, isOdd }, n) => ({ n, at: isOdd === 0 ? odd : day })));
  assert(
    property(
      entries.chain((all) =>
        shuffledSubarray(all, { minLength: all.length }).map((other) => [all, other] as const),
      ),
      nat(20),
      ([all, shuffled], more) => {
        const max = 64 + more;
        const placed = placeByDate(all, max);
        expect(largest(placed)).toBeLessThanOrEqual(max);
        expect(
          getAll(placed)
            .map(({ n }) => n)
            .sort((a, b) => a - b),
        ).toEqual(all.map(({ n }) => n));
        expect(inOrder(placeByDate(shuffled, max))).toEqual(inOrder(placed));
      },
    ),
    { numRuns: 60 * PROOF },
  );
  const sameDay = Array.from({ length: 20_000 }, (_, n) => ({ n, at: 0 }));
  expect(largest(placeByDate(sameDay))).toBeLessThanOrEqual(120);
});

test('ENG-30, G66: names in a folder of a restore point are unique and short, whatever the case', () => {
  const names = array(string({ unit: 'binary', maxLength: 300 }), { maxLength: 30 });
  assert(
    property(names, (texts) => {
      const entries = [...texts, ...texts, 'a', 'A', 'a ~2', 'a.txt'].map((name, n) => ({
        name,
        number: String(n),
      }));
      const unique = [...nameEntries(entries, (entry) => entry).values()];
      expect(new Set(unique.map((name) => name.toUpperCase().toLowerCase())).size).toBe(
        entries.length,
      );
      expect(Math.max(...unique.map((name) => Buffer.byteLength(name)))).toBeLessThanOrEqual(255);
    }),
    { numRuns: 100 * PROOF },
  );
});
