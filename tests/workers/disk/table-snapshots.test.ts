import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SmallRow } from '#workers/tables.ts';
import { pack, unpackRows, type Packed } from '#workers/disk/packing.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const alike = fc.array(
  fc.record({
    n: fc.nat(),
    name: fc.string(),
    at: fc.option(fc.nat()),
    at2: fc.option(fc.constantFrom(1_795_000_000_000, 1_795_000_060_000, 1_795_000_060_001)),
    word: fc.constantFrom('a', 'b', null),
    tags: fc.array(fc.nat(), { maxLength: 2 }),
    note: fc.option(
      fc.record({ content: fc.string(), at: fc.nat(), by: fc.constantFrom('ann', 'ben') }),
    ),
    odd: fc.option(fc.oneof(fc.record({ a: fc.nat() }), fc.record({ b: fc.nat() }))),
  }),
);
const unlike = fc.array(
  fc.record({ n: fc.nat(), name: fc.string(), at: fc.nat() }, { requiredKeys: ['n'] }),
);

test('SYNC-2: rows survive a chunk unchanged, whether their fields are alike or not', () => {
  fc.assert(
    fc.property(fc.oneof(alike, unlike), (some) => {
      const rows: readonly { readonly n: number }[] = some;
      const back = unpackRows(JSON.parse(JSON.stringify(pack(rows))) as Packed);
      expect(back).toEqual(rows);
      const wanted = new Set(rows.filter((_, i) => i % 2 === 0).map(({ n }) => n));
      expect(unpackRows(JSON.parse(JSON.stringify(pack(rows))) as Packed, wanted)).toEqual(
        rows.filter(({ n }) => wanted.has(n)),
      );
    }),
    { numRuns: 200 * PROOF },
  );
});

test('COL-6: rows with the same fields store the field names once', () => {
  const rows: SmallRow[] = [
    { n: 1, id: 'a' },
    { n: 2, id: 'b' },
  ];
  expect(pack(rows)).toEqual({
    fields: ['n', 'id'],
    count: 2,
    columns: [{ from: 1 }, { words: ['a', 'b'], at: [0, 1] }],
  });
});
