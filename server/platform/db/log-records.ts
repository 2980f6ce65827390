/**
 * Reads the write-ahead log of PostgreSQL: pages with a header each, and records that may span
 * pages. A position is the number of bytes of log before it; the names of the files follow
 * from it. Source: xlog_internal.h, xlogrecord.h and xlogreader.c of PostgreSQL 18.
 */
import fs from 'node:fs';
import { join } from 'node:path';

const PAGE = 8_192;
/** The first page of a file has the long header. */
const SHORT_HEADER = 24;
const LONG_HEADER = 40;
const RECORD_HEADER = 24;

/** Flags of a page. */
const CONTINUES = 0x1;
const IS_LONG = 0x2;
const OVERWRITES = 0x8;
const ALL_FLAGS = 0xf;
/** The kind of record after which the rest of the file is empty. */
const XLOG = 0;
const SWITCH = 0x40;

const getHeaderSize = (page: number, fileSize: number): number =>
  page % fileSize === 0 ? LONG_HEADER : SHORT_HEADER;

/** Returns the position of the byte this many bytes of records after a position. */
function skip(from: number, bytes: number, fileSize: number): number {
  let at = from;
  for (let left = bytes; ;) {
    if (at % PAGE === 0) at += getHeaderSize(at, fileSize);
    const room = PAGE - (at % PAGE);
    if (left <= room) return at + left;
    left -= room;
    at += room;
  }
}

const align = (at: number): number => Math.ceil(at / 8) * 8;
const getFileEnd = (at: number, fileSize: number): number => Math.ceil(at / fileSize) * fileSize;

/** The position at which a file of the log begins. `name`: its 24 digits. */
export const getFileStart = (name: string, fileSize: number): number =>
  Number.parseInt(name.slice(8, 16), 16) * 2 ** 32 + Number.parseInt(name.slice(16), 16) * fileSize;

const getFileName = (timeline: number, at: number, fileSize: number): string =>
  [timeline, Math.floor(at / 2 ** 32), Math.floor((at % 2 ** 32) / fileSize)]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');

/** Returns a position as PostgreSQL writes it. */
export const getPositionText = (at: number): string =>
  `${Math.floor(at / 2 ** 32).toString(16)}/${(at % 2 ** 32).toString(16)}`.toUpperCase();

/**
 * Returns the end of the last record that is whole in `bytes`, which PostgreSQL writes at `start`; null
 * if none ends there. Trusts the bytes.
 */
export function findLastEnd(bytes: DataView, start: number, fileSize: number): number | null {
  const end = start + bytes.byteLength;
  if (start % PAGE !== 0 || bytes.byteLength < LONG_HEADER || bytes.getUint16(0, true) === 0)
    return null;
  const continues = (bytes.getUint16(2, true) & CONTINUES) !== 0;
  let at = start;
  if (continues) at = align(skip(start, bytes.getUint32(16, true), fileSize));
  let found = continues && at <= end ? at : null;
  for (;;) {
    const record = skip(at, 0, fileSize);
    if (record + 8 > end) return found;
    const length = bytes.getUint32(record - start, true);
    if (length < RECORD_HEADER) return found;
    const next = align(skip(record, length, fileSize));
    if (next > end) return found;
    const kind = skip(record, 16, fileSize);
    const isSwitch =
      bytes.getUint8(skip(record, 17, fileSize) - start) === XLOG &&
      (bytes.getUint8(kind - start) & 0xf0) === SWITCH;
    at = found = isSwitch ? getFileEnd(next, fileSize) : next;
  }
}

/** Where a log ends: at the first record that isn't whole. */
export interface LogEnd {
  readonly position: number;
  readonly file: string;
  readonly offset: number;
}

/**
 * Reads the log in a database folder from its last checkpoint as a start would, and returns where it
 * ends; null if it has at least everything before `wanted`.
 * @throws if there is no control file
 */
export function findEarlyEnd(dir: string, wanted: number): LogEnd | null {
  const control = fs.readFileSync(join(dir, 'global', 'pg_control'));
  const systemId = control.readBigUInt64LE(0);
  const redo = Number(control.readBigUInt64LE(40));
  const timeline = control.readUInt32LE(48);
  const folder = join(dir, 'pg_wal');
  const fileSize = getFileSize(folder);
  let name = '';
  let file: Buffer | null = null;

  /** Returns the page if its header is right. */
  function readPage(page: number): Buffer | null {
    const wantedName = getFileName(timeline, page, fileSize);
    if (wantedName !== name) {
      name = wantedName;
      const path = join(folder, name);
      file = fs.existsSync(path) ? fs.readFileSync(path) : null;
    }
    const bytes = file?.subarray(page % fileSize, (page % fileSize) + PAGE);
    if (bytes?.length !== PAGE) return null;
    const flags = bytes.readUInt16LE(2);
    const isLong = page % fileSize === 0;
    const isRight =
      bytes.readUInt16LE(0) !== 0 &&
      (flags & ~ALL_FLAGS) === 0 &&
      ((flags & IS_LONG) !== 0) === isLong &&
      bytes.readUInt32LE(4) === timeline &&
      Number(bytes.readBigUInt64LE(8)) === page &&
      (!isLong ||
        (bytes.readBigUInt64LE(24) === systemId &&
          bytes.readUInt32LE(32) === fileSize &&
          bytes.readUInt32LE(36) === PAGE));
    magic ??= bytes.readUInt16LE(0);
    return isRight && bytes.readUInt16LE(0) === magic ? bytes : null;
  }
  let magic: number | null = null;

  /** Returns the record that begins there, and its end; null if it isn't whole. */
  function readRecord(start: number): { readonly bytes: Buffer; readonly end: number } | null {
    let at = start;
    let page = readPage(at - (at % PAGE));
    if (page === null) return null;
    if (at % PAGE === 0) at += getHeaderSize(at, fileSize);
    const isFirst = at % PAGE === getHeaderSize(at - (at % PAGE), fileSize);
    if (isFirst && (page.readUInt16LE(2) & CONTINUES) !== 0) return null;
    const length = page.readUInt32LE(at % PAGE);
    if (length < RECORD_HEADER || length > MAX_RECORD) return null;
    const parts: Buffer[] = [];
    for (let left = length; ;) {
      const part = page.subarray(at % PAGE, Math.min(PAGE, (at % PAGE) + left));
      parts.push(part);
      at += part.length;
      left -= part.length;
      if (left === 0) return { bytes: Buffer.concat(parts), end: align(at) };
      page = readPage(at);
      if (page === null) return null;
      const flags = page.readUInt16LE(2);
      if ((flags & CONTINUES) === 0 || (flags & OVERWRITES) !== 0) return null;
      if (page.readUInt32LE(16) !== left) return null;
      at += getHeaderSize(at, fileSize);
    }
  }

  let before: number | null = null;
  let at = redo;
  while (at < wanted) {
    const record = readRecord(at);
    const start = skip(at, 0, fileSize);
    const isWhole =
      record !== null &&
      (before === null || Number(record.bytes.readBigUInt64LE(8)) === before) &&
      record.bytes.readUInt32LE(20) === getChecksum(record.bytes);
    if (!isWhole)
      return {
        position: at,
        file: join(folder, getFileName(timeline, at, fileSize)),
        offset: at % fileSize,
      };
    const isSwitch = record.bytes[17] === XLOG && ((record.bytes[16] ?? 0) & 0xf0) === SWITCH;
    before = start;
    at = isSwitch ? getFileEnd(record.end, fileSize) : record.end;
  }
  return null;
}

const MAX_RECORD = 1020 * 1024 * 1024;
const DEFAULT_FILE_SIZE = 16 * 1024 * 1024;

function getFileSize(folder: string): number {
  const name = fs.readdirSync(folder).find((one) => /^[\dA-F]{24}$/.test(one));
  return name === undefined ? DEFAULT_FILE_SIZE : fs.statSync(join(folder, name)).size;
}

/** The CRC-32C of a record: of what follows its header, then of the header before the checksum. */
function getChecksum(record: Buffer): number {
  const crc = addToCrc(0xffffffff, record, RECORD_HEADER, record.length);
  return (addToCrc(crc, record, 0, 20) ^ 0xffffffff) >>> 0;
}

function addToCrc(crc: number, bytes: Buffer, from: number, to: number): number {
  let value = crc;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    value ^= bytes.readInt32LE(at);
    value =
      getCrc(3, value & 0xff) ^
      getCrc(2, (value >>> 8) & 0xff) ^
      getCrc(1, (value >>> 16) & 0xff) ^
      getCrc(0, value >>> 24);
  }
  for (; at < to; at += 1) value = getCrc(0, (value ^ bytes.readUInt8(at)) & 0xff) ^ (value >>> 8);
  return value;
}

const getCrc = (table: number, byte: number): number => CRC_TABLES[table * 256 + byte] as number;

/** Of a byte that 0 to 3 zero bytes follow. */
const CRC_TABLES = new Int32Array(4 * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1)
    value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ 0x82f63b78;
  CRC_TABLES[byte] = value;
}
for (let at = 256; at < CRC_TABLES.length; at += 1) {
  const before = CRC_TABLES[at - 256] as number;
  CRC_TABLES[at] = getCrc(0, before & 0xff) ^ (before >>> 8);
}
