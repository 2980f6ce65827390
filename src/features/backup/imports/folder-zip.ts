import type { Bytes, Ms } from '#contract/ids.ts';

// Numbers and offsets are those of APPNOTE.TXT, the specification of the format.
const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const VERSION = 45;
/** Names are UTF-8. */
const UTF_8 = 0x0800;
const MAX_16 = 0xffff;
const MAX_32 = 0xffff_ffff;
/** The field with the time in UTC; the plain one has no zone. */
const TIMESTAMP = 0x5455;

/** 1980-01-01, the earliest one: the time is in its own field. */
const FIRST_DOS_TIME = [
  [0, 2],
  [33, 2],
] as const;

/** A file of a folder. `path` begins with the name of the folder. */
interface FolderFile {
  readonly path: string;
  readonly file: Blob;
  readonly modifiedAt: Ms;
}

/**
 * Returns a folder as a ZIP file that stores its files as they are. They are read once for their
 * checksums, and again when the ZIP file is sent: nothing of them is in memory longer. The same folder
 * gives the same bytes.
 */
export async function zipFolder(
  name: string,
  files: readonly FolderFile[],
  signal?: AbortSignal,
): Promise<File> {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let at: Bytes = 0;
  let directoryBytes: Bytes = 0;
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  for (const { path, file, modifiedAt } of sorted) {
    const entry = {
      name: new TextEncoder().encode(path),
      crc: await sumFile(file, signal),
      bytes: file.size,
      seconds: Math.floor(modifiedAt / 1_000),
    };
    const local = makeLocal(entry);
    parts.push(local, file);
    const central = makeCentral(entry, at);
    directory.push(central);
    at += local.length + file.size;
    directoryBytes += central.length;
  }
  const end = makeEnd(sorted.length, directoryBytes, at);
  return new File([...parts, ...directory, end], `${name}.zip`, { type: 'application/zip' });
}

interface Entry {
  readonly name: Uint8Array;
  readonly crc: number;
  readonly bytes: Bytes;
  readonly seconds: number;
}

/** Writes numbers of `bytes` bytes each, and texts. */
function write(
  fields: readonly (readonly [number, 2 | 4 | 8] | Uint8Array)[],
): Uint8Array<ArrayBuffer> {
  const length = fields.reduce(
    (sum, field) => sum + (field instanceof Uint8Array ? field.length : field[1]),
    0,
  );
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const field of fields) {
    if (field instanceof Uint8Array) {
      bytes.set(field, at);
      at += field.length;
      continue;
    }
    const [value, size] = field;
    if (size === 2) view.setUint16(at, value, true);
    else if (size === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += size;
  }
  return bytes;
}

const makeTimestamp = ({ seconds }: Entry): Uint8Array<ArrayBuffer> => {
  const field = new Uint8Array(9);
  field.set(
    write([
      [TIMESTAMP, 2],
      [5, 2],
    ]),
  );
  // Only the time of the last change.
  field[4] = 1;
  new DataView(field.buffer).setInt32(5, seconds, true);
  return field;
};

/** The size is always in the field of 64 bits: files of any size have the same form. */
const makeLocal = (entry: Entry): Uint8Array<ArrayBuffer> => {
  const extra = write([[1, 2], [16, 2], [entry.bytes, 8], [entry.bytes, 8], makeTimestamp(entry)]);
  return write([
    [LOCAL, 4],
    [VERSION, 2],
    [UTF_8, 2],
    [0, 2],
    ...FIRST_DOS_TIME,
    [entry.crc, 4],
    [MAX_32, 4],
    [MAX_32, 4],
    [entry.name.length, 2],
    [extra.length, 2],
    entry.name,
    extra,
  ]);
};

const makeCentral = (entry: Entry, at: Bytes): Uint8Array<ArrayBuffer> => {
  const extra = write([
    [1, 2],
    [24, 2],
    [entry.bytes, 8],
    [entry.bytes, 8],
    [at, 8],
    makeTimestamp(entry),
  ]);
  return write([
    [CENTRAL, 4],
    [VERSION, 2],
    [VERSION, 2],
    [UTF_8, 2],
    [0, 2],
    ...FIRST_DOS_TIME,
    [entry.crc, 4],
    [MAX_32, 4],
    [MAX_32, 4],
    [entry.name.length, 2],
    [extra.length, 2],
    [0, 2],
    [0, 2],
    [0, 2],
    [0, 4],
    [MAX_32, 4],
    entry.name,
    extra,
  ]);
};

const makeEnd = (entries: number, bytes: Bytes, at: Bytes): Uint8Array<ArrayBuffer> =>
  write([
    [END_64, 4],
    [44, 8],
    [VERSION, 2],
    [VERSION, 2],
    [0, 4],
    [0, 4],
    [entries, 8],
    [entries, 8],
    [bytes, 8],
    [at, 8],
    [END_64_LOCATOR, 4],
    [0, 4],
    [at + bytes, 8],
    [1, 4],
    [END, 4],
    [0, 2],
    [0, 2],
    [Math.min(entries, MAX_16), 2],
    [Math.min(entries, MAX_16), 2],
    [MAX_32, 4],
    [MAX_32, 4],
    [0, 2],
  ]);

/** CRC-32 (ISO 3309), a byte at a time. */
async function sumFile(file: Blob, signal?: AbortSignal): Promise<number> {
  let sum = MAX_32;
  const reader = file.stream().getReader();
  for (;;) {
    signal?.throwIfAborted();
    const { done, value } = await reader.read();
    if (done) return (sum ^ MAX_32) >>> 0;
    for (const byte of value) sum = (TABLE[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  }
}

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let sum = n;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb8_8320 : sum >>> 1;
  return sum;
});
