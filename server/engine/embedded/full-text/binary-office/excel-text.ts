import { withoutHeaderCodes } from '../header-codes.ts';
import type { CompoundFile } from './compound-reader.ts';

// Numbers of records, and their layouts, are those of [MS-XLS].
const BOF = 0x0809;
const CODE_PAGE = 0x0042;
const ENCRYPTED = 0x002f;
const CONTINUE = 0x003c;
const SHARED_STRINGS = 0x00fc;
const LABEL = 0x0204;
const RICH_LABEL = 0x00d6;
const FORMULA_STRING = 0x0207;
const TEXT_OBJECT = 0x01b6;
const HEADER = 0x0014;
const FOOTER = 0x0015;
/** Excel 97 and later: strings are in Unicode. Before, they are in a code page. */
const UNICODE_VERSION = 0x0600;
const WIDE = 1;
const EXTENDED = 4;
const RICH = 8;

/** A record with those that continue it. */
interface ExcelRecord {
  readonly type: number;
  readonly parts: readonly Buffer[];
}

/**
 * Yields the texts of the cells of an Excel workbook (5 to 2003), also those that formulas return, of
 * comments and text boxes, and of headers and footers.
 *
 * @throws if it is encrypted, older, or damaged.
 */
export function* readExcelText(file: CompoundFile): Generator<string, void> {
  const stream = file.readStream('Workbook') ?? file.readStream('Book');
  if (stream === null) throw new RangeError('It is no workbook.');
  let isUnicode = true;
  let decoder = new TextDecoder('windows-1252');
  for (const { type, parts } of listRecords(stream)) {
    const [data = Buffer.alloc(0)] = parts;
    const readLabel = (at: number): string =>
      isUnicode
        ? readUnicode(parts, at)
        : decoder.decode(data.subarray(at + 2, at + 2 + data.readUInt16LE(at)));
    switch (type) {
      case BOF:
        isUnicode = data.readUInt16LE(0) === UNICODE_VERSION;
        break;
      case ENCRYPTED:
        throw new RangeError('It is encrypted.');
      case CODE_PAGE:
        decoder = getDecoder(data.readUInt16LE(0));
        break;
      case SHARED_STRINGS:
        yield* readSharedStrings(parts);
        break;
      case LABEL:
      case RICH_LABEL:
        yield readLabel(6);
        break;
      case FORMULA_STRING:
        yield readLabel(0);
        break;
      case TEXT_OBJECT:
        if (isUnicode) yield readTextObject(data, parts[1]);
        break;
      case HEADER:
      case FOOTER:
        if (data.length > 2)
          yield withoutHeaderCodes(
            isUnicode
              ? readUnicode(parts, 0)
              : decoder.decode(data.subarray(1, 1 + (data[0] ?? 0))),
          );
    }
  }
}

function* listRecords(stream: Buffer): Generator<ExcelRecord, void> {
  for (let at = 0; at + 4 <= stream.length;) {
    const type = stream.readUInt16LE(at);
    const parts: Buffer[] = [];
    do {
      const end = at + 4 + stream.readUInt16LE(at + 2);
      parts.push(stream.subarray(at + 4, end));
      at = end;
    } while (at + 4 <= stream.length && stream.readUInt16LE(at) === CONTINUE);
    yield { type, parts };
  }
}

/** Reads on from one part into the next one. */
interface PartReader {
  readonly isEnd: boolean;
  byte(): number;
  uint16(): number;
  uint32(): number;
  skip(bytes: number): void;
  /** Returns letters. Where a part begins, a byte says how many bytes the following ones have. */
  chars(count: number, isWide: boolean): string;
}

function makePartReader(parts: readonly Buffer[], from: number): PartReader {
  let n = 0;
  let at = from;
  /** Returns the part with the next byte, which may be the one after this. */
  function getPart(): Buffer {
    for (; n < parts.length; n += 1, at = 0) {
      const part = parts[n];
      if (part !== undefined && at < part.length) return part;
    }
    throw new RangeError('A record ends early.');
  }
  const byte = (): number => {
    const part = getPart();
    at += 1;
    return part[at - 1] ?? 0;
  };
  const uint16 = (): number => byte() + 0x100 * byte();
  return {
    get isEnd() {
      for (; n < parts.length; n += 1, at = 0) if (at < (parts[n]?.length ?? 0)) return false;
      return true;
    },
    byte,
    uint16,
    uint32: () => uint16() + 0x1_0000 * uint16(),
    skip(bytes) {
      for (let left = bytes; left > 0;) {
        const step = Math.min(left, getPart().length - at);
        at += step;
        left -= step;
      }
    },
    chars(count, isWide) {
      const texts: string[] = [];
      let bytesPerChar = isWide ? 2 : 1;
      for (let left = count; left > 0;) {
        const before = n;
        let part = getPart();
        if (n !== before) {
          bytesPerChar = (byte() & WIDE) === 0 ? 1 : 2;
          part = getPart();
        }
        const step = Math.min(left, Math.max(1, Math.floor((part.length - at) / bytesPerChar)));
        const end = at + step * bytesPerChar;
        texts.push(part.toString(bytesPerChar === 2 ? 'utf16le' : 'latin1', at, end));
        at = end;
        left -= step;
      }
      return texts.join('');
    },
  };
}

/** A string with its length in letters before it, which the end of the record may cut. */
function readUnicode(parts: readonly Buffer[], at: number): string {
  const reader = makePartReader(parts, at);
  const count = reader.uint16();
  return reader.chars(count, (reader.byte() & WIDE) !== 0);
}

/** The strings of all cells, each once. Their formats and readings are between them. */
function* readSharedStrings(parts: readonly Buffer[]): Generator<string, void> {
  const reader = makePartReader(parts, 8);
  while (!reader.isEnd) {
    const count = reader.uint16();
    const flags = reader.byte();
    const runs = (flags & RICH) === 0 ? 0 : reader.uint16();
    const extraBytes = (flags & EXTENDED) === 0 ? 0 : reader.uint32();
    yield reader.chars(count, (flags & WIDE) !== 0);
    reader.skip(4 * runs + extraBytes);
  }
}

/** The text of a comment or text box is in the record that continues it. */
function readTextObject(data: Buffer, next: Buffer | undefined): string {
  const count = data.length < 12 ? 0 : data.readUInt16LE(10);
  if (count === 0 || next === undefined) return '';
  return makePartReader([next], 1).chars(
    Math.min(count, next.length - 1),
    ((next[0] ?? 0) & WIDE) !== 0,
  );
}

/** Code pages of Windows, as encodings have their names elsewhere. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10_000, 'macintosh'],
  [0x8000, 'macintosh'],
  [1200, 'utf-16le'],
]);

function getDecoder(codePage: number): TextDecoder {
  try {
    return new TextDecoder(NAMES.get(codePage) ?? `windows-${codePage}`);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
