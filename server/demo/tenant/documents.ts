import { crc32, deflateRawSync } from 'node:zlib';
import { mixed } from '../random.ts';

/** The words of all made texts. */
export const WORDS = [
  'quay',
  'crane',
  'steel',
  'plate',
  'delivery',
  'order',
  'week',
  'plan',
  'budget',
  'harbour',
  'drawing',
  'bolt',
  'invoice',
  'meeting',
  'workshop',
  'transport',
  'contract',
  'weather',
] as const;

/** What programs need to open a file, before and after the bytes that make it as large as it is. */
export interface DocumentFrame {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

/** Writes lines of words, the same for the same seed. */
type Line = (n: number) => string;

/**
 * Returns the frame of a made document, archive or photo of `size` bytes by the ending of its name.
 * Null for other files, and for those that are too small.
 */
export function makeDocumentFrame(name: string, seed: number, size: number): DocumentFrame | null {
  const [stem = '', ending = ''] = name.split(/\.(?=[a-z]+$)/i);
  const make = FRAMES[ending.toLowerCase()];
  if (make === undefined) return null;
  const line: Line = (n) =>
    Array.from({ length: 12 }, (_, i) => WORDS[mixed(seed, n, i) % WORDS.length]).join(' ');
  const frame = make({ title: stem, line, seed, size });
  return frame.head.length + frame.tail.length <= size ? frame : null;
}

interface Wanted {
  readonly title: string;
  readonly line: Line;
  readonly seed: number;
  readonly size: number;
}

const LINES = 8;
const FRAMES: Readonly<Record<string, (wanted: Wanted) => DocumentFrame>> = {
  docx: (wanted) => makeZip(getWordParts(wanted), wanted.size),
  xlsx: (wanted) => makeZip(getExcelParts(wanted), wanted.size),
  pptx: (wanted) => makeZip(getSlideParts(wanted), wanted.size),
  zip: (wanted) => makeZip({ 'Read me.txt': getLines(wanted).join('\r\n') }, wanted.size),
  pdf: makePdf,
  jpg: ({ seed }) => ({ head: makePhoto(seed), tail: new Uint8Array() }),
};

const getLines = ({ title, line }: Wanted): readonly string[] => [
  title,
  ...Array.from({ length: LINES }, (_, n) => line(n)),
];

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** Lists the types of the parts of a package (ISO/IEC 29500-2), after its relations. */
const listTypes = (types: Readonly<Record<string, string>>): string =>
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${Object.entries(
    types,
  )
    .map(
      ([part, type]) =>
        `<Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
    )
    .join('')}</Types>`;

const relate = (type: string, target: string): string =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/${type}" Target="${target}"/></Relationships>`;

const getWordParts = (wanted: Wanted): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': listTypes({
    'word/document.xml': 'wordprocessingml.document.main',
  }),
  '_rels/.rels': relate('officeDocument', 'word/document.xml'),
  'word/document.xml': `${XML}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${getLines(
    wanted,
  )
    .map((text) => `<w:p><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`)
    .join('')}</w:body></w:document>`,
});

const getExcelParts = ({ title, line, seed }: Wanted): Readonly<Record<string, string>> => {
  const rows = Array.from({ length: LINES }, (_, n): readonly [string, number] => [
    line(n).split(' ').slice(0, 2).join(' '),
    mixed(seed, 'amount', n) % 10_000,
  ]);
  return {
    '[Content_Types].xml': listTypes({
      'xl/workbook.xml': 'spreadsheetml.sheet.main',
      'xl/worksheets/sheet1.xml': 'spreadsheetml.worksheet',
    }),
    '_rels/.rels': relate('officeDocument', 'xl/workbook.xml'),
    'xl/_rels/workbook.xml.rels': relate('worksheet', 'worksheets/sheet1.xml'),
    'xl/workbook.xml': `${XML}<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/worksheets/sheet1.xml': `${XML}<worksheet xmlns="${SHEET}"><sheetData><row>${makeCell(title)}</row>${rows
      .map(([what, amount]) => `<row>${makeCell(what)}<c><v>${amount}</v></c></row>`)
      .join('')}</sheetData></worksheet>`,
  };
};
const makeCell = (text: string): string =>
  `<c t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`;
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

const getSlideParts = (wanted: Wanted): Readonly<Record<string, string>> => ({
  '[Content_Types].xml': listTypes({
    'ppt/presentation.xml': 'presentationml.presentation.main',
    'ppt/slides/slide1.xml': 'presentationml.slide',
  }),
  '_rels/.rels': relate('officeDocument', 'ppt/presentation.xml'),
  'ppt/_rels/presentation.xml.rels': relate('slide', 'slides/slide1.xml'),
  'ppt/presentation.xml': `${XML}<p:presentation xmlns:p="${SLIDE}" xmlns:r="${OFFICE}"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/><p:notesSz cx="6858000" cy="9144000"/></p:presentation>`,
  'ppt/slides/slide1.xml': `${XML}<p:sld xmlns:p="${SLIDE}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/><p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>${getLines(
    wanted,
  )
    .map((text) => `<a:p><a:r><a:t>${escapeXml(text)}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
});
const SLIDE = 'http://schemas.openxmlformats.org/presentationml/2006/main';

/** 1 January 2026, as APPNOTE 4.4.6 counts dates. */
const ZIP_DATE = ((2026 - 1980) << 9) | (1 << 5) | 1;

/** Returns a ZIP archive (APPNOTE 6.3) of `size` bytes, with a gap before its directory. */
function makeZip(parts: Readonly<Record<string, string>>, size: number): DocumentFrame {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(parts)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const path = Buffer.from(name);
    // Version 2.0, names in UTF-8, deflated.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(ZIP_DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = [Buffer.from('PK\u0003\u0004'), common, path, packed];
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(at, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\0'), common, entry, path);
    files.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const entries = Buffer.concat(directory);
  const count = Object.keys(parts).length;
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(Math.max(0, size - entries.length - end.length), 16);
  return { head: Buffer.concat(files), tail: Buffer.concat([entries, end]) };
}

/** Returns a page (ISO 32000-1) with lines of text, and a stream that fills the file. */
function makePdf(wanted: Wanted): DocumentFrame {
  const text = getLines(wanted)
    .map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) '`)
    .join('\n');
  const content = Buffer.from(`BT /F1 11 Tf 16 TL 50 790 Td\n${text}\nET`, 'latin1');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    `<</Length ${content.length}>>stream\n${content.toString('latin1')}\nendstream`,
  ];
  const offsets: number[] = [];
  let head = '%PDF-1.7\n';
  for (const [index, object] of objects.entries()) {
    offsets.push(head.length);
    head += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  offsets.push(head.length);
  const table = `xref\n0 7\n0000000000 65535 f \n${offsets
    .map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
    .join('')}trailer\n<</Size 7/Root 1 0 R>>\nstartxref\n`;
  const closing = '\nendstream\nendobj\n';
  const end = (start: number): string => `${table}${String(start).padStart(10, '0')}\n%%EOF\n`;
  const tailLength = closing.length + end(0).length;
  const filled = Math.max(0, wanted.size - head.length - openStream(0).length - tailLength);
  return {
    head: Buffer.from(`${head}${openStream(filled)}`, 'latin1'),
    tail: Buffer.from(`${closing}${end(wanted.size - end(0).length)}`, 'latin1'),
  };
}

const openStream = (length: number): string =>
  `6 0 obj\n<</Length ${String(length).padStart(10, '0')}>>stream\n`;

const PHOTO = { columns: 20, rows: 15 } as const;

/**
 * Returns a baseline JPEG (ITU-T T.81) whose blocks of 8 pixels have one color each: a crane on a
 * quay.
 */
function makePhoto(seed: number): Buffer {
  const { columns, rows } = PHOTO;
  const bits: string[] = [];
  const before = [0, 0, 0];
  const crane = 3 + (mixed(seed, 'crane') % (columns - 9));
  for (let y = 0; y < rows; y += 1)
    for (let x = 0; x < columns; x += 1)
      for (const [part, level] of paint(x, y, crane, seed).entries()) {
        bits.push(encodeLevel(level - (before[part] ?? 0)));
        before[part] = level;
      }
  const coded = bits.join('');
  const body = Buffer.from(
    (coded.padEnd(Math.ceil(coded.length / 8) * 8, '1').match(/.{8}/g) ?? []).flatMap((byte) => {
      const value = Number.parseInt(byte, 2);
      // A byte of ones is followed by zero, as it would begin a marker.
      return value === 0xff ? [0xff, 0] : [value];
    }),
  );
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    // With 8 for each coefficient, a level is the mean of a block less 128.
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 8)]),
    segment(0xc0, [8, 0, rows * 8, 0, columns * 8, 3, ...COMPONENTS]),
    // The differences: 12 codes of 4 bits.
    segment(0xc4, [0, 0, 0, 0, 12, ...Array.from({ length: 12 }, () => 0), ...LEVELS]),
    // The other coefficients: one code of 1 bit, for the end of a block.
    segment(0xc4, [0x10, 1, ...Array.from({ length: 15 }, () => 0), 0]),
    segment(0xda, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0]),
    body,
    Buffer.from([0xff, 0xd9]),
  ]);
}
/** Their numbers, one sample in both directions, the first quantization table. */
const COMPONENTS = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0];
const LEVELS = Array.from({ length: 12 }, (_, n) => n);

function segment(marker: number, data: readonly number[]): Buffer {
  const length = data.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 255, ...data]);
}

/** Returns the color of a block as luminance, blue and red, each less 128. */
function paint(
  x: number,
  y: number,
  crane: number,
  seed: number,
): readonly [number, number, number] {
  const isCrane = (x === crane && y > 2 && y < 12) || (y === 3 && x >= crane - 2 && x < crane + 6);
  if (isCrane) return [-40, -30, 40];
  if (y >= 11) return [-70 + (mixed(seed, x, y) % 20), 20, -15];
  return [60 - y * 4 + (mixed(seed, 'sky') % 30), 10 + (mixed(seed, 'blue') % 20), -10];
}

/** Encodes a difference: how many bits it has, these bits, and the end of the block. */
function encodeLevel(difference: number): string {
  const length = Math.abs(difference).toString(2).length * (difference === 0 ? 0 : 1);
  const value = difference < 0 ? difference + 2 ** length - 1 : difference;
  const code = length.toString(2).padStart(4, '0');
  return `${code}${length === 0 ? '' : value.toString(2).padStart(length, '0')}0`;
}
