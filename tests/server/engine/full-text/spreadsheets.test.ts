import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  makeDocumentReader,
  makeTextReader,
} from '#server/engine/embedded/full-text/text-reader.ts';
import { systemClock } from '#server/platform/clock.ts';
import { makeZip } from '../../imports/archives.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'daybook-sheets-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const words = makeTextReader({ clock: systemClock });
const documents = makeDocumentReader({ clock: systemClock });
/** XlsxWriter wrote it. */
const LEDGER = readFileSync(join(import.meta.dirname, 'documents', 'ledger.xlsx'));
const load = (name: string): Buffer => readFileSync(join(folder, name));

beforeAll(() => {
  execFileSync('python3', [join(import.meta.dirname, 'make-office.py'), folder]);
}, 120_000);

async function readWords(content: Uint8Array): Promise<readonly string[]> {
  const result = await words.read('office', Uint8Array.from(content));
  if (result.kind !== 'read') throw new Error(result.kind);
  return result.value.split(' ');
}
async function readText(content: Uint8Array): Promise<string> {
  const result = await documents.read('office', Uint8Array.from(content));
  if (result.kind !== 'read') throw new Error(result.kind);
  return result.value.text;
}

/** What was given to the program that wrote it. */
const LINES = [
  'Ledger & notes',
  'Berth\tArrived\tTons\tPaid\tStay\tRate\tFee\tLeft',
  'Quay 7\t2026-03-23\t4711\tTRUE\t26:30:00\t0.25\t1177.75\t2026-03-24 17:45:30',
  'Pier north\t1900-02-28\t12.5\tFALSE\t0:05:00\t0.1\t1.25\t1999-12-31 23:59:59',
  '<Mole> & co\t\t-3\t\t\t1e+21',
  '\t\tQuay 7 moored\t#N/A\tHarbour lights',
  '',
  'Empty',
  '',
  'Times',
  // Each built-in format of a date or time, for March 23, 2026 at 17:45:27.
  ...Array.from({ length: 4 }, () => '2026-03-23'),
  '17:45',
  '17:45:27',
  '17:45',
  '17:45:27',
  '2026-03-23 17:45',
  '17:45:27',
  '1106513:45:27',
  '17:45:27',
];

test('RES-90: a workbook is shown with its sheets, a line for each row, tabs between cells, and dates, results and booleans', async () => {
  const text = await readText(LEDGER);
  expect(text.split('\n').slice(0, LINES.length)).toEqual(LINES);
  expect(text).toContain('Remarked aside');
  expect(text).toContain('Boxed notice');
});

test('RES-90: sheets are in the order of the workbook, with dates of 1904, other prefixes and texts in cells', async () => {
  const gap = '\t'.repeat(64);
  expect((await readText(load('cells.xlsx'))).split('\n')).toEqual([
    'Second & first',
    'Harbour\t\t1904-01-01\t1.1',
    `\tTRUE\t\ttwo lines${gap}#DIV/0!`,
    '2026-03-23 12:00\t44642.5\t-1\t12',
    '',
    'Later',
    '2026-03-23\t2026-03-23 17:45:30',
  ]);
});

test('ENG-80: the words of a workbook include its numbers, dates, results, comments, boxes, headers and names of sheets', async () => {
  const found = await readWords(LEDGER);
  for (const word of 'ledger quay north 4711 true 1177 75 2026 03 23 26 30 moored n harbour remarked boxed printed times'.split(
    ' ',
  ))
    expect(found).toContain(word);
  expect(found).not.toContain('arial');
  expect(await readWords(load('cells.xlsx'))).toEqual(
    expect.arrayContaining(['harbour', 'two', 'lines', 'div', '1904', '1']),
  );
});

test('ENG-80: texts have room before numbers', async () => {
  const found = await readWords(load('numbers.xlsx'));
  expect(found.slice(0, 2)).toEqual(['lastly', 'written']);
  expect(found).toContain('10000');
});

test('G67, G66: workbooks that grow too much or are made to be slow are read in time', async () => {
  expect((await readText(load('grown.xlsx'))).length).toBeLessThan(1_100_000);
  expect(await readWords(load('grown.xlsx'))).toEqual(['tide']);
  for (const name of ['deep.xlsx', 'open.xlsx']) expect(await readText(load(name))).toBe('');
  // A sheet over 32 MB isn't read.
  expect(await readText(load('large.xlsx'))).toBe('Large\nTexts remain');
  expect(await readWords(load('large.xlsx'))).toEqual(['texts', 'remain', 'large']);
});

/** Python reads the files of the workbook, as text. */
const listFiles = (): Record<string, string> =>
  JSON.parse(
    execFileSync(
      'python3',
      [
        '-c',
        `import io, json, sys, zipfile
files = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
print(json.dumps({name: files.read(name).decode('latin-1') for name in files.namelist()}))`,
      ],
      { input: LEDGER, encoding: 'utf8' },
    ),
  ) as Record<string, string>;

test('G67: any change of the XML of a workbook leaves it text or refuses it', async () => {
  const files = listFiles();
  const names = Object.keys(files).filter((name) => /^xl\/.*(?:xml|rels)$/.test(name));
  const piece = fc.oneof(
    fc.constantFrom('<', '>', '"', '</c>', '<row>', '<si>', '&#x110000;', 'r="ZZZZ9"', '1e400'),
    fc.string({ maxLength: 8 }),
  );
  const change = fc.tuple(fc.constantFrom(...names), fc.nat(), piece);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const changed = { ...files };
      for (const [name, place, put] of changes) {
        const text = changed[name] ?? '';
        const at = place % (text.length + 1);
        changed[name] = `${text.slice(0, at)}${put}${text.slice(at + put.length)}`;
      }
      const zip = makeZip(
        Object.entries(changed).map(([name, text]) => ({
          name,
          content: Buffer.from(text, 'latin1'),
        })),
      );
      const result = await documents.read('office', Uint8Array.from(zip));
      expect(['read', 'refused']).toContain(result.kind);
    }),
    { numRuns: 300 * PROOF },
  );
  expect((await readText(LEDGER)).startsWith('Ledger')).toBe(true);
});
