// Compound files ([MS-CFB] version 3): storages and streams, as a file system in a file.

const SECTOR_BYTES = 512;
const MINI_BYTES = 64;
/** Streams below this are in the mini stream. */
const MINI_LIMIT = 4_096;
const FREE = 0xffff_ffff;
const END = 0xffff_fffe;
const FAT_SECTOR = 0xffff_fffd;
const DIFAT_SECTOR = 0xffff_fffc;
const IDS_IN_SECTOR = SECTOR_BYTES / 4;
const ENTRY_BYTES = 128;
const ENTRIES_IN_SECTOR = SECTOR_BYTES / ENTRY_BYTES;
/** All zeros, without siblings or a child ([MS-CFB] 2.6.3). */
const UNUSED_ENTRY = Buffer.alloc(ENTRY_BYTES).fill(0xff, 68, 80);
/** FAT sectors that the header names. */
const IN_HEADER = 109;

export interface Storage {
  readonly name: string;
  readonly streams: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly storages: readonly Storage[];
}

interface Entry {
  readonly name: string;
  readonly type: 1 | 2 | 5;
  readonly bytes: Uint8Array;
  readonly children: readonly Entry[];
  left: number;
  right: number;
  child: number;
  start: number;
}

/** Returns a compound file. `classId`: what the root is, 16 bytes. */
export function writeCompoundFile(root: Storage, classId: Uint8Array): Uint8Array<ArrayBuffer> {
  const entries = listEntries(root);
  const sectors = new Sectors();
  const mini: Buffer[] = [];
  const miniFat: number[] = [];
  for (const entry of entries) {
    if (entry.type !== 2 || entry.bytes.length === 0) continue;
    if (entry.bytes.length >= MINI_LIMIT) {
      entry.start = sectors.add(entry.bytes);
      continue;
    }
    entry.start = miniFat.length;
    const padded = pad(entry.bytes, MINI_BYTES);
    const count = padded.length / MINI_BYTES;
    for (let n = 1; n <= count; n += 1) miniFat.push(n === count ? END : miniFat.length + 1);
    mini.push(padded);
  }
  const miniStream = Buffer.concat(mini);
  const [top] = entries;
  if (top !== undefined && miniStream.length > 0) top.start = sectors.add(miniStream);
  const miniFatStart = miniFat.length === 0 ? END : sectors.add(toIds(miniFat, SECTOR_BYTES));
  const miniFatSectors = Math.ceil(miniFat.length / IDS_IN_SECTOR);
  const directory = entries.map((entry) => toEntry(entry, classId, miniStream.length));
  while (directory.length % ENTRIES_IN_SECTOR !== 0) directory.push(UNUSED_ENTRY);
  const directoryStart = sectors.add(Buffer.concat(directory));
  return sectors.finish({ directoryStart, miniFatStart, miniFatSectors });
}

/** The entries of the directory, each storage with its children as a balanced tree. */
function listEntries(root: Storage): Entry[] {
  const entries: Entry[] = [];
  const add = (storage: Storage, type: 1 | 5): Entry => {
    const streams = storage.streams.map(({ name, bytes }) => makeEntry(name, 2, bytes, []));
    const storages = storage.storages.map((one) => makeStorage(one));
    return makeEntry(storage.name, type, new Uint8Array(0), [...streams, ...storages]);
  };
  const makeStorage = (storage: Storage): Entry => add(storage, 1);
  const number = (entry: Entry): void => {
    const sorted = [...entry.children].sort(compareNames);
    const first = entries.length;
    entries.push(...sorted);
    entry.child = balance(sorted, first, 0, sorted.length);
    for (const child of sorted) number(child);
  };
  const top = add(root, 5);
  entries.push(top);
  number(top);
  return entries;
}

const makeEntry = (
  name: string,
  type: Entry['type'],
  bytes: Uint8Array,
  children: readonly Entry[],
): Entry => ({ name, type, bytes, children, left: FREE, right: FREE, child: FREE, start: 0 });

/** Shorter names come first, then by capital letters. */
function compareNames(a: Entry, b: Entry): number {
  if (a.name.length !== b.name.length) return a.name.length - b.name.length;
  const [left, right] = [a.name.toUpperCase(), b.name.toUpperCase()];
  return left < right ? -1 : left > right ? 1 : 0;
}

function balance(sorted: readonly Entry[], first: number, from: number, to: number): number {
  if (from >= to) return FREE;
  const middle = Math.floor((from + to) / 2);
  const entry = sorted[middle];
  if (entry === undefined) return FREE;
  entry.left = balance(sorted, first, from, middle);
  entry.right = balance(sorted, first, middle + 1, to);
  return first + middle;
}

function toEntry(
  { name, type, bytes, left, right, child, start }: Entry,
  classId: Uint8Array,
  miniBytes: number,
): Buffer {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.write(name, 0, 62, 'utf16le');
  entry.writeUInt16LE((name.length + 1) * 2, 64);
  entry[66] = type;
  // All nodes are black: readers don't rely on the colors of a balanced tree.
  entry[67] = 1;
  entry.writeUInt32LE(left, 68);
  entry.writeUInt32LE(right, 72);
  entry.writeUInt32LE(child, 76);
  if (type === 5) entry.set(classId.subarray(0, 16), 80);
  const size = type === 5 ? miniBytes : bytes.length;
  entry.writeUInt32LE(size === 0 && type !== 1 ? END : start, 116);
  entry.writeUInt32LE(size, 120);
  return entry;
}

class Sectors {
  readonly #content: Buffer[] = [];
  readonly #fat: number[] = [];

  /** Returns the first sector of the content. */
  add(bytes: Uint8Array): number {
    const padded = pad(bytes, SECTOR_BYTES);
    const first = this.#fat.length;
    const count = padded.length / SECTOR_BYTES;
    for (let n = 1; n <= count; n += 1) this.#fat.push(n === count ? END : this.#fat.length + 1);
    this.#content.push(padded);
    return first;
  }

  finish(starts: {
    readonly directoryStart: number;
    readonly miniFatStart: number;
    readonly miniFatSectors: number;
  }): Uint8Array<ArrayBuffer> {
    // The FAT describes itself, and the sectors that list the rest of it.
    const used = this.#fat.length;
    let fatSectors = 0;
    let difatSectors = 0;
    for (;;) {
      const all = used + fatSectors + difatSectors;
      const fat = Math.ceil(all / IDS_IN_SECTOR);
      const difat = Math.ceil(Math.max(0, fat - IN_HEADER) / (IDS_IN_SECTOR - 1));
      if (fat === fatSectors && difat === difatSectors) break;
      fatSectors = fat;
      difatSectors = difat;
    }
    const ids = [
      ...this.#fat,
      ...Array.from({ length: fatSectors }, () => FAT_SECTOR),
      ...Array.from({ length: difatSectors }, () => DIFAT_SECTOR),
    ];
    const fatIds = Array.from({ length: fatSectors }, (_, n) => used + n);
    const firstDifat = used + fatSectors;
    const difat: number[] = [];
    for (let n = 0; n < difatSectors; n += 1) {
      const from = IN_HEADER + n * (IDS_IN_SECTOR - 1);
      const part = fatIds.slice(from, from + IDS_IN_SECTOR - 1);
      while (part.length < IDS_IN_SECTOR - 1) part.push(FREE);
      difat.push(...part, n === difatSectors - 1 ? END : firstDifat + n + 1);
    }
    const header = Buffer.alloc(SECTOR_BYTES);
    header.write('d0cf11e0a1b11ae1', 0, 'hex');
    header.writeUInt16LE(0x3e, 24);
    header.writeUInt16LE(3, 26);
    header.writeUInt16LE(0xfffe, 28);
    header.writeUInt16LE(9, 30);
    header.writeUInt16LE(6, 32);
    header.writeUInt32LE(fatSectors, 44);
    header.writeUInt32LE(starts.directoryStart, 48);
    header.writeUInt32LE(MINI_LIMIT, 56);
    header.writeUInt32LE(starts.miniFatStart, 60);
    header.writeUInt32LE(starts.miniFatSectors, 64);
    header.writeUInt32LE(difatSectors === 0 ? END : firstDifat, 68);
    header.writeUInt32LE(difatSectors, 72);
    for (let n = 0; n < IN_HEADER; n += 1) header.writeUInt32LE(fatIds[n] ?? FREE, 76 + 4 * n);
    return new Uint8Array(
      Buffer.concat([
        header,
        ...this.#content,
        toIds(ids, SECTOR_BYTES),
        ...(difat.length === 0 ? [] : [toIds(difat, SECTOR_BYTES)]),
      ]),
    );
  }
}

function toIds(ids: readonly number[], unit: number): Buffer {
  const bytes = Buffer.alloc(Math.ceil((ids.length * 4) / unit) * unit, 0xff);
  ids.forEach((id, n) => bytes.writeUInt32LE(id, 4 * n));
  return bytes;
}

function pad(bytes: Uint8Array, unit: number): Buffer {
  const padded = Buffer.alloc(Math.ceil(bytes.length / unit) * unit);
  padded.set(bytes);
  return padded;
}
