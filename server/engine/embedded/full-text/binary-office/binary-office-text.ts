import { htmlToText } from '../../formats/html-text.ts';
import { decodeText } from '../decode-text.ts';
import { readOfficeText } from '../office/office-text.ts';
import { isCompoundFile, openCompoundFile } from './compound-reader.ts';
import { readExcelText } from './excel-text.ts';
import { readPowerPointText } from './powerpoint-text.ts';
import { readWordText } from './word-text.ts';

/** Of a page, the first letters are enough for its words. */
const MAX_PAGE_BYTES = 4 << 20;
const ZIP = 'PK';

/**
 * Yields the texts of a Word, Excel or PowerPoint document of the time before 2007. Its content decides
 * which it is, not its name: newer documents and web pages are often named like older ones.
 *
 * @throws if it is none of them, encrypted, or damaged.
 */
export async function* readBinaryOfficeText(
  bytes: Uint8Array,
  isForPeople: boolean,
): AsyncGenerator<string, void> {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!isCompoundFile(file)) {
    if (file.toString('latin1', 0, ZIP.length) === ZIP) yield* readOfficeText(bytes, isForPeople);
    else yield readPage(file.subarray(0, MAX_PAGE_BYTES));
    return;
  }
  const compound = openCompoundFile(file);
  const read = READERS.find(([stream]) => compound.readStream(stream) !== null)?.[1];
  if (read === undefined) throw new RangeError('It is no document.');
  yield* read(compound);
}

const READERS = [
  ['WordDocument', readWordText],
  ['Workbook', readExcelText],
  ['Book', readExcelText],
  ['PowerPoint Document', readPowerPointText],
] as const;

/** What reports of other programs, and exports, often are. */
function readPage(file: Buffer): string {
  const text = decodeText(file, true);
  if (!/^\s*</.test(text)) throw new RangeError('It is no document.');
  return htmlToText(text);
}
