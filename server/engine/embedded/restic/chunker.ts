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
      const cut = findCut(part, start, { length: size, fingerprint }, gear, sizes);
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
}

/** Bytes in one piece, and where chunks in them end. */
interface CutWindow {
  readonly bytes: Uint8Array;
  readonly ends: readonly Bytes[];
}

/**
 * Yields the same chunks, for which `cut` joins parts and finds their ends, in a thread for example.
 * It gets as much as the largest chunk at least, or the rest of the stream.
 */
export async function* splitWindows(
  stream: AsyncIterable<Uint8Array>,
  { min, max }: ChunkSizes,
  cut: (parts: readonly Uint8Array[]) => Promise<CutWindow>,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part);
    size += part.length;
    while (size >= max) {
      const rest = yield* cutWhole(parts);
      parts = [rest];
      size = rest.length;
    }
  }
  if (size > min) {
    const rest = yield* cutWhole(parts);
    parts = [rest];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(parts);

  async function* cutWhole(whole: readonly Uint8Array[]): AsyncGenerator<Uint8Array, Uint8Array> {
    const { bytes, ends } = await cut(whole);
    let start = 0;
    for (const end of ends) {
      yield bytes.subarray(start, end);
      start = end;
    }
    return bytes.subarray(start);
  }
}

/** Returns where whole chunks end, of which the first begins at byte 0. */
export function findChunkEnds(bytes: Uint8Array, gear: Int32Array, sizes: ChunkSizes): Bytes[] {
  const ends: Bytes[] = [];
  for (let start = 0; start < bytes.length;) {
    const cut = findCut(bytes, start, { length: 0, fingerprint: 0 }, gear, sizes);
    if (cut.found) ends.push(cut.end);
    start = cut.end;
  }
  return ends;
}

/** Continues a chunk, of which `length` bytes are known, with `part` from `start` on. */
function findCut(
  part: Uint8Array,
  start: number,
  { length, fingerprint }: { readonly length: Bytes; readonly fingerprint: number },
  gear: Int32Array,
  sizes: ChunkSizes,
) {
  let hash = fingerprint;
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
