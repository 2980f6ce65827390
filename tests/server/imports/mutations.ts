import { makeRandom } from '../engine/random.ts';

/** Numbers from 0 to 1, the same each time. */
export function makeFraction(seed: number): () => number {
  const roll = makeRandom(seed);
  return () => roll(1_000_000_000) / 1_000_000_000;
}

/** Mutations as a fuzzer makes them: bits, bytes, blocks and lengths. */
export function mutate(bytes: Buffer, random: () => number): Buffer {
  const copy = Buffer.from(bytes);
  const at = (): number => Math.floor(random() * copy.length);
  for (let n = 1 + Math.floor(random() * 8); n > 0; n--) {
    const kind = Math.floor(random() * 5);
    if (kind === 0) copy[at()] = Math.floor(random() * 256);
    if (kind === 1)
      copy
        .subarray(at())
        .subarray(0, 4)
        .fill(random() < 0.5 ? 0 : 255);
    if (kind === 2) copy.copy(copy, at(), at(), at());
    if (kind === 3) return copy.subarray(0, at());
    if (kind === 4) copy.writeUInt32LE(Math.floor(random() * 2 ** 32), Math.max(0, at() - 4));
  }
  return copy;
}
