import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SmallRow } from '#workers/disk/books.ts';
import { pack, unpack, type Packed } from '#workers/disk/packing.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const alike = fc.array(fc.record({ n: fc.nat(), name: fc.string(), at: fc.option(fc.nat()), note: fc.option(fc.record({ content: fc.string() })) }));
const unlike = fc.array(fc.record({ n: fc.nat(), name: fc.string(), at: fc.nat() }, { requiredKeys: ['n'] }));

test('SYNC-2: rows come out of a chunk as they went in, whether their fields are alike or not', () => {
  fc.assert(fc.property(fc.oneof(alike, unlike), (rows) => {
    const back = unpack(JSON.parse(JSON.stringify(pack(rows))) as Packed);
    expect(back).toEqual(rows);
  }), { numRuns: 200 * PROOF });
});

test('COL-6: rows with the same fields name them once', () => {
  const rows: SmallRow[] = [{ n: 1, id: 'a' }, { n: 2, id: 'b' }];
  expect(pack(rows)).toEqual({ fields: ['n', 'id'], count: 2, columns: [{ from: 1 }, { words: ['a', 'b'], at: [0, 1] }] });
});
