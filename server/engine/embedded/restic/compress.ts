import type { EngineResult } from '#contract/engine/engine.ts';
import { promisify } from 'node:util';
import {
  constants,
  zstdCompress,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';
import type { Bytes } from '#contract/ids.ts';
import { failed, ok } from '../../result.ts';
import { resticMessages as t } from './messages.en.ts';

/** Small data is compressed at once; the rest in a thread of Node's pool, beside the event loop. */
const IN_THREAD_BYTES = 64 << 10;
const inThread = { compress: promisify(zstdCompress), decompress: promisify(zstdDecompress) };

export const compress = async (plain: Uint8Array): Promise<Uint8Array> =>
  plain.length < IN_THREAD_BYTES
    ? compressSync(plain)
    : inThread.compress(plain, optionsFor(plain.length));

export const compressSync = (plain: Uint8Array): Uint8Array =>
  zstdCompressSync(plain, optionsFor(plain.length));

const optionsFor = (bytes: Bytes) => ({
  params: { [constants.ZSTD_c_compressionLevel]: 3 },
  pledgedSrcSize: bytes, // so that readers know how much memory they need
  chunkSize: roomFor(bytes),
});

/** Returns `damaged` for anything but compressed data of at most `maxBytes`. */
export async function decompress(
  compressed: Uint8Array,
  maxBytes: Bytes,
): Promise<EngineResult<Uint8Array>> {
  const options = {
    maxOutputLength: Math.max(1, maxBytes),
    chunkSize: roomFor(Math.min(maxBytes, compressed.length * USUAL_RATIO)),
  };
  try {
    return ok(
      maxBytes < IN_THREAD_BYTES
        ? zstdDecompressSync(compressed, options)
        : await inThread.decompress(compressed, options),
    );
  } catch {
    return failed('damaged', t.compressedUnreadable);
  }
}

/** The output comes in one piece: each further one is another task of the thread. */
const roomFor = (bytes: Bytes): Bytes => bytes + (bytes >> 8) + 512;
/** Text gets smaller by less than this. */
const USUAL_RATIO = 8;
