import { createHmac } from 'node:crypto';
import type { Bytes } from '#contract/ids.ts';

/**
 * Cuts content where the content itself says so, so that a change moves only the cuts near it
 * (FastCDC, Xia et al., USENIX ATC 2016, with two masks). A cut depends on the chunk's own bytes
 * alone: how the stream was divided into parts makes no difference.
 *
 * A hash of the last 32 bytes decides: its upper 22 bits are 0 up to the normal size, its upper 18
 * after that.
 */
export interface ChunkSizes {
  readonly min: Bytes;
  readonly normal: Bytes;
  readonly max: Bytes;
}
export const CHUNK_SIZES: ChunkSizes = { min: 512 << 10, normal: 1 << 20, max: 8 << 20 };

const HARD_MASK = -1 << 10;
const EASY_MASK = -1 << 14;

/**
 * 256 random numbers, different for each repository: otherwise, the sizes of chunks would tell
 * which known files it contains. `secret` is from the repository's encrypted config.
 */
export function makeGearTable(secret: string): Int32Array {
  const table = new Int32Array(256);
  for (let block = 0; block < 32; block += 1) {
    const bytes = createHmac('sha256', secret).update(`daybook fastcdc gear ${block}`).digest();
    for (let at = 0; at < 8; at += 1) table[block * 8 + at] = bytes.readInt32LE(at * 4);
  }
  return table;
}

/** Yields the chunks of a stream, in order. Empty content has none. */
export async function* splitIntoChunks(
  stream: AsyncIterable<Uint8Array>,
  gear: Int32Array,
  sizes: ChunkSizes = CHUNK_SIZES,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  let fingerprint = 0;
  for await (const part of stream) {
    let start = 0;
    while (start < part.length) {
      const cut = findCut(part, start, size, fingerprint);
      parts.push(part.subarray(start, cut.end));
      size += cut.end - start;
      fingerprint = cut.fingerprint;
      start = cut.end;
      if (!cut.found) continue;
      yield Buffer.concat(parts);
      parts = [];
      size = 0;
      fingerprint = 0;
    }
  }
  if (size > 0) yield Buffer.concat(parts);

  /** Continues a chunk of `length` bytes with `part` from `start` on. */
  function findCut(part: Uint8Array, start: number, length: Bytes, before: number) {
    let hash = before;
    let at = start + Math.max(0, Math.min(sizes.min - length, part.length - start));
    const toNormal = Math.min(part.length, start + Math.max(0, sizes.normal - length));
    for (; at < toNormal; at += 1) {
      hash = ((hash << 1) + (gear[part[at] ?? 0] ?? 0)) | 0;
      if ((hash & HARD_MASK) === 0) return { end: at + 1, fingerprint: hash, found: true };
    }
    const toMax = Math.min(part.length, start + sizes.max - length);
    for (; at < toMax; at += 1) {
      hash = ((hash << 1) + (gear[part[at] ?? 0] ?? 0)) | 0;
      if ((hash & EASY_MASK) === 0) return { end: at + 1, fingerprint: hash, found: true };
    }
    return { end: at, fingerprint: hash, found: length + at - start === sizes.max };
  }
}
