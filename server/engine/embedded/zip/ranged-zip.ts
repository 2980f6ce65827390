import type { Bytes, Ms } from '#contract/ids.ts';

/** A file in a ZIP archive. Its size and checksum are known before it is read. */
export interface ZipEntry {
  /** Path with `/`, unique in the archive: see `uniqueNames`. */
  readonly name: string;
  readonly bytes: Bytes;
  /** CRC-32 of the content. */
  readonly crc: number;
  readonly modifiedAt: Ms;
}

/** Reads bytes `from` up to, not including, `to` of an entry's content. */
export type ReadZipEntry<E> = (entry: E, from: Bytes, to: Bytes) => AsyncIterable<Uint8Array>;

/**
 * A ZIP archive of stored files that is never built as a whole: its size is known beforehand, and
 * any range of it can be read at any time, on any server, with the same bytes (DL-1, DL-2).
 *
 * Format: PKWARE's APPNOTE 6.3.10, with Zip64 only where a size, offset or count needs it, names in
 * UTF-8, and modification times in UTC ("UT" extra field) besides the DOS fields.
 */
export interface RangedZip {
  readonly bytes: Bytes;
  /**
   * Reads bytes `from` up to, not including, `to` of the archive, in pieces.
   *
   * @throws RangeError if the range is not within the archive, and Error if an entry's content is
   *   shorter or longer than its size: the bytes that follow would be wrong.
   */
  read(from: Bytes, to: Bytes): AsyncIterable<Uint8Array>;
}

/** How many files an archive has, and where its directory is. */
export interface ZipLayout {
  readonly count: number;
  readonly directoryAt: Bytes;
  readonly directoryBytes: Bytes;
}
/** Some entries of an archive that follow each other. */
export interface ZipPart<E extends ZipEntry> {
  readonly entries: readonly E[];
  /** Where its first file begins in the archive. */
  readonly firstByte: Bytes;
  /** Where its first record begins in the directory. */
  readonly firstRecord: Bytes;
}
/**
 * Reads the parts in order, from the one that has this byte of the archive or of its directory.
 * Only what is read of an archive has to be in memory.
 */
export type ReadParts<E extends ZipEntry> = (
  from: { readonly byte: Bytes } | { readonly record: Bytes },
) => AsyncIterable<ZipPart<E>>;

/** Where the part that follows begins. */
export function nextPart<E extends ZipEntry>({
  entries,
  firstByte,
  firstRecord,
}: ZipPart<E>): ZipPart<E> {
  let [byte, record] = [firstByte, firstRecord];
  for (const { name, bytes } of entries) {
    const nameBytes = Buffer.byteLength(name);
    if (nameBytes === 0 || nameBytes > MAX_16) throw new RangeError('Wrong length of a name.');
    record += centralBytes(nameBytes, bytes, byte);
    byte += localBytes(nameBytes, bytes) + bytes;
  }
  return { entries: [], firstByte: byte, firstRecord: record };
}

/** An archive whose entries are all in memory. */
export function rangedZip<E extends ZipEntry>(
  entries: readonly E[],
  readEntry: ReadZipEntry<E>,
): RangedZip {
  const parts: ZipPart<E>[] = [];
  let next: ZipPart<E> = { entries: [], firstByte: 0, firstRecord: 0 };
  for (let at = 0; at < entries.length; at += PART_ENTRIES) {
    const part = { ...next, entries: entries.slice(at, at + PART_ENTRIES) };
    parts.push(part);
    next = nextPart(part);
  }
  const layout = {
    count: entries.length,
    directoryAt: next.firstByte,
    directoryBytes: next.firstRecord,
  };
  return partedZip(
    layout,
    async function* read(from) {
      const first = parts.findLastIndex((part) =>
        'byte' in from ? part.firstByte <= from.byte : part.firstRecord <= from.record,
      );
      yield* parts.slice(Math.max(0, first));
    },
    readEntry,
  );
}

/** The size of an archive with this layout. */
export const zipBytes = (layout: ZipLayout): Bytes =>
  layout.directoryAt + layout.directoryBytes + endRecords(layout).length;

/** An archive whose entries are read in parts. */
export function partedZip<E extends ZipEntry>(
  layout: ZipLayout,
  readParts: ReadParts<E>,
  readEntry: ReadZipEntry<E>,
): RangedZip {
  const { directoryAt, directoryBytes } = layout;
  const endAt = directoryAt + directoryBytes;
  const end = endRecords(layout);
  const total = endAt + end.length;
  if (!Number.isSafeInteger(total)) throw new RangeError('The archive is too large.');

  async function* readFiles(from: Bytes, to: Bytes): AsyncIterable<Uint8Array> {
    for await (const { entries, firstByte } of readParts({ byte: from })) {
      let start = firstByte;
      for (const entry of entries) {
        if (start >= to) return;
        const header = localHeader(entry);
        const dataAt = start + header.length;
        const next = dataAt + entry.bytes;
        if (next > from) {
          if (from < dataAt)
            yield header.subarray(Math.max(0, from - start), Math.min(to - start, header.length));
          yield* readContent(entry, readEntry, from - dataAt, to - dataAt);
        }
        start = next;
      }
      if (start >= to) return;
    }
  }

  async function* readRecords(from: Bytes, to: Bytes): AsyncIterable<Uint8Array> {
    for await (const { entries, firstByte, firstRecord } of readParts({ record: from })) {
      // Many small records at a time.
      const records: Uint8Array[] = [];
      let start = firstByte;
      let size = 0;
      for (const entry of entries) {
        const record = centralHeader(entry, start);
        records.push(record);
        size += record.length;
        start += localBytes(Buffer.byteLength(entry.name), entry.bytes) + entry.bytes;
      }
      const [first, last] = [Math.max(0, from - firstRecord), Math.min(size, to - firstRecord)];
      if (first < last) yield Buffer.concat(records).subarray(first, last);
      if (firstRecord + size >= to) return;
    }
  }

  async function* read(from: Bytes, to: Bytes): AsyncIterable<Uint8Array> {
    if (!(from >= 0 && from <= to && to <= total)) throw new RangeError('Not within the archive.');
    if (from < Math.min(to, directoryAt)) yield* readFiles(from, Math.min(to, directoryAt));
    if (from < endAt && to > directoryAt)
      yield* readRecords(
        Math.max(0, from - directoryAt),
        Math.min(directoryBytes, to - directoryAt),
      );
    if (to > endAt) yield end.subarray(Math.max(0, from - endAt), to - endAt);
  }

  return { bytes: total, read };
}

/** The part of an entry's content that is in a range, which may begin and end outside it. */
async function* readContent<E extends ZipEntry>(
  entry: E,
  readEntry: ReadZipEntry<E>,
  from: Bytes,
  to: Bytes,
): AsyncIterable<Uint8Array> {
  const [first, last] = [Math.max(0, from), Math.min(entry.bytes, to)];
  if (first >= last) return;
  let missing = last - first;
  for await (const piece of readEntry(entry, first, last)) {
    missing -= piece.length;
    if (missing < 0) break;
    yield piece;
  }
  if (missing !== 0) throw new Error('The content of a file differs from its size.');
}

const PART_ENTRIES = 500;
const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;

/** Bits of "version made by": Unix, and of "version needed": Zip64. */
const MADE_BY = (3 << 8) | 45;
const NEEDS_ZIP64 = 45;
const NEEDS_DIRECTORIES = 20;
const UTF8_NAMES = 0x0800;
/** A regular file that its owner may write and everybody may read. */
const UNIX_MODE = 0o100644;

const TIME_EXTRA: Bytes = 9;
const localBytes = (name: Bytes, bytes: Bytes): Bytes =>
  30 + name + TIME_EXTRA + (bytes >= MAX_32 ? 20 : 0);
const centralBytes = (name: Bytes, bytes: Bytes, start: Bytes): Bytes =>
  46 + name + TIME_EXTRA + zip64Bytes(bytes, start);
function zip64Bytes(bytes: Bytes, start: Bytes): Bytes {
  const fields = (bytes >= MAX_32 ? 16 : 0) + (start >= MAX_32 ? 8 : 0);
  return fields === 0 ? 0 : fields + 4;
}

export function localHeader({ name: text, bytes, crc, modifiedAt }: ZipEntry): Buffer {
  const name = Buffer.from(text);
  const large = bytes >= MAX_32;
  const out = Buffer.alloc(localBytes(name.length, bytes));
  out.writeUInt32LE(0x04034b50, 0);
  out.writeUInt16LE(large ? NEEDS_ZIP64 : NEEDS_DIRECTORIES, 4);
  out.writeUInt16LE(UTF8_NAMES, 6);
  out.writeUInt16LE(0, 8);
  out.writeUInt32LE(dosTime(modifiedAt), 10);
  out.writeUInt32LE(crc >>> 0, 14);
  out.writeUInt32LE(large ? MAX_32 : bytes, 18);
  out.writeUInt32LE(large ? MAX_32 : bytes, 22);
  out.writeUInt16LE(name.length, 26);
  out.writeUInt16LE(out.length - 30 - name.length, 28);
  out.set(name, 30);
  const at = timeExtra(out, 30 + name.length, modifiedAt);
  if (large) {
    out.writeUInt16LE(0x0001, at);
    out.writeUInt16LE(16, at + 2);
    writeUInt64(out, bytes, at + 4);
    writeUInt64(out, bytes, at + 12);
  }
  return out;
}

export function centralHeader(
  { name: text, bytes, crc, modifiedAt }: ZipEntry,
  start: Bytes,
): Buffer {
  const name = Buffer.from(text);
  const large = bytes >= MAX_32;
  const far = start >= MAX_32;
  const out = Buffer.alloc(centralBytes(name.length, bytes, start));
  out.writeUInt32LE(0x02014b50, 0);
  out.writeUInt16LE(MADE_BY, 4);
  out.writeUInt16LE(large || far ? NEEDS_ZIP64 : NEEDS_DIRECTORIES, 6);
  out.writeUInt16LE(UTF8_NAMES, 8);
  out.writeUInt16LE(0, 10);
  out.writeUInt32LE(dosTime(modifiedAt), 12);
  out.writeUInt32LE(crc >>> 0, 16);
  out.writeUInt32LE(large ? MAX_32 : bytes, 20);
  out.writeUInt32LE(large ? MAX_32 : bytes, 24);
  out.writeUInt16LE(name.length, 28);
  out.writeUInt16LE(out.length - 46 - name.length, 30);
  // Comment, disk and internal attributes stay 0.
  out.writeUInt32LE((UNIX_MODE << 16) >>> 0, 38);
  out.writeUInt32LE(far ? MAX_32 : start, 42);
  out.set(name, 46);
  let at = timeExtra(out, 46 + name.length, modifiedAt);
  const fields = [...(large ? [bytes, bytes] : []), ...(far ? [start] : [])];
  if (fields.length > 0) {
    out.writeUInt16LE(0x0001, at);
    out.writeUInt16LE(fields.length * 8, at + 2);
    at += 4;
    for (const field of fields) {
      writeUInt64(out, field, at);
      at += 8;
    }
  }
  return out;
}

/** The records after the directory: Zip64's two where they are needed, then the common one. */
export function endRecords({ count, directoryBytes, directoryAt }: ZipLayout): Buffer {
  const common = Buffer.alloc(22);
  common.writeUInt32LE(0x06054b50, 0);
  common.writeUInt16LE(Math.min(count, MAX_16), 8);
  common.writeUInt16LE(Math.min(count, MAX_16), 10);
  common.writeUInt32LE(Math.min(directoryBytes, MAX_32), 12);
  common.writeUInt32LE(Math.min(directoryAt, MAX_32), 16);
  if (count < MAX_16 && directoryBytes < MAX_32 && directoryAt < MAX_32) return common;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  writeUInt64(record, 44, 4);
  record.writeUInt16LE(MADE_BY, 12);
  record.writeUInt16LE(NEEDS_ZIP64, 14);
  writeUInt64(record, count, 24);
  writeUInt64(record, count, 32);
  writeUInt64(record, directoryBytes, 40);
  writeUInt64(record, directoryAt, 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  writeUInt64(locator, directoryAt + directoryBytes, 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator, common]);
}

function timeExtra(out: Buffer, at: number, modifiedAt: Ms): number {
  out.writeUInt16LE(0x5455, at);
  out.writeUInt16LE(5, at + 2);
  // Only the modification time is present.
  out.writeUInt8(1, at + 4);
  out.writeInt32LE(clamp(Math.floor(modifiedAt / 1000), -0x8000_0000, 0x7fff_ffff), at + 5);
  return at + TIME_EXTRA;
}

/** Time and date in DOS format, in UTC: two-second steps from 1980 to 2107. */
function dosTime(at: Ms): number {
  const date = new Date(clamp(at, DOS_FIRST, DOS_LAST));
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const day =
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  return ((day << 16) | time) >>> 0;
}
const DOS_FIRST = Date.UTC(1980, 0, 1);
const DOS_LAST = Date.UTC(2107, 11, 31, 23, 59, 58);

const clamp = (value: number, min: number, max: number): number =>
  Math.min(max, Math.max(min, value));

function writeUInt64(out: Buffer, value: number, at: number): void {
  out.writeUInt32LE(value % 2 ** 32, at);
  out.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}
