import type { Bytes } from '#contract/ids.ts';
import type { EngineError, EngineResult } from '#contract/engine/engine.ts';
import { blobKey } from './blob.ts';
import type { BlobTable, PackN } from './blob-table.ts';
import type { BlobWork } from './blob-threads.ts';
import { ByteGate } from './byte-gate.ts';
import { BLOBS_PER_INDEX, encodeIndex } from './index-file.ts';
import { type BlobId, type BlobType, encodeHeader, type PackEntry } from './pack.ts';
import { done, failed, type Failed, ok } from '../../result.ts';
import { SEAL_BYTES, type Sealer } from './seal.ts';
import type { RepositoryTarget } from './target.ts';
import { writeDocument } from './unpacked.ts';
import { resticMessages as t } from './messages.en.ts';

export const PACK_BYTES: Bytes = 16 << 20;
const MAX_BLOB_BYTES: Bytes = 8 << 20;
/** What the header needs for a blob, at most. */
const HEADER_BYTES: Bytes = 41;
/** Of plain blobs that are being named, compressed and sealed. */
const BYTES_AT_ONCE: Bytes = 16 << 20;
/** That are written while the next ones are filled. */
const PACKS_AT_ONCE = 1;

export interface SavedBlob {
  readonly id: BlobId;
  /** Length of the plain bytes if the repository didn't have them, otherwise 0. */
  readonly newBytes: Bytes;
}

interface Place {
  readonly target: RepositoryTarget;
  readonly sealer: Sealer;
  readonly blobs: BlobWork;
  readonly table: BlobTable;
  /** Size of a pack, unless a single blob is larger. */
  readonly packBytes: Bytes;
}

/**
 * Collects blobs in packs and writes these. What it has accepted is durable when `flush` resolves,
 * not before. After a failed write it accepts nothing more, since some blobs that it answered for
 * are lost.
 */
export class PackWriter {
  readonly #place: Place;
  readonly #gate = new ByteGate(BYTES_AT_ONCE);
  readonly #saving = new Set<Promise<unknown>>();
  readonly #writing = new Set<Promise<void>>();
  readonly #open = new Map<BlobType, OpenPack>();
  /** Blobs that are in no durable pack yet; null while they are compressed. */
  readonly #pending = new Map<string, OpenPack | null>();
  /** Blobs that are in the repository and unreadable: saved again. */
  readonly #damaged = new Set<string>();
  #unindexed: { readonly pack: PackN; readonly blobs: number }[] = [];
  #flushing: Promise<unknown> = Promise.resolve();
  #failure: { readonly ok: false; readonly error: EngineError } | null = null;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Stores a blob unless the repository has it. */
  async save(type: BlobType, plain: Uint8Array): Promise<EngineResult<SavedBlob>> {
    if (plain.length > MAX_BLOB_BYTES) return failed('invalid', t.blobTooLong);
    if (this.#failure) return this.#failure;
    const work = this.#gate.pass(plain.length, () => this.#store(type, plain));
    this.#saving.add(work);
    const saved = await work.finally(() => this.#saving.delete(work));
    return this.#failure ?? ok(saved);
  }

  has(type: BlobType, id: BlobId): boolean {
    const key = blobKey(type, id);
    return this.#pending.has(key) || (this.#place.table.has(type, id) && !this.#damaged.has(key));
  }

  /** From now on, the blob counts as missing, so that the next `save` heals it (ENG-8). */
  markDamaged(type: BlobType, id: BlobId): void {
    this.#damaged.add(blobKey(type, id));
  }

  /** Returns a blob that is not in a durable pack yet, as it will be in one. */
  findPending(
    type: BlobType,
    id: BlobId,
  ): { readonly entry: PackEntry; readonly sealed: Uint8Array } | null {
    const pack = this.#pending.get(blobKey(type, id));
    const at = pack?.entries.findIndex((entry) => entry.id === id) ?? -1;
    const entry = pack?.entries[at];
    const sealed = pack?.parts[at];
    return entry && sealed ? { entry, sealed } : null;
  }

  /** The next flush writes an index for packs that are durable and in none. */
  indexAgain(packs: readonly PackN[]): void {
    const { table } = this.#place;
    for (const pack of packs) this.#unindexed.push({ pack, blobs: table.blobsOf(pack).length });
  }

  /** Puts a blob that is sealed already into a pack. */
  async put(
    { type, id, rawLength }: Pick<PackEntry, 'type' | 'id' | 'rawLength'>,
    sealed: Uint8Array,
  ): Promise<void> {
    let pack = this.#open.get(type);
    if (pack && !this.#fits(pack, sealed.length)) {
      this.#finish(pack);
      pack = undefined;
    }
    if (!pack) {
      pack = { type, parts: [], entries: [], sizeBytes: 0 };
      this.#open.set(type, pack);
    }
    pack.parts.push(sealed);
    pack.entries.push({ type, id, offset: pack.sizeBytes, length: sealed.length, rawLength });
    pack.sizeBytes += sealed.length;
    this.#pending.set(blobKey(type, id), pack);
    while (this.#writing.size > PACKS_AT_ONCE) await Promise.race(this.#writing);
  }

  /** Everything that was saved before is durable when this resolves: packs first, then their index. */
  flush(): Promise<EngineResult<void>> {
    return this.#inTurn(async () => {
      await this.#writePacks();
      while (this.#unindexed.length > 0 && !this.#failure) await this.#writeIndex();
      return this.#failure ?? done;
    });
  }

  /** As `flush`, without an index: returns the packs that none lists yet, which the caller indexes. */
  flushPacks(): Promise<EngineResult<PackN[]>> {
    return this.#inTurn(async () => {
      await this.#writePacks();
      return this.#failure ?? ok(this.#unindexed.splice(0).map(({ pack }) => pack));
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#flushing.then(work);
    this.#flushing = turn;
    return turn;
  }

  async #store(type: BlobType, plain: Uint8Array): Promise<SavedBlob> {
    try {
      const { id, sealed } = await this.#place.blobs.prepare(plain, (name) => {
        if (this.has(type, name)) return false;
        this.#pending.set(blobKey(type, name), null);
        return true;
      });
      if (sealed === null) return { id, newBytes: 0 };
      await this.put({ type, id, rawLength: sealed.rawLength }, sealed.bytes);
      return { id, newBytes: plain.length };
    } catch {
      this.#failure ??= notSealed();
      return { id: '', newBytes: 0 };
    }
  }

  async #writePacks(): Promise<void> {
    await Promise.all(this.#saving);
    for (const pack of this.#open.values()) this.#finish(pack);
    await Promise.all(this.#writing);
  }

  #fits({ sizeBytes, entries }: OpenPack, length: Bytes): boolean {
    const header = (entries.length + 1) * HEADER_BYTES + SEAL_BYTES + 4;
    return sizeBytes + length + header <= this.#place.packBytes && entries.length < BLOBS_PER_INDEX;
  }

  #finish(pack: OpenPack): void {
    this.#open.delete(pack.type);
    const work = this.#writePack(pack).finally(() => this.#writing.delete(work));
    this.#writing.add(work);
  }

  async #writePack(pack: OpenPack): Promise<void> {
    if (this.#failure) return;
    const { target, sealer, blobs, table } = this.#place;
    const header = sealer.seal(encodeHeader(pack.entries));
    const headerLength = Buffer.alloc(4);
    headerLength.writeUInt32LE(header.length);
    const file = await blobs.joinFile([...pack.parts, header, headerLength]).catch(() => null);
    if (file === null) {
      this.#failure ??= notSealed();
      return;
    }
    const { id: packId, bytes } = file;
    for (const [at, { offset, length }] of pack.entries.entries())
      pack.parts[at] = bytes.subarray(offset, offset + length); // frees the single ones
    const written = await target.write('data', packId, bytes);
    if (!written.ok) {
      this.#failure = written;
      return;
    }
    this.#unindexed.push({
      pack: table.addPack(packId, pack.entries),
      blobs: pack.entries.length,
    });
    for (const { type, id } of pack.entries) {
      this.#pending.delete(blobKey(type, id));
      this.#damaged.delete(blobKey(type, id));
    }
    const unindexed = this.#unindexed.reduce((sum, { blobs }) => sum + blobs, 0);
    if (unindexed >= BLOBS_PER_INDEX) await this.#writeIndex();
  }

  /** Writes one index file for packs that are in none. */
  async #writeIndex(): Promise<void> {
    const { target, sealer, table } = this.#place;
    const packs = this.#unindexed.splice(0);
    if (packs.length === 0) return;
    const document = encodeIndex(
      packs.map(({ pack }) => ({ id: table.packId(pack), entries: table.blobsOf(pack) })),
    );
    const written = await writeDocument(target, sealer, 'index', document);
    if (!written.ok) this.#failure = written;
  }
}

const notSealed = (): Failed => failed('busy', t.threadsEnded);

/** `parts`: the sealed blobs, in the order of `entries`. */
interface OpenPack {
  readonly type: BlobType;
  readonly parts: Uint8Array[];
  readonly entries: PackEntry[];
  sizeBytes: Bytes;
}
