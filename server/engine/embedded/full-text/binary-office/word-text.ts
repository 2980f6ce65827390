import type { CompoundFile } from './compound-reader.ts';

// Offsets and names are those of [MS-DOC].
const MAGIC = 0xa5ec;
/** The first version with Unicode and with all offsets that are used here: Word 97. */
const WORD_97 = 0x00c1;
const ENCRYPTED = 0x0100;
const SECOND_TABLE = 0x0200;
const PIECES = 0x02;
const PIECE_PROPERTIES = 0x01;
const COMPRESSED = 0x4000_0000;
const PAGE_BYTES = 512;
const DELETED = 0x0800;
/** Of a long text, the first letters are enough for its words. */
const MAX_CHARS = 4 << 20;

interface Range {
  readonly from: number;
  readonly to: number;
}
/** A piece of the text: where it is, with one byte for a letter or with two. */
interface Piece extends Range {
  readonly isWide: boolean;
}

/**
 * Yields the text of a Word document (97 to 2003): that of its body, notes, headers, footers, comments
 * and text boxes, without what was deleted while changes were tracked.
 *
 * @throws if it is encrypted, older, or damaged.
 */
export function* readWordText(file: CompoundFile): Generator<string, void> {
  const main = file.readStream('WordDocument');
  if (main === null || main.readUInt16LE(0) !== MAGIC) throw new RangeError('It is no document.');
  const flags = main.readUInt16LE(10);
  if (main.readUInt16LE(2) < WORD_97 || (flags & ENCRYPTED) !== 0)
    throw new RangeError('It is encrypted, or older than what can be read.');
  const table = file.readStream((flags & SECOND_TABLE) === 0 ? '0Table' : '1Table');
  if (table === null) throw new RangeError('It has no table.');
  const deleted = listDeleted(main, getPart(main, table, 0xfa));
  const texts: string[] = [];
  for (const piece of listPieces(getPart(main, table, 0x1a2), main.length))
    for (const { from, to } of subtract(piece, deleted))
      texts.push(
        piece.isWide
          ? main.toString('utf16le', from, to)
          : new TextDecoder('windows-1252').decode(main.subarray(from, to)),
      );
  yield getPrinted(texts.join('').slice(0, MAX_CHARS));
}

/** A part of the table that the header names by where it is and how long. */
function getPart(main: Buffer, table: Buffer, at: number): Buffer {
  const from = main.readUInt32LE(at);
  return table.subarray(from, from + main.readUInt32LE(at + 4));
}

function listPieces(clx: Buffer, limit: number): readonly Piece[] {
  let at = 0;
  while (clx[at] === PIECE_PROPERTIES) at += 3 + clx.readUInt16LE(at + 1);
  if (clx[at] !== PIECES) throw new RangeError('It has no list of pieces.');
  const list = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
  const count = Math.floor((list.length - 4) / 12);
  const pieces: Piece[] = [];
  let total = 0;
  for (let n = 0; n < count; n += 1) {
    const chars = list.readUInt32LE(4 * (n + 1)) - list.readUInt32LE(4 * n);
    const place = list.readUInt32LE(4 * (count + 1) + 8 * n + 2);
    const isWide = (place & COMPRESSED) === 0;
    const offset = place & (COMPRESSED - 1);
    const from = isWide ? offset : offset / 2;
    const to = from + chars * (isWide ? 2 : 1);
    total += to - from;
    // Pieces don't overlap: all together are no longer than the stream.
    if (chars < 0 || total > limit) throw new RangeError('Its pieces are longer than it.');
    pieces.push({ from, to, isWide });
  }
  return pieces;
}

/** What was deleted while changes were tracked, in the order of the stream. */
function listDeleted(main: Buffer, list: Buffer): readonly Range[] {
  const count = Math.max(0, Math.floor((list.length - 4) / 8));
  const deleted: Range[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = (list.readUInt32LE(4 * (count + 1) + 4 * n) & 0x3f_ffff) * PAGE_BYTES;
    const page = main.subarray(at, at + PAGE_BYTES);
    const runs = page[PAGE_BYTES - 1] ?? 0;
    for (let run = 0; run < runs; run += 1) {
      const place = 2 * page.readUInt8(4 * (runs + 1) + run);
      if (place === 0) continue;
      const properties = page.subarray(place + 1, place + 1 + page.readUInt8(place));
      if (isDeleted(properties))
        deleted.push({ from: page.readUInt32LE(4 * run), to: page.readUInt32LE(4 * run + 4) });
    }
  }
  return deleted.toSorted((a, b) => a.from - b.from);
}

/** Sizes of operands by the upper three bits of a property's code; its first byte says it: 0. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3];

function isDeleted(properties: Buffer): boolean {
  for (let at = 0; at + 2 < properties.length;) {
    const code = properties.readUInt16LE(at);
    if (code === DELETED) return properties[at + 2] === 1;
    const bytes = OPERAND_BYTES[code >>> 13] ?? 0;
    at += 2 + (bytes === 0 ? 1 + (properties[at + 2] ?? 0) : bytes);
  }
  return false;
}

function subtract({ from, to }: Range, ranges: readonly Range[]): readonly Range[] {
  const left: Range[] = [];
  let at = from;
  for (const range of ranges) {
    if (range.to <= at || range.from >= to) continue;
    if (range.from > at) left.push({ from: at, to: range.from });
    at = range.to;
  }
  if (at < to) left.push({ from: at, to });
  return left;
}

// Characters with a meaning of their own ([MS-DOC] 2.4.3).
const FIELD_BEGIN = '\u0013';
const FIELD_RESULT = '\u0014';
const FIELD_END = '\u0015';
/** Marks of notes, comments and pictures, and hyphens that are only seen at the end of a line. */
const UNSEEN: ReadonlySet<string> = new Set('\u0001\u0002\u0005\u0008\u001f\u00ad');
const SEEN: Readonly<Record<string, string>> = { '\u001e': '-', '\u0007': ' ' };

/** Returns the text that is printed: of a field, its result and not what it is computed from. */
function getPrinted(text: string): string {
  const printed: string[] = [];
  /** How many fields are open, and from which one on only what it is computed from was seen. */
  let depth = 0;
  let hiddenFrom = Number.POSITIVE_INFINITY;
  for (const char of text) {
    if (char === FIELD_BEGIN) {
      depth += 1;
      hiddenFrom = Math.min(hiddenFrom, depth);
    } else if (char === FIELD_RESULT) {
      if (hiddenFrom === depth) hiddenFrom = Number.POSITIVE_INFINITY;
    } else if (char === FIELD_END) {
      if (hiddenFrom === depth) hiddenFrom = Number.POSITIVE_INFINITY;
      depth = Math.max(0, depth - 1);
    } else if (depth < hiddenFrom && !UNSEEN.has(char)) printed.push(SEEN[char] ?? char);
  }
  return printed.join('');
}
