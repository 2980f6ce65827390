import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  findChunkEnds,
  makeGearTable,
  splitIntoChunks,
  splitWindows,
} from '#server/engine/embedded/restic/chunker.ts';
import { PROOF, randomBytes } from './fixtures.ts';

const GEAR = makeGearTable('a secret');
const SIZES = { min: 64, normal: 256, max: 1024 };
const BIG = { min: 512 * 1024, normal: 1024 * 1024, max: 8 * 1024 * 1024 };

/** Of the last 32 bytes that count, as a whole sum. */
function hashSlowly(bytes: Uint8Array, gear: Int32Array): bigint {
  let sum = 0n;
  for (const [at, byte] of bytes.entries())
    sum += BigInt(gear[byte] ?? 0) << BigInt(bytes.length - 1 - at);
  return BigInt.asUintN(32, sum);
}

/**
 * The definition, byte by byte: a chunk ends after the first byte beyond the minimum at which the
 * upper 22 (up to the normal size) or 18 bits of the hash are 0, or at the maximum.
 */
function cutSlowly(bytes: Uint8Array, gear: Int32Array, sizes: typeof SIZES): number[] {
  const lengths: number[] = [];
  for (let start = 0; start < bytes.length;) {
    let length = 0;
    let isEnd = false;
    while (!isEnd && start + length < bytes.length) {
      length += 1;
      if (length <= sizes.min) continue;
      const end = start + length;
      const hash = hashSlowly(bytes.subarray(Math.max(start + sizes.min, end - 32), end), gear);
      isEnd = hash >> (length <= sizes.normal ? 10n : 14n) === 0n || length === sizes.max;
    }
    lengths.push(length);
    start += length;
  }
  return lengths;
}

async function cut(
  parts: readonly Uint8Array[],
  gear: Int32Array,
  sizes: typeof SIZES,
): Promise<Uint8Array[]> {
  async function* stream() {
    yield* parts;
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of splitIntoChunks(stream(), gear, sizes)) chunks.push(chunk);
  return chunks;
}

/** As threads cut: in pieces that are at least as large as the largest chunk. */
async function cutWindows(
  parts: readonly Uint8Array[],
  gear: Int32Array,
  sizes: typeof SIZES,
): Promise<Uint8Array[]> {
  async function* stream() {
    yield* parts;
  }
  const chunks: Uint8Array[] = [];
  const windows = splitWindows(stream(), sizes, async (window) => {
    const bytes = Buffer.concat(window);
    return { bytes, ends: findChunkEnds(bytes, gear, sizes) };
  });
  for await (const chunk of windows) chunks.push(chunk);
  return chunks;
}

/**
 * Hashes are 0 in their upper bits once in 262,144 times. With this table they often are: most bytes
 * count for nothing, some for five bytes, and some for twenty, of which the first two only matter
 * up to the normal size.
 */
const OFTEN = Int32Array.from({ length: 256 }, (_, byte) =>
  byte % 5 < 3 ? 0 : byte % 5 === 3 ? 1 << 27 : 1 << 12,
);

test('ENG-13: chunks are those of the definition, however the stream is divided', async () => {
  const reasons = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 0, max: 5_000 }),
      fc.constantFrom(OFTEN, GEAR),
      fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 30 }),
      async (seed, length, gear, cuts) => {
        const bytes = randomBytes(seed, length);
        const ends = [...cuts.map((end) => Math.min(end, length)), length].sort((a, b) => a - b);
        const parts = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
        const chunks = await cut(parts, gear, SIZES);
        expect(chunks.map((chunk) => chunk.length)).toEqual(cutSlowly(bytes, gear, SIZES));
        expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0);
        const same = await cutWindows(parts, gear, SIZES);
        expect(same.map((chunk) => chunk.length)).toEqual(chunks.map((chunk) => chunk.length));
        expect(Buffer.compare(Buffer.concat(same), bytes)).toBe(0);
        for (const { length: size } of chunks.slice(0, -1))
          reasons.add(size <= SIZES.normal ? 'hard' : size < SIZES.max ? 'easy' : 'maximum');
      },
    ),
    { numRuns: 60 * PROOF },
  );
  expect([...reasons].sort()).toEqual(['easy', 'hard', 'maximum']);
});

test('ENG-13: real sizes are those of the definition too, within their limits', async () => {
  const bytes = randomBytes(7, 8_000_000);
  const chunks = await cut([bytes.subarray(0, 3_000_001), bytes.subarray(3_000_001)], GEAR, BIG);
  const lengths = chunks.map((chunk) => chunk.length);
  expect(lengths.length).toBeGreaterThan(4);
  for (const chunk of chunks.slice(0, -1)) {
    expect(chunk.length).toBeGreaterThan(BIG.min);
    const hash = hashSlowly(chunk.subarray(Math.max(BIG.min, chunk.length - 32)), GEAR);
    expect(hash >> (chunk.length <= BIG.normal ? 10n : 14n)).toBe(0n);
  }
  const [constant] = await cut([Buffer.alloc(9_000_000)], GEAR, BIG);
  expect(constant?.length).toBe(8 * 1024 * 1024);
});

const getHash = (chunk: Uint8Array): string => hash('sha256', chunk);

test('ENG-13: a byte inserted at the beginning of a file changes few of its chunks', async () => {
  const bytes = randomBytes(3, 12_000_000);
  const before = new Set((await cut([bytes], GEAR, BIG)).map(getHash));
  const after = await cut([Buffer.from('x'), bytes], GEAR, BIG);
  const shared = after.filter((chunk) => before.has(getHash(chunk)));
  expect(after.length - shared.length).toBeLessThanOrEqual(3);
});

test('ENG-13: two repositories cut the same content at different places', () => {
  const other = makeGearTable('another secret');
  expect(new Set([...GEAR, ...other]).size).toBeGreaterThan(500);
});
