import { promisify } from 'node:util';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw, inflateRaw } from 'node:zlib';
import type { Bytes, Ms } from '#contract/ids.ts';
import {
  type ArchiveEntry,
  type ArchiveFile,
  DamagedMailArchive,
  LARGE_FILE_BYTES,
  type LoadedEntry,
  MAX_FILE_BYTES,
  MAX_MAIL_BYTES,
  PART_BYTES,
  PLAIN_STATE,
} from './archive.ts';
import { splitPath, toFolderPath } from './folder-path.ts';

// Numbers and offsets are those of APPNOTE.TXT, the specification of the format.
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const MAX_COMMENT_BYTES = 65_535;
const MAX_32 = 0xffff_ffff;

const MAX_ENTRIES = 1_000_000;
const MAX_DIRECTORY_BYTES: Bytes = 256 << 20;
/** An archive that grows more than this when it is unpacked is a bomb (G66). */
const MAX_RATIO = 200;
const FREE_BYTES: Bytes = 64 << 20;

const STORED = 0;
const DEFLATED = 8;

interface ZipEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: Bytes;
  readonly bytes: Bytes;
  readonly at: Bytes;
  readonly modifiedAt: Ms | null;
}

/** A ZIP archive of mails as files, in folders. */
export async function* readZip(file: ArchiveFile): AsyncGenerator<ArchiveEntry, void> {
  for await (const { entry, folders, name } of listEntries(file))
    yield {
      path: folders.length === 0 ? [file.stem] : folders,
      name,
      position: entry.at,
      load: () => loadMail(file, entry),
    };
}

/** A ZIP archive of any files. Larger ones than `maxBytes` are left out. */
export async function* readZipFiles(
  file: ArchiveFile,
  maxBytes: Bytes = MAX_FILE_BYTES,
): AsyncGenerator<ArchiveEntry, void> {
  for await (const { entry, folders, name } of listEntries(file))
    yield { path: folders, name, position: entry.at, load: () => loadFile(file, entry, maxBytes) };
}

interface ListedEntry {
  readonly entry: ZipEntry;
  readonly folders: readonly string[];
  readonly name: string;
}

async function* listEntries(file: ArchiveFile): AsyncGenerator<ListedEntry, void> {
  const directory = await readDirectory(file);
  let unpackedBytes = 0;
  let n = 0;
  for (let at = 0; at + 46 <= directory.length;) {
    if (directory.readUInt32LE(at) !== CENTRAL || ++n > MAX_ENTRIES) throw new DamagedMailArchive();
    const { entry, next } = readEntry(directory, at);
    at = next;
    if (entry === null) continue;
    const path = splitPath(entry.name);
    const folders = toFolderPath(path.slice(0, -1));
    unpackedBytes += entry.bytes;
    if (unpackedBytes > FREE_BYTES + MAX_RATIO * file.bytes) throw new DamagedMailArchive();
    yield { entry, folders, name: toFolderPath(path.slice(-1))[0] ?? `#${n}` };
  }
}

async function loadMail(file: ArchiveFile, entry: ZipEntry): Promise<LoadedEntry> {
  const { name, bytes, packedBytes } = entry;
  if (!/\.eml$/i.test(name))
    return { kind: 'skipped', reason: /\.(?:zip|mbox|pst|ost)$/i.test(name) ? 'packed' : 'other' };
  if (bytes > MAX_MAIL_BYTES || packedBytes > MAX_MAIL_BYTES)
    return { kind: 'skipped', reason: 'too-large' };
  const read = await readContent(file, entry);
  return 'kind' in read ? read : { kind: 'mail', mime: read.content, state: PLAIN_STATE };
}

async function loadFile(file: ArchiveFile, entry: ZipEntry, maxBytes: Bytes): Promise<LoadedEntry> {
  const { bytes, packedBytes, modifiedAt } = entry;
  if (bytes > maxBytes || packedBytes > maxBytes) return { kind: 'skipped', reason: 'large-file' };
  if (bytes > LARGE_FILE_BYTES || packedBytes > LARGE_FILE_BYTES) {
    const parts = await openParts(file, entry);
    return 'kind' in parts ? parts : { kind: 'large', parts: parts.content, modifiedAt };
  }
  const read = await readContent(file, entry);
  return 'kind' in read ? read : { kind: 'file', content: read.content, modifiedAt };
}

async function readContent(
  file: ArchiveFile,
  entry: ZipEntry,
): Promise<{ readonly content: Uint8Array<ArrayBuffer> } | LoadedEntry> {
  const { bytes, packedBytes, method, crc, isEncrypted } = entry;
  if (isEncrypted) return { kind: 'skipped', reason: 'encrypted' };
  const begin = await findBegin(file, entry);
  if (begin === null) return DAMAGED;
  const packed = await file.read(begin, packedBytes);
  const content = await unpack(packed, method, bytes);
  if (content?.length !== bytes || crc32(content) !== crc) return DAMAGED;
  return { content: Uint8Array.from(content) };
}
/** Returns where the content of an entry begins; null: it isn't there. */
async function findBegin(file: ArchiveFile, { at }: ZipEntry): Promise<Bytes | null> {
  const head = await file.read(at, 30);
  if (head.length < 30 || head.readUInt32LE(0) !== LOCAL) return null;
  return at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
}

/** A content that is not read as a whole. */
async function openParts(
  file: ArchiveFile,
  entry: ZipEntry,
): Promise<{ readonly content: AsyncIterable<Uint8Array<ArrayBuffer>> } | LoadedEntry> {
  const { method, isEncrypted } = entry;
  if (isEncrypted) return { kind: 'skipped', reason: 'encrypted' };
  const begin = await findBegin(file, entry);
  if (begin === null || (method !== STORED && method !== DEFLATED)) return DAMAGED;
  const packed = readPacked(file, begin, entry.packedBytes);
  return {
    content: checkParts(method === STORED ? packed : inflateParts(packed), entry),
  };
}

async function* readPacked(
  file: ArchiveFile,
  begin: Bytes,
  bytes: Bytes,
): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes; at += PART_BYTES) {
    const part = await file.read(begin + at, Math.min(PART_BYTES, bytes - at));
    if (part.length === 0) throw new DamagedMailArchive();
    yield part;
  }
}

async function* inflateParts(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  // `pipeline` ends both when one of them breaks.
  const unpacked: AsyncIterable<Buffer> = pipeline(
    Readable.from(packed, { objectMode: false }),
    createInflateRaw({ chunkSize: PART_BYTES }),
    () => undefined,
  );
  yield* unpacked;
}

/** @throws DamagedMailArchive if they are together not what the archive says. */
async function* checkParts(
  parts: AsyncIterable<Buffer>,
  { bytes, crc }: ZipEntry,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let left = bytes;
  let sum = 0;
  for await (const part of parts) {
    left -= part.length;
    if (left < 0) throw new DamagedMailArchive();
    sum = crc32(part, sum);
    // A buffer of its own, which is transferred.
    yield Uint8Array.from(part);
  }
  if (left > 0 || sum !== crc) throw new DamagedMailArchive();
}
const DAMAGED = { kind: 'failed', reason: 'damaged' } as const;

async function unpack(packed: Buffer, method: number, bytes: Bytes): Promise<Buffer | null> {
  if (method === STORED) return packed;
  if (method !== DEFLATED) return null;
  return inflate(packed, { maxOutputLength: bytes + 1 }).catch(() => null);
}
const inflate = promisify(inflateRaw) as (
  packed: Buffer,
  options: { readonly maxOutputLength: number },
) => Promise<Buffer>;

/** Returns the list of all entries. */
async function readDirectory(file: ArchiveFile): Promise<Buffer> {
  const tailBytes = Math.min(file.bytes, 22 + MAX_COMMENT_BYTES);
  const tailAt = file.bytes - tailBytes;
  const tail = await file.read(tailAt, tailBytes);
  let end = -1;
  for (let at = tail.length - 22; at >= 0 && end < 0; at--)
    if (tail.readUInt32LE(at) === END) end = at;
  if (end < 0) throw new DamagedMailArchive();
  let bytes: Bytes = tail.readUInt32LE(end + 12);
  let from: Bytes = tail.readUInt32LE(end + 16);
  if (bytes === MAX_32 || from === MAX_32) {
    const locator = await file.read(tailAt + end - 20, 20);
    if (locator.length < 20 || locator.readUInt32LE(0) !== END_64_LOCATOR)
      throw new DamagedMailArchive();
    const record = await file.read(toNumber(locator, 8), 56);
    if (record.length < 56 || record.readUInt32LE(0) !== END_64) throw new DamagedMailArchive();
    bytes = toNumber(record, 40);
    from = toNumber(record, 48);
  }
  if (bytes > MAX_DIRECTORY_BYTES || from + bytes > file.bytes) throw new DamagedMailArchive();
  return file.read(from, bytes);
}

function readEntry(
  directory: Buffer,
  at: number,
): { readonly entry: ZipEntry | null; readonly next: number } {
  const flags = directory.readUInt16LE(at + 8);
  const nameBytes = directory.readUInt16LE(at + 28);
  const extraBytes = directory.readUInt16LE(at + 30);
  const extraAt = at + 46 + nameBytes;
  const next = extraAt + extraBytes + directory.readUInt16LE(at + 32);
  if (next > directory.length) throw new DamagedMailArchive();
  const name = decodeName(directory.subarray(at + 46, extraAt));
  // Folders, and what macOS puts beside each file.
  if (/[/\\]$/.test(name) || /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/.test(name))
    return { entry: null, next };
  const extra = findExtra(directory.subarray(extraAt, extraAt + extraBytes), LARGE);
  const [bytes, packedBytes, offset] = withLarge(extra, [
    directory.readUInt32LE(at + 24),
    directory.readUInt32LE(at + 20),
    directory.readUInt32LE(at + 42),
  ]);
  return {
    entry: {
      name,
      isEncrypted: (flags & 1) !== 0,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packedBytes,
      bytes,
      at: offset,
      modifiedAt:
        readTimestamp(findExtra(directory.subarray(extraAt, extraAt + extraBytes), TIMESTAMP)) ??
        readDosTime(directory.readUInt16LE(at + 14), directory.readUInt16LE(at + 12)),
    },
    next,
  };
}

/** Fields with numbers of 64 bits, and with the time in UTC. */
const LARGE = 0x0001;
const TIMESTAMP = 0x5455;

/** Returns a field; empty if there is none. */
function findExtra(extra: Buffer, id: number): Buffer {
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return extra.subarray(0, 0);
}

const readTimestamp = (field: Buffer): Ms | null =>
  field.length >= 5 && ((field[0] ?? 0) & 1) !== 0 ? field.readInt32LE(1) * 1_000 : null;

/** A time without a zone: nobody says which, so it counts as UTC. */
function readDosTime(date: number, time: number): Ms | null {
  const at = Date.UTC(
    1980 + (date >> 9),
    ((date >> 5) & 15) - 1,
    date & 31,
    time >> 11,
    (time >> 5) & 63,
    2 * (time & 31),
  );
  return date === 0 || Number.isNaN(at) ? null : at;
}

/** Numbers that don't fit 32 bits are in the extra field, in this order. */
function withLarge(
  extra: Buffer,
  numbers: readonly [number, number, number],
): readonly [number, number, number] {
  let at = 0;
  const take = (number: number): number => {
    if (number !== MAX_32) return number;
    if (at + 8 > extra.length) throw new DamagedMailArchive();
    at += 8;
    return toNumber(extra, at - 8);
  };
  return [take(numbers[0]), take(numbers[1]), take(numbers[2])];
}

function toNumber(bytes: Buffer, at: number): number {
  const number = Number(bytes.readBigUInt64LE(at));
  if (number > Number.MAX_SAFE_INTEGER) throw new DamagedMailArchive();
  return number;
}

/** Names are UTF-8, or else of a code page that nobody names. */
function decodeName(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
