import type { Bytes } from '#contract/ids.ts';

/** Entries of one size that need no memory beside their bytes: a large file has millions. */
export interface PackedList {
  /** Adds an entry of zeros, and returns its bytes to be filled. */
  add(): Buffer;
  readonly count: number;
  /** The bytes of the entry `n`, from 0. */
  get(n: number): Buffer;
  /** All entries in the order of their adding. */
  all(): Iterable<Buffer>;
}

/** Entries of one chunk, which is made with the first of them. */
const CHUNK_ENTRIES = 512;

export function makePackedList(entryBytes: Bytes): PackedList {
  const chunks: Buffer[] = [];
  let count = 0;
  function get(n: number): Buffer {
    const chunk = chunks[Math.floor(n / CHUNK_ENTRIES)];
    if (n >= count || chunk === undefined) throw new RangeError('No such entry.');
    const at = (n % CHUNK_ENTRIES) * entryBytes;
    return chunk.subarray(at, at + entryBytes);
  }
  return {
    add() {
      if (count % CHUNK_ENTRIES === 0) chunks.push(Buffer.alloc(CHUNK_ENTRIES * entryBytes));
      count += 1;
      return get(count - 1);
    },
    get count() {
      return count;
    },
    get,
    *all() {
      for (let n = 0; n < count; n++) yield get(n);
    },
  };
}
