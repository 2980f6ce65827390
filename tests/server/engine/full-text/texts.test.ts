import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import type * as PdfMake from 'pdfmake';
import type { Content } from 'pdfmake/interfaces.js';
import { beforeAll, expect, test } from 'vitest';
import { TEXT_FORMATS, type TextFormat } from '#server/engine/embedded/full-text/text-format.ts';
import { makeTextReader } from '#server/engine/embedded/full-text/text-reader.ts';
import { systemClock } from '#server/platform/clock.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'daybook-texts-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const reader = makeTextReader({ clock: systemClock });
const load = (name: string): Buffer => readFileSync(join(folder, name));

beforeAll(() => {
  // Python writes the documents: another program than the one that reads them.
  execFileSync('python3', [join(import.meta.dirname, 'make-office.py'), folder]);
}, 120_000);

/** Another program than the one that reads it. */
function printPdf(content: Content): Promise<Buffer> {
  const require = createRequire(import.meta.url);
  const pdfmake = require('pdfmake') as typeof PdfMake;
  const normal = join(
    dirname(require.resolve('dejavu-fonts-ttf/package.json')),
    'ttf',
    'DejaVuSans.ttf',
  );
  pdfmake.setFonts({ DejaVu: { normal } });
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((path) => path === normal);
  return pdfmake.createPdf({ content, defaultStyle: { font: 'DejaVu' } }).getBuffer();
}

async function readWords(format: TextFormat, content: Uint8Array | string): Promise<string[]> {
  const result = await reader.read(format, Buffer.from(content));
  if (result.kind !== 'read') throw new Error(result.kind);
  return result.value.split(' ');
}

test('ENG-80: the words of Word, Excel and PowerPoint documents are found, also across formats of a word', async () => {
  expect(await readWords('office', load('report.docx'))).toEqual([
    'harbour',
    'flüge',
    'more',
    'first',
    'second',
    'footnoted',
    'endnoted',
    'commented',
    'heading',
    'footing',
    'drawn',
  ]);
  expect((await readWords('office', load('sheet.xlsx'))).toSorted()).toEqual([
    '4711',
    'inlined',
    'quarter',
    'tidetable',
  ]);
  expect(await readWords('office', load('talk.pptx'))).toEqual(
    'moorings charted wider lower modernly whispered'.split(' '),
  );
});

test('ENG-80: the words of OpenDocument files are found, with notes, comments and headers and without what was deleted', async () => {
  const words = await readWords('open-document', load('report.odt'));
  expect(words.toSorted()).toEqual(
    '1 beside bo cell commented flüge footnoted harbour header more'.split(' ').toSorted(),
  );
});

test('ENG-80: the words of a PDF are found, with notes, form fields and words that a line break divides', async () => {
  const words = await readWords('pdf', load('berth.pdf'));
  for (const word of ['moored', 'harbour', 'stockholm', 'knots', 'remarked', 'entered'])
    expect(words).toContain(word);
  expect(words).not.toContain('scripted');
  const content: Content = [
    { text: 'Tide tables of Göteborg' },
    { text: 'Σέριφος', pageBreak: 'before' },
  ];
  const printed = await printPdf(content);
  expect(await readWords('pdf', printed)).toEqual(['tide', 'tables', 'of', 'göteborg', 'σέριφος']);
});

test('ENG-80: a mail has the words of its texts, attachments and attached mails, each once and no markup', async () => {
  const inner = [
    'From: Bo <bo@example.org>',
    'Subject: Inner matter',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'nested words',
  ].join('\r\n');
  const mime = [
    'From: Ann <ann@example.com>',
    'Subject: Outer',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<style>.hiddenclass{}</style><script>scripted()</script><p title="tooltip">Gr&ouml;&szlig;e</p><p>Gr&ouml;&szlig;e again</p>',
    '--x',
    'Content-Type: application/octet-stream',
    'Content-Disposition: attachment; filename="report.docx"',
    'Content-Transfer-Encoding: base64',
    '',
    load('report.docx').toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    '--x',
    'Content-Type: message/rfc822',
    'Content-Disposition: attachment; filename="inner.eml"',
    '',
    inner,
    '--x--',
    '',
  ].join('\r\n');
  const words = await readWords('mail', mime);
  const expected =
    'größe again report docx harbour flüge more first second footnoted endnoted commented heading footing drawn inner eml matter nested words';
  expect(words.toSorted()).toEqual(expected.split(' ').toSorted());
});

test('ENG-80: text files are read in their encodings, and other bytes have no words', async () => {
  expect(await readWords('plain', 'One_two, THREE!')).toEqual(['one', 'two', 'three']);
  expect(await readWords('plain', Buffer.from('\ufeffGröße', 'utf16le'))).toEqual(['größe']);
  expect(await readWords('plain', Buffer.from('Gr\u00f6\u00dfe', 'latin1'))).toEqual(['größe']);
  expect(await readWords('plain', Buffer.from([1, 0, 65, 66]))).toEqual(['']);
  expect(await readWords('html', '<p>alpha</p><p>beta</p>')).toEqual(['alpha', 'beta']);
});

const SENTENCES = {
  'gb18030': '备份任务昨天晚上没有完成，请检查服务器上的磁盘空间。',
  'big5': '備份工作昨天晚上沒有完成，請檢查伺服器上的磁碟空間。',
  'euc-kr': '어젯밤 백업 작업이 완료되지 않았습니다. 서버의 디스크 공간을 확인하십시오.',
  'shift_jis': '昨夜のバックアップは完了しませんでした。サーバーのディスク容量を確認してください。',
  'euc-jp': '昨夜のバックアップは完了しませんでした。サーバーのディスク容量を確認してください。',
  'iso2022_jp':
    '昨夜のバックアップは完了しませんでした。サーバーのディスク容量を確認してください。',
  'cp1251': 'Резервное копирование вчера вечером не завершилось. Проверьте место на диске сервера.',
  'koi8-r': 'Резервное копирование вчера вечером не завершилось. Проверьте место на диске сервера.',
  'cp1253': 'Το αντίγραφο ασφαλείας δεν ολοκληρώθηκε χθες το βράδυ. Ελέγξτε τον χώρο στον δίσκο.',
  'cp1255': 'הגיבוי לא הסתיים אמש. בדקו את השטח הפנוי בדיסק של השרת.',
  'cp1256': 'لم تكتمل النسخة الاحتياطية الليلة الماضية. تحقق من مساحة القرص على الخادم.',
  'cp1250': 'Zálohování včera večer nebylo dokončeno. Zkontrolujte místo na disku serveru, prosím.',
  'cp1252': 'Die Flüge nach Österreich sind gebucht, das Büro übernimmt die Gebühren – „schön“.',
};

/** Another program than the one that decodes them. */
const encodeText = (text: string, encoding: string): Buffer =>
  execFileSync(
    'python3',
    [
      '-c',
      "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().decode('utf-8').encode(sys.argv[1]))",
      encoding,
    ],
    { input: text },
  );

test.each(Object.entries(SENTENCES))(
  'ENG-80: a sentence in a text file encoded as %s has the words that it has in UTF-8',
  async (encoding, sentence) => {
    const bytes = encodeText(sentence, encoding);
    expect(bytes.equals(Buffer.from(sentence))).toBe(false);
    expect(await readWords('plain', bytes)).toEqual(await readWords('plain', sentence));
  },
);

const page = (encoding: string, text: string): string =>
  `<html><head><meta charset="${encoding}"></head><body><p>${text}</p></body></html>`;

test('ENG-80: a page is read in the encoding that it names, and in a likely one if it names none that exists', async () => {
  // Two letters are too few to find an encoding by.
  expect(await readWords('html', encodeText(page('gbk', '仓库'), 'gbk'))).toEqual(['仓库']);
  expect(await readWords('html', encodeText(page('iso-2022-jp', '倉庫'), 'iso2022_jp'))).toEqual([
    '倉庫',
  ]);
  const sentence = SENTENCES['euc-kr'];
  const wrong = encodeText(page('no-such-encoding', sentence), 'euc-kr');
  expect(await readWords('html', wrong)).toEqual(await readWords('plain', sentence));
});

const utc = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
const json = (format: TextFormat, value: object): Promise<string[]> =>
  readWords(format, JSON.stringify(value));

test('ENG-80: events, contacts, tasks, posts and rows have the words of what people wrote', async () => {
  expect(
    await json('outlook', {
      id: 'e',
      subject: 'Review',
      start: utc('2026-03-23T08:00:00'),
      end: utc('2026-03-23T08:30:00'),
      body: { contentType: 'html', content: '<b>Bring</b> charts' },
      location: { displayName: 'Quay' },
    }),
  ).toEqual(['review', 'quay', 'bring', 'charts']);
  const contact = await json('outlook', {
    id: 'c',
    personalNotes: 'Sails alone',
    photo: { contentType: 'image/png', contentBytes: 'cGhvdG8=' },
  });
  expect(contact).toContain('sails');
  expect(contact).not.toContain('cghvdg8');
  expect(
    await json('outlook', {
      id: 't',
      title: 'Order',
      status: 'notStarted',
      body: { contentType: 'text', content: 'two sizes' },
      checklistItems: [{ displayName: 'thin' }],
    }),
  ).toEqual(['two', 'sizes', 'thin']);
  expect(
    await json('post', {
      post: { id: '1', subject: null, body: { content: '<p>Low tide</p>' } },
      replies: [{ id: '2', body: { content: 'noted' } }],
    }),
  ).toEqual(['low', 'tide', 'noted']);
  expect(
    await json('row', {
      columns: [{ name: 'Hidden' }],
      fields: { Title: 'Berth', Tags: ['north'] },
    }),
  ).toEqual(['berth', 'north']);
});

test('ENG-80: at most 64 KB of words are kept', async () => {
  const all = Array.from({ length: 30_000 }, (_, n) => `word${n}`).join(' ');
  const words = await readWords('plain', `${all} ${'x'.repeat(300)}`);
  const bytes = Buffer.byteLength(words.join(' '));
  expect(bytes).toBeLessThanOrEqual(65_536);
  expect(bytes).toBeGreaterThan(65_000);
});

test('G67, G66: documents that grow too much, or that are made to be slow, are left out in time', async () => {
  expect(['read', 'refused']).toContain((await reader.read('office', load('bomb.docx'))).kind);
  expect(await readWords('office', load('open.docx'))).toEqual(['']);
  expect(await readWords('office', load('many.docx'))).toEqual(['']);
  for (const name of ['bomb.odt', 'circle.pdf'] as const) {
    const format = name.endsWith('pdf') ? 'pdf' : 'open-document';
    expect(['read', 'refused']).toContain((await reader.read(format, load(name))).kind);
  }
  // The next one is read as before.
  expect(await readWords('plain', 'still there')).toEqual(['still', 'there']);
});

test('G67: any bytes in any format have words or are refused', async () => {
  const seeds = ['report.docx', 'sheet.xlsx', 'talk.pptx', 'report.odt', 'berth.pdf'].map((name) =>
    load(name),
  );
  const cut = fc.record({ at: fc.nat(4_000), bytes: fc.uint8Array({ maxLength: 12 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TEXT_FORMATS),
      fc.oneof(
        fc.tuple(fc.constantFrom(...seeds), fc.array(cut, { minLength: 1, maxLength: 4 })),
        fc.tuple(fc.uint8Array({ maxLength: 500 }), fc.constant([])),
      ),
      async (format, [seed, cuts]) => {
        const bytes = Buffer.from(seed);
        for (const { at, bytes: put } of cuts)
          bytes.set(
            put.slice(0, Math.max(0, bytes.length - (at % bytes.length))),
            at % bytes.length,
          );
        expect(['read', 'refused']).toContain((await reader.read(format, bytes)).kind);
      },
    ),
    { numRuns: 500 * PROOF },
  );
});
