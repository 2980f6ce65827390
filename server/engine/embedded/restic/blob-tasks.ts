import { hash } from 'node:crypto';
import type { Bytes } from '#contract/ids.ts';
import { joinBytes } from '../join-bytes.ts';
import { getBlobId } from './blob.ts';
import { type ChunkSizes, findChunkEnds } from './chunker.ts';
import { compressSync } from './compress.ts';
import type { BlobId } from './pack.ts';
import { makeSealer, type Sealer, splitSealingKey } from './seal.ts';

// What threads do for a repository. Each task has all that it needs, so that it can be repeated in
// another thread. Its bytes come back with the answer, or are sealed.

export type BlobTask =
  | { readonly kind: 'name'; readonly bytes: ArrayBuffer; readonly lengths: readonly Bytes[] }
  | {
      readonly kind: 'seal';
      readonly bytes: ArrayBuffer;
      readonly lengths: readonly Bytes[];
      /** Positions in `lengths` of the blobs that are sealed. */
      readonly wanted: readonly number[];
      /** Of the repository: as `joinKey` returns it. */
      readonly key: Uint8Array;
      /** One for each wanted blob. */
      readonly nonces: Uint8Array<ArrayBuffer>;
    }
  | {
      readonly kind: 'cut';
      readonly bytes: ArrayBuffer;
      readonly gear: Int32Array;
      readonly sizes: ChunkSizes;
    }
  | { readonly kind: 'digest'; readonly bytes: ArrayBuffer };

export interface BlobAnswer {
  /** The task's bytes; of `seal`: the sealed blobs, one after the other. */
  readonly bytes: ArrayBuffer;
  /** Of `name` and `digest`. */
  readonly ids: readonly BlobId[];
  /** Of `seal`: of the sealed blobs, and of their plain bytes, or 0 if these are not compressed. */
  readonly sealed: readonly { readonly length: Bytes; readonly rawLength: Bytes }[];
  /** Of `cut`: where chunks end. What follows the last one is no whole chunk yet. */
  readonly ends: readonly Bytes[];
}

const EMPTY = { ids: [], sealed: [], ends: [] };

/** Returns what does the tasks of a thread, one at a time. */
export function makeTaskRunner(): (task: BlobTask) => Promise<BlobAnswer> {
  let last: { readonly key: Buffer; readonly sealer: Sealer } | null = null;
  /** Of the blobs that are being sealed. */
  let nonces = { bytes: new Uint8Array(), at: 0 };

  async function getSealer(key: Uint8Array): Promise<Sealer> {
    if (last?.key.equals(key) !== true) {
      const sealer = await makeSealer(splitSealingKey(key), {
        bytes: (count) => nonces.bytes.subarray(nonces.at, (nonces.at += count)),
      });
      last = { key: Buffer.from(key), sealer };
    }
    return last.sealer;
  }

  return async (task) => {
    const { kind, bytes } = task;
    const all = Buffer.from(bytes);
    if (kind === 'digest') return { ...EMPTY, bytes, ids: [hash('sha256', all)] };
    if (kind === 'cut') return { ...EMPTY, bytes, ends: findChunkEnds(all, task.gear, task.sizes) };
    const blobs = splitBytes(all, task.lengths);
    if (kind === 'name') return { ...EMPTY, bytes, ids: blobs.map(getBlobId) };
    const sealer = await getSealer(task.key);
    nonces = { bytes: task.nonces, at: 0 };
    const parts: Uint8Array[] = [];
    const sealed = task.wanted.map((at) => {
      const plain = blobs[at] ?? Buffer.of();
      const compressed = compressSync(plain);
      const isSmaller = compressed.length < plain.length;
      const part = sealer.seal(isSmaller ? compressed : plain);
      parts.push(part);
      return { length: part.length, rawLength: isSmaller ? plain.length : 0 };
    });
    return { ...EMPTY, bytes: joinBytes(parts).buffer, sealed };
  };
}

/** Returns views of the parts that `joinBytes` joined. */
export function splitBytes(bytes: Uint8Array, lengths: readonly Bytes[]): Uint8Array[] {
  let at = 0;
  return lengths.map((length) => bytes.subarray(at, (at += length)));
}
