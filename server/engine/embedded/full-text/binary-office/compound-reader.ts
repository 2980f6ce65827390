import type { Bytes } from '#contract/ids.ts';

// Offsets and names are those of [MS-CFB].
const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_SECTORS = 109;
/** Sector numbers from here on aren't sectors. */
const MAX_SECTOR = 0xffff_fffa;
const NO_STREAM = 0xffff_ffff;
const ENTRY_BYTES: Bytes = 128;
const STREAM = 2;
const ROOT = 5;

/** The streams of a compound file, without those of the documents that are embedded in it. */
export interface CompoundFile {
  /** Returns the content of a stream; null: there is none of this name. */
  readStream(name: string): Buffer | null;
}
interface Entry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly bytes: Bytes;
}

export const isCompoundFile = (file: Buffer): boolean =>
  file.subarray(0, SIGNATURE.length).equals(SIGNATURE);

/**
 * Opens a compound file. No stream gets longer than the file, whatever its tables say.
 *
 * @throws RangeError if a table leads out of the file.
 */
export function openCompoundFile(file: Buffer): CompoundFile {
  if (!isCompoundFile(file)) throw new RangeError('It is no compound file.');
  const sectorShift = file.readUInt16LE(30);
  const miniShift = file.readUInt16LE(32);
  if ((sectorShift !== 9 && sectorShift !== 12) || miniShift !== 6)
    throw new RangeError('Its sectors have no size that exists.');
  const sectorBytes: Bytes = 1 << sectorShift;
  const sectorCount = Math.ceil(file.length / sectorBytes);
  const readSector = (n: number): Buffer => {
    const at = (n + 1) * sectorBytes;
    if (at >= file.length) throw new RangeError('A sector is outside of the file.');
    // The last one may be cut off.
    return file.subarray(at, at + sectorBytes);
  };

  const fatSectors = listFatSectors();
  const getNext = (n: number): number => {
    const fat = fatSectors[n >>> (sectorShift - 2)];
    if (fat === undefined) throw new RangeError('A sector has no entry.');
    return readSector(fat).readUInt32LE((n * 4) % sectorBytes);
  };
  /** Stops after as many sectors as there are: a chain may be a circle. */
  function readChain(start: number, bytes: Bytes): Buffer {
    const sectors: Buffer[] = [];
    const wanted = Math.min(sectorCount, Math.ceil(bytes / sectorBytes));
    for (let n = start; n < MAX_SECTOR && sectors.length < wanted; n = getNext(n))
      sectors.push(readSector(n));
    return Buffer.concat(sectors).subarray(0, bytes);
  }

  function listFatSectors(): readonly number[] {
    const found: number[] = [];
    const add = (table: Buffer, count: number): void => {
      for (let i = 0; i < count; i += 1) {
        const n = table.readUInt32LE(i * 4);
        if (n < MAX_SECTOR) found.push(n);
      }
    };
    add(file.subarray(76), HEADER_SECTORS);
    const perSector = sectorBytes / 4 - 1;
    for (let n = file.readUInt32LE(68), i = 0; n < MAX_SECTOR && i < sectorCount; i += 1) {
      const table = readSector(n);
      add(table, perSector);
      n = table.readUInt32LE(perSector * 4);
      if (found.length > sectorCount) break;
    }
    return found;
  }

  const entries = readEntries(readChain(file.readUInt32LE(48), file.length));
  const root = entries[0];
  if (root?.type !== ROOT) throw new RangeError('It has no root.');
  const miniStream = readChain(root.start, root.bytes);
  const miniFat = readChain(file.readUInt32LE(60), file.length);
  const miniLimit = file.readUInt32LE(56);

  function readMiniChain(start: number, bytes: Bytes): Buffer {
    const parts: Buffer[] = [];
    const size = 1 << miniShift;
    const wanted = Math.min(Math.ceil(miniStream.length / size), Math.ceil(bytes / size));
    for (let n = start; n < MAX_SECTOR && parts.length < wanted; n = miniFat.readUInt32LE(n * 4))
      parts.push(miniStream.subarray(n * size, (n + 1) * size));
    return Buffer.concat(parts).subarray(0, bytes);
  }

  const streams = new Map(
    listSiblings(entries, root.child)
      .filter(({ type }) => type === STREAM)
      .map((entry) => [entry.name.toLowerCase(), entry]),
  );
  return {
    readStream(name) {
      const entry = streams.get(name.toLowerCase());
      if (entry === undefined) return null;
      const { start, bytes } = entry;
      return bytes < miniLimit ? readMiniChain(start, bytes) : readChain(start, bytes);
    },
  };
}

function readEntries(directory: Buffer): readonly Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
    const nameBytes = Math.min(64, Math.max(2, directory.readUInt16LE(at + 64)));
    entries.push({
      name: directory.toString('utf16le', at, at + nameBytes - 2),
      type: directory[at + 66] ?? 0,
      left: directory.readUInt32LE(at + 68),
      right: directory.readUInt32LE(at + 72),
      child: directory.readUInt32LE(at + 76),
      start: directory.readUInt32LE(at + 116),
      // The upper half of it is undefined in version 3, and no content is that large.
      bytes: directory.readUInt32LE(at + 120),
    });
  }
  return entries;
}

/** The entries of a storage, which are a binary tree. */
function listSiblings(entries: readonly Entry[], top: number): readonly Entry[] {
  const found = new Map<number, Entry>();
  const waiting = [top];
  for (let n = waiting.pop(); n !== undefined; n = waiting.pop()) {
    const entry = entries[n];
    if (n === NO_STREAM || entry === undefined || found.has(n)) continue;
    found.set(n, entry);
    waiting.push(entry.left, entry.right);
  }
  return [...found.values()];
}
