import { availableParallelism } from 'node:os';
import { hash } from 'node:crypto';
import type { Bytes } from '#contract/ids.ts';
import type { Chance } from '#server/platform/app-context.ts';
import { makeThreadPool, type ThreadPool } from '#server/platform/threads/thread-pool.ts';
import { getBlobId } from './blob.ts';
import { joinBytes } from '../join-bytes.ts';
import { type BlobAnswer, type BlobTask, splitBytes } from './blob-tasks.ts';
import { CHUNK_SIZES, type ChunkSizes, splitIntoChunks, splitWindows } from './chunker.ts';
import { compress } from './compress.ts';
import type { BlobId } from './pack.ts';
import { joinKey, type Key, NONCE_BYTES, type Sealer } from './seal.ts';

/** A blob as a pack has it. `rawLength`: of the plain bytes; 0 if they are not compressed. */
export interface SealedBlob {
  readonly bytes: Uint8Array;
  readonly rawLength: Bytes;
}

/** What takes much time of a processor when a repository is written. */
export interface BlobWork {
  /**
   * Returns the id of a blob, and the blob sealed if `isWanted` says so, or null. It is asked once,
   * as soon as the id is known. Throws if threads end again and again.
   */
  prepare(plain: Uint8Array, isWanted: (id: BlobId) => boolean): Promise<PreparedBlob>;
  /** Joins the parts of a file, and returns its name. */
  joinFile(parts: readonly Uint8Array[]): Promise<NamedFile>;
  /** Yields the chunks of a stream, in order. */
  split(stream: AsyncIterable<Uint8Array>, gear: Int32Array): AsyncIterable<Uint8Array>;
  /** Returns when no thread works for it any more. What is not answered throws. */
  close(): Promise<void>;
}
export interface PreparedBlob {
  readonly id: BlobId;
  readonly sealed: SealedBlob | null;
}
export interface NamedFile {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The threads of a server, which all repositories that are being written share. */
export interface BlobThreads {
  open(repository: OpenKey): BlobWork;
}
interface OpenKey {
  readonly key: Key;
  readonly sealer: Sealer;
  readonly chance: Chance;
}

/** One core is left for requests. More threads than this wait for the disk. */
const MAX_THREADS = 4;
const THREAD_MEMORY_MB = 128;
/**
 * Less is done at once, in 0.2 ms. To start a thread costs a core 200 ms, and most sessions store no
 * more than that.
 */
const HERE_BYTES: Bytes = 48 << 10;
/** Small blobs are transferred together, up to this. */
const BATCH_BYTES: Bytes = 512 << 10;
const BATCH_BLOBS = 64;

/** `size` 0: there is one core, so the calling thread does everything. */
export function makeBlobThreads(
  size: number = Math.min(MAX_THREADS, availableParallelism() - 1),
  script: URL = new URL('./blob-thread.ts', import.meta.url),
): BlobThreads {
  if (size < 1) return { open: doHere };
  const pool = makeThreadPool<BlobTask, BlobAnswer>({ script, size, memoryMb: THREAD_MEMORY_MB });
  let users = 0;
  return {
    open(repository) {
      users += 1;
      let isOpen = true;
      return {
        ...doInThreads(pool, repository),
        async close() {
          if (!isOpen) return;
          isOpen = false;
          users -= 1;
          // Nothing is to be written: the threads and their memory are free.
          if (users === 0) await pool.close();
        },
      };
    },
  };
}

/** Does everything on the calling thread. */
export const doHere = ({ sealer }: Pick<OpenKey, 'sealer'>): BlobWork => ({
  prepare: (plain, isWanted) => prepareHere(sealer, plain, isWanted),
  joinFile: (parts) => Promise.resolve(joinHere(parts)),
  split: (stream, gear) => splitIntoChunks(stream, gear),
  close: () => Promise.resolve(),
});

function joinHere(parts: readonly Uint8Array[]): NamedFile {
  const bytes = joinBytes(parts);
  return { id: hash('sha256', bytes), bytes };
}

async function prepareHere(
  sealer: Sealer,
  plain: Uint8Array,
  isWanted: (id: BlobId) => boolean,
): Promise<PreparedBlob> {
  const id = getBlobId(plain);
  if (!isWanted(id)) return { id, sealed: null };
  const compressed = await compress(plain);
  const isSmaller = compressed.length < plain.length;
  return {
    id,
    sealed: {
      bytes: sealer.seal(isSmaller ? compressed : plain),
      rawLength: isSmaller ? plain.length : 0,
    },
  };
}

interface Waiting {
  readonly plain: Uint8Array;
  readonly isWanted: (id: BlobId) => boolean;
  readonly resolve: (prepared: PreparedBlob) => void;
  readonly reject: (error: unknown) => void;
}

function doInThreads(
  pool: ThreadPool<BlobTask, BlobAnswer>,
  { key, sealer, chance }: OpenKey,
): Omit<BlobWork, 'close'> {
  const joinedKey = joinKey(key);
  const waiting: Waiting[] = [];
  let running = 0;
  let isPlanned = false;

  /** What comes until the event loop's next turn goes to a thread together. */
  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      start();
    });
  }

  /** One batch more than there are threads is on the way, the rest waits and becomes a larger one. */
  function start(): void {
    while (waiting.length > 0 && running <= pool.size) {
      const batch = takeBatch(waiting);
      running += 1;
      void prepareBatch(batch)
        .catch((error: unknown) => {
          for (const { reject } of batch) reject(error);
        })
        .finally(() => {
          running -= 1;
          start();
        });
    }
  }

  async function prepareBatch(batch: readonly Waiting[]): Promise<void> {
    const parts = batch.map(({ plain }) => plain);
    if (isSmall(parts)) {
      for (const { plain, isWanted, resolve } of batch)
        resolve(await prepareHere(sealer, plain, isWanted));
      return;
    }
    const lengths = parts.map(({ length }) => length);
    const named = await pool.run(() => {
      const bytes = joinBytes(parts).buffer;
      return { task: { kind: 'name', bytes, lengths }, transfer: [bytes] };
    });
    const wanted: number[] = [];
    batch.forEach(({ isWanted, resolve }, at) => {
      const id = named.ids[at] ?? '';
      if (isWanted(id)) wanted.push(at);
      else resolve({ id, sealed: null });
    });
    if (wanted.length === 0) return;
    const nonces = Uint8Array.from(chance.bytes(NONCE_BYTES * wanted.length));
    const { bytes, sealed } = await pool.run(() => {
      // A thread that ended has taken them along.
      const again = named.bytes.byteLength > 0 ? named.bytes : joinBytes(parts).buffer;
      const task = { kind: 'seal', bytes: again, lengths, wanted, key: joinedKey, nonces } as const;
      return { task, transfer: [again] };
    });
    const blobs = splitBytes(
      new Uint8Array(bytes),
      sealed.map(({ length }) => length),
    );
    for (const [n, at] of wanted.entries()) {
      const blob = blobs[n];
      if (blob === undefined) throw new Error('A thread left out a blob.');
      const { rawLength = 0 } = sealed[n] ?? {};
      batch[at]?.resolve({ id: named.ids[at] ?? '', sealed: { bytes: blob, rawLength } });
    }
  }

  return {
    prepare: (plain, isWanted) =>
      new Promise((resolve, reject) => {
        waiting.push({ plain, isWanted, resolve, reject });
        plan();
      }),
    async joinFile(parts) {
      if (isSmall(parts)) return joinHere(parts);
      const { bytes, ids } = await pool.run(() => {
        const joined = joinBytes(parts).buffer;
        return { task: { kind: 'digest', bytes: joined }, transfer: [joined] };
      });
      return { id: ids[0] ?? '', bytes: new Uint8Array(bytes) };
    },
    split: (stream, gear) =>
      splitWindows(stream, CHUNK_SIZES, (parts) => cut(parts, gear, CHUNK_SIZES)),
  };

  async function cut(parts: readonly Uint8Array[], gear: Int32Array, sizes: ChunkSizes) {
    const { bytes, ends } = await pool.run(() => {
      const joined = joinBytes(parts).buffer;
      return { task: { kind: 'cut', bytes: joined, gear, sizes }, transfer: [joined] };
    });
    return { bytes: new Uint8Array(bytes), ends };
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  const batch: Waiting[] = [];
  let bytes = 0;
  for (let [next] = waiting; next; [next] = waiting) {
    if (
      batch.length > 0 &&
      (bytes + next.plain.length > BATCH_BYTES || batch.length === BATCH_BLOBS)
    )
      break;
    waiting.shift();
    batch.push(next);
    bytes += next.plain.length;
  }
  return batch;
}

/** Whether the parts are done on the calling thread. */
const isSmall = (parts: readonly Uint8Array[]): boolean =>
  parts.reduce((sum, { length }) => sum + length, 0) < HERE_BYTES;
