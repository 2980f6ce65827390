import type { Bytes } from '#contract/ids.ts';
import { type BlobId, type BlobType, type PackEntry, packSize } from './pack.ts';

/** Number of a blob's place in the table, from 0. */
export type BlobRow = number;
/** Number of a pack in the table, from 0. */
export type PackN = number;

/** A blob in a pack. The same blob may be in several packs: it then has several rows. */
export interface BlobPlace extends PackEntry {
  readonly pack: PackN;
}

/**
 * The index in memory: every blob of a repository, 49 bytes each, plus 8 to 16 for the hash table.
 * Columns in segments instead of objects, and no copy of a column when it grows.
 */
export class BlobTable {
  #segments: Segment[] = [];
  #count = 0;
  #packBytes = 0;
  /** Row + 1 by hash, 0 for empty: open addressing. At most half full. */
  #slots = new Int32Array(1024);
  readonly #packs: TablePack[] = [];
  readonly #packNumbers = new Map<string, PackN>();
  readonly #key = Buffer.alloc(32);
  readonly #keyWords = new Uint32Array(this.#key.buffer, this.#key.byteOffset, 8);

  get rows(): number {
    return this.#count;
  }

  /** Bytes of all packs. */
  get packBytes(): Bytes {
    return this.#packBytes;
  }

  get packs(): number {
    return this.#packs.length;
  }

  /** Adds a pack with its blobs. A pack that is already in the table stays as it is. */
  addPack(packId: string, entries: readonly PackEntry[]): PackN {
    const known = this.#packNumbers.get(packId);
    if (known !== undefined) return known;
    const pack = this.#packs.length;
    const blobBytes = entries.reduce((sum, { length }) => sum + length, 0);
    this.#packs.push({ id: packId, firstRow: this.#count, rows: entries.length, blobBytes });
    this.#packNumbers.set(packId, pack);
    this.#packBytes += packSize(entries);
    for (const entry of entries) this.#add(pack, entry);
    return pack;
  }

  packId(pack: PackN): string {
    return this.#packs[pack]?.id ?? '';
  }

  hasPack(packId: string): boolean {
    return this.#packNumbers.has(packId);
  }

  /** Returns the blobs of a pack, in the order of its header. */
  blobsOf(pack: PackN): BlobPlace[] {
    const { firstRow, rows } = this.#packs[pack] ?? { firstRow: 0, rows: 0 };
    return Array.from({ length: rows }, (_, at) => this.place(firstRow + at));
  }

  /** Length of all blobs of a pack: where its header begins. */
  blobBytes(pack: PackN): Bytes {
    return this.#packs[pack]?.blobBytes ?? 0;
  }

  firstRowOf(pack: PackN): BlobRow {
    return this.#packs[pack]?.firstRow ?? 0;
  }

  has(type: BlobType, id: BlobId): boolean {
    return !this.#find(type, id).next().done;
  }

  /** Yields the rows of a blob: none, one, or one for each copy. */
  find(type: BlobType, id: BlobId): Iterable<BlobRow> {
    return this.#find(type, id);
  }

  place(row: BlobRow): BlobPlace {
    const segment = this.#segmentOf(row);
    const at = row % SEGMENT_ROWS;
    return {
      type: segment.types[at] === 1 ? 'tree' : 'data',
      id: Buffer.from(segment.ids.buffer, at * 32, 32).toString('hex'),
      pack: segment.packs[at] ?? 0,
      offset: segment.offsets[at] ?? 0,
      length: segment.lengths[at] ?? 0,
      rawLength: segment.rawLengths[at] ?? 0,
    };
  }

  *#find(type: BlobType, id: BlobId): Generator<BlobRow, undefined> {
    if (this.#key.write(id, 'hex') < 32) return undefined;
    const words = Uint32Array.from(this.#keyWords);
    const code = type === 'tree' ? 1 : 0;
    const mask = this.#slots.length - 1;
    for (let slot = (words[0] ?? 0) & mask; ; slot = (slot + 1) & mask) {
      const row = (this.#slots[slot] ?? 0) - 1;
      if (row < 0) return undefined;
      if (this.#equals(row, code, words)) yield row;
    }
  }

  #equals(row: BlobRow, code: number, words: Uint32Array): boolean {
    const { words: all, types } = this.#segmentOf(row);
    const at = row % SEGMENT_ROWS;
    if (types[at] !== code) return false;
    for (let word = 0; word < 8; word += 1) if (all[at * 8 + word] !== words[word]) return false;
    return true;
  }

  #add(pack: PackN, { type, id, offset, length, rawLength }: PackEntry): void {
    const row = this.#count;
    if (row % SEGMENT_ROWS === 0) this.#segments.push(makeSegment());
    this.#count += 1;
    const segment = this.#segmentOf(row);
    const at = row % SEGMENT_ROWS;
    Buffer.from(segment.ids.buffer).write(id, at * 32, 'hex');
    segment.types[at] = type === 'tree' ? 1 : 0;
    segment.packs[at] = pack;
    segment.offsets[at] = offset;
    segment.lengths[at] = length;
    segment.rawLengths[at] = rawLength;
    if (this.#count * 2 > this.#slots.length) this.#growSlots();
    else this.#takeSlot(row);
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let row = 0; row < this.#count; row += 1) this.#takeSlot(row);
  }

  #takeSlot(row: BlobRow): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#segmentOf(row).words[(row % SEGMENT_ROWS) * 8] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = row + 1;
  }

  #segmentOf(row: BlobRow): Segment {
    const segment = this.#segments[Math.floor(row / SEGMENT_ROWS)];
    if (segment === undefined) throw new Error(`The table has no row ${row}.`);
    return segment;
  }
}

interface TablePack {
  readonly id: string;
  readonly firstRow: BlobRow;
  readonly rows: number;
  readonly blobBytes: Bytes;
}

const SEGMENT_ROWS = 1 << 14;

const makeSegment = () => {
  const ids = new Uint8Array(SEGMENT_ROWS * 32);
  return {
    ids,
    words: new Uint32Array(ids.buffer),
    types: new Uint8Array(SEGMENT_ROWS),
    packs: new Uint32Array(SEGMENT_ROWS),
    offsets: new Uint32Array(SEGMENT_ROWS),
    lengths: new Uint32Array(SEGMENT_ROWS),
    rawLengths: new Uint32Array(SEGMENT_ROWS),
  };
};
type Segment = ReturnType<typeof makeSegment>;
