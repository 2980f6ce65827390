import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import type { Bytes } from '#contract/ids.ts';
import {
  type ArchiveEntry,
  type ArchiveFile,
  DamagedArchive,
  type LoadedEntry,
  MAX_MAIL_BYTES,
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
}

/** A ZIP archive of mails as files, in folders. */
export async function* readZip(file: ArchiveFile): AsyncGenerator<ArchiveEntry, void> {
  const directory = await readDirectory(file);
  let unpackedBytes = 0;
  let n = 0;
  for (let at = 0; at + 46 <= directory.length;) {
    if (directory.readUInt32LE(at) !== CENTRAL || ++n > MAX_ENTRIES) throw new DamagedArchive();
    const { entry, next } = readEntry(directory, at);
    at = next;
    if (entry === null) continue;
    const path = splitPath(entry.name);
    const folders = toFolderPath(path.slice(0, -1));
    unpackedBytes += entry.bytes;
    if (unpackedBytes > FREE_BYTES + MAX_RATIO * file.bytes) throw new DamagedArchive();
    yield {
      path: folders.length === 0 ? [file.stem] : folders,
      name: toFolderPath(path.slice(-1))[0] ?? `#${n}`,
      position: entry.at,
      load: () => load(file, entry),
    };
  }
}

async function load(file: ArchiveFile, entry: ZipEntry): Promise<LoadedEntry> {
  const { name, bytes, packedBytes, method, crc, isEncrypted, at } = entry;
  if (!/\.eml$/i.test(name))
    return { kind: 'skipped', reason: /\.(?:zip|mbox|pst|ost)$/i.test(name) ? 'packed' : 'other' };
  if (isEncrypted) return { kind: 'skipped', reason: 'encrypted' };
  if (bytes > MAX_MAIL_BYTES || packedBytes > MAX_MAIL_BYTES)
    return { kind: 'skipped', reason: 'too-large' };
  const head = await file.read(at, 30);
  if (head.length < 30 || head.readUInt32LE(0) !== LOCAL) return DAMAGED;
  const begin = at + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const packed = await file.read(begin, packedBytes);
  const content = await unpack(packed, method, bytes);
  if (content?.length !== bytes || crc32(content) !== crc) return DAMAGED;
  return { kind: 'mail', mime: Uint8Array.from(content), state: PLAIN_STATE };
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
  if (end < 0) throw new DamagedArchive();
  let bytes: Bytes = tail.readUInt32LE(end + 12);
  let from: Bytes = tail.readUInt32LE(end + 16);
  if (bytes === MAX_32 || from === MAX_32) {
    const locator = await file.read(tailAt + end - 20, 20);
    if (locator.length < 20 || locator.readUInt32LE(0) !== END_64_LOCATOR)
      throw new DamagedArchive();
    const record = await file.read(toNumber(locator, 8), 56);
    if (record.length < 56 || record.readUInt32LE(0) !== END_64) throw new DamagedArchive();
    bytes = toNumber(record, 40);
    from = toNumber(record, 48);
  }
  if (bytes > MAX_DIRECTORY_BYTES || from + bytes > file.bytes) throw new DamagedArchive();
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
  if (next > directory.length) throw new DamagedArchive();
  const name = decodeName(directory.subarray(at + 46, extraAt));
  // Folders, and what macOS puts beside each file.
  if (/[/\\]$/.test(name) || /(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/.test(name))
    return { entry: null, next };
  const extra = readExtra(directory.subarray(extraAt, extraAt + extraBytes));
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
    },
    next,
  };
}

/** The field with numbers of 64 bits; empty if there is none. */
function readExtra(extra: Buffer): Buffer {
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) return extra.subarray(at + 4, end);
    at = end;
  }
  return extra.subarray(0, 0);
}

/** Numbers that don't fit 32 bits are in the extra field, in this order. */
function withLarge(
  extra: Buffer,
  numbers: readonly [number, number, number],
): readonly [number, number, number] {
  let at = 0;
  const take = (number: number): number => {
    if (number !== MAX_32) return number;
    if (at + 8 > extra.length) throw new DamagedArchive();
    at += 8;
    return toNumber(extra, at - 8);
  };
  return [take(numbers[0]), take(numbers[1]), take(numbers[2])];
}

function toNumber(bytes: Buffer, at: number): number {
  const number = Number(bytes.readBigUInt64LE(at));
  if (number > Number.MAX_SAFE_INTEGER) throw new DamagedArchive();
  return number;
}

/** Names are UTF-8, or else of a code page that nobody names. */
function decodeName(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}
