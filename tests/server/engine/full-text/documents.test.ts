import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TextFormat } from '#server/engine/embedded/full-text/text-format.ts';
import { getFileFormat } from '#server/engine/embedded/full-text/text-format.ts';
import { makeTextReader } from '#server/engine/embedded/full-text/text-reader.ts';
import { writeCompoundFile } from '#server/engine/embedded/msg/compound-file.ts';
import { systemClock } from '#server/platform/clock.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const reader = makeTextReader({ clock: systemClock });

/**
 * Documents with invented text. LibreOffice wrote letter.doc, ledger.xls, talk.ppt and ligatures.pdf,
 * Spreadsheet::WriteExcel formula.xls, Pango letters.pdf, and Chromium forms.pdf.
 */
function load(name: string): Buffer {
  const bytes = readFileSync(join(import.meta.dirname, 'documents', name));
  return name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

async function readWords(format: TextFormat, content: Uint8Array): Promise<readonly string[]> {
  const result = await reader.read(format, Uint8Array.from(content));
  if (result.kind !== 'read') throw new Error(result.kind);
  return result.value.split(' ');
}
const sorted = (text: string): readonly string[] => text.split(/\s+/).toSorted();

test('ENG-80: an older Word document has the words of its body, notes, header, comments and boxes, not deleted ones', async () => {
  expect(getFileFormat('Letter.DOC')).toBe('binary-office');
  const words = await readWords('binary-office', load('letter.doc.gz'));
  expect(words.toSorted()).toEqual(
    sorted(`the harbour closes at dusk flüge nach österreich σέριφος и мурманск buoys remain lit see
      timetable for cooperation left right footnoted remark letterhead of kestrel marine footing
      annotated thought boxed notice`),
  );
});

test('ENG-80: an older Excel workbook has the words of its cells, formulas, comments and headers', async () => {
  const words = await readWords('binary-office', load('ledger.xls.gz'));
  const berths = Array.from({ length: 900 }, (_, n) => `berth${String(n).padStart(4, '0')}`);
  expect(words.toSorted()).toEqual(
    [
      ...berths,
      ...sorted('quarter σέριφος tide длинный quay printed heading scribbled aside'),
    ].toSorted(),
  );
  // What a formula returns, and codes of a header.
  const others = await readWords('binary-office', load('formula.xls.gz'));
  expect(others.toSorted()).toEqual(sorted('anchorage computedword pinned note topline'));
});

test('ENG-80: an older PowerPoint presentation has the words of its slides, notes and comments, without its masters', async () => {
  const words = await readWords('binary-office', load('talk.ppt.gz'));
  expect(words.toSorted()).toEqual(
    sorted(`moorings of φολέγανδρος first berth gebühren second slide ann berg questioned figure
      whispered prompt`),
  );
});

/** A document as [MS-DOC] has it, whose text is in pieces of both kinds, out of their order. */
function writeDocument(flags: number): Uint8Array {
  const main = Buffer.alloc(2_048);
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0x00c1, 2);
  main.writeUInt16LE(flags, 10);
  const second =
    'bour \u0093lit\u0094 \u0013 IF \u0013x\u0014y\u0015\u0014s\u0013Q\u0014even\u0015\u0015\r';
  main.write(second, 1_600, 'latin1');
  main.write('Gruß Har', 1_024, 'utf16le');
  const pieces = Buffer.alloc(5 + 4 * 3 + 8 * 2);
  pieces[0] = 2;
  pieces.writeUInt32LE(28, 1);
  [0, 8, 8 + second.length].forEach((position, n) => pieces.writeUInt32LE(position, 5 + 4 * n));
  pieces.writeUInt32LE(1_024, 5 + 12 + 2);
  pieces.writeUInt32LE(0x4000_0000 + 2 * 1_600, 5 + 12 + 8 + 2);
  const table = Buffer.concat([Buffer.alloc(64), pieces]);
  main.writeUInt32LE(64, 0x1a2);
  main.writeUInt32LE(pieces.length, 0x1a6);
  return writeCompoundFile(
    {
      name: 'Root Entry',
      streams: [
        { name: 'WordDocument', bytes: main },
        { name: '0Table', bytes: table },
      ],
      storages: [],
    },
    new Uint8Array(16),
  );
}

test('ENG-80: the pieces of a Word document are joined, and one that is encrypted has no words', async () => {
  expect(await readWords('binary-office', writeDocument(0))).toEqual(
    'gruß harbour “lit” seven'.split(' '),
  );
  expect(await reader.read('binary-office', Uint8Array.from(writeDocument(0x0100)))).toEqual({
    kind: 'refused',
  });
});

const uint16 = (n: number): Buffer => Buffer.from([n & 0xff, n >> 8]);
const record = (type: number, ...parts: Buffer[]): Buffer => {
  const data = Buffer.concat(parts);
  return Buffer.concat([uint16(type), uint16(data.length), data]);
};

/** A workbook of Excel 5, whose strings are in a code page ([MS-XLS], and before it BIFF5). */
function writeOldWorkbook(codePage: number, text: Buffer, extra: readonly Buffer[] = []): Buffer {
  const stream = Buffer.concat([
    record(0x0809, uint16(0x0500), uint16(0x0005), uint16(0), uint16(0)),
    record(0x0042, uint16(codePage)),
    ...extra,
    record(0x0204, Buffer.alloc(6), uint16(text.length), text),
    record(0x000a),
  ]);
  const file = writeCompoundFile(
    { name: 'Root Entry', streams: [{ name: 'Book', bytes: stream }], storages: [] },
    new Uint8Array(16),
  );
  return Buffer.from(file);
}

test('ENG-80: an Excel 5 workbook is read in its code page, and an encrypted one has no words', async () => {
  const moscow = Buffer.from([0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0]);
  expect(await readWords('binary-office', writeOldWorkbook(1251, moscow))).toEqual(['москва']);
  const tokyo = Buffer.from([0x93, 0x8c, 0x8b, 0x9e]);
  expect(await readWords('binary-office', writeOldWorkbook(932, tokyo))).toEqual(['東京']);
  const encrypted = writeOldWorkbook(1251, moscow, [record(0x002f, Buffer.alloc(4))]);
  expect(await reader.read('binary-office', Uint8Array.from(encrypted))).toEqual({
    kind: 'refused',
  });
});

test('ENG-80: web pages that are named like older documents are read, and other bytes are not', async () => {
  const page = Buffer.from('<html><table><tr><td>Exported</td><td>row</td></tr></table></html>');
  expect(await readWords('binary-office', page)).toEqual(['exported', 'row']);
  for (const other of ['{\\rtf1 text}', 'plain text', ''])
    expect((await reader.read('binary-office', Uint8Array.from(Buffer.from(other)))).kind).toBe(
      'refused',
    );
});

test('G67: any change of an older document leaves it words or refuses it, and the next one is read', async () => {
  const names = ['letter.doc.gz', 'ledger.xls.gz', 'formula.xls.gz', 'talk.ppt.gz'];
  const seeds = names.map(load);
  const value = fc.oneof(fc.constantFrom(0, 1, 0x7fff_ffff, 0xffff_fffe), fc.nat(0xffff_ffff));
  const change = fc.record({ at: fc.nat(), value, isHead: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.option(fc.nat(), { freq: 8 }),
      async (seed, changes, cut) => {
        const bytes = Uint8Array.from(seed);
        const view = new DataView(bytes.buffer);
        for (const { at, value: put, isHead } of changes)
          view.setUint32(at % (isHead ? 4_096 : bytes.length - 4), put, true);
        const cutBytes = cut === null ? bytes : bytes.slice(0, cut % bytes.length);
        expect(['read', 'refused']).toContain((await reader.read('binary-office', cutBytes)).kind);
      },
    ),
    { numRuns: 300 * PROOF },
  );
  expect(await readWords('binary-office', load('letter.doc.gz'))).toContain('harbour');
});

const LINES = [
  'הגיבוי לא הסתיים אמש. בדקו את השטח הפנוי בדיסק C של השרת 42 פעמים.',
  'لم تكتمل النسخة الاحتياطية الليلة الماضية. تحقق من مساحة القرص على الخادم.',
  'Mixed שלום world مرحبا again',
];

test.each([
  ['letters.pdf', 'each letter on its own, where it belongs'],
  ['ligatures.pdf', 'signs of several letters'],
  ['forms.pdf', 'letters as they look within a word, from the left'],
])(
  'ENG-80: Hebrew and Arabic words of a PDF are found as they are written (%s: %s)',
  async (name) => {
    const words = await readWords('pdf', load(name));
    for (const line of LINES)
      expect(words).toEqual(
        expect.arrayContaining([...(await readWords('plain', Buffer.from(line)))]),
      );
    // No letter is a word of its own.
    expect(words.filter((word) => /^[\u0590-\u06ff]$/u.test(word))).toEqual([]);
  },
);
