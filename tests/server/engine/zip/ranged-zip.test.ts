import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
  openSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { safePart, uniqueNames } from '#server/engine/shared/entry-names.ts';
import { rangedZip, type ZipEntry } from '#server/engine/embedded/zip/ranged-zip.ts';

const missing = ['python3', 'unzip'].filter((tool) => spawnSync(tool, ['--help']).error);
const skipped = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`;

let dir = '';
beforeAll(() => void (dir = mkdtempSync(join(tmpdir(), 'daybook-zip-'))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function loadBytes(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const AT = Date.UTC(2026, 4, 17, 8, 30, 20);
function getZip(files: readonly (readonly [string, Buffer])[]) {
  const entries = files.map(([name, content]) => ({
    name,
    content,
    bytes: content.length,
    crc: crc32(content),
    modifiedAt: AT,
  }));
  return rangedZip(entries, async function* read({ content }, from, to) {
    // In pieces of uneven size.
    for (let at = from; at < to; at += 7) yield content.subarray(at, Math.min(to, at + 7));
  });
}

/** What Python's reader finds in an archive. */
const read = (file: string): { name: string; size: number; sha: string; time: number[] }[] =>
  JSON.parse(
    execFileSync(
      'python3',
      [
        '-c',
        'import hashlib,json,sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps([{"name":i.filename,"size":i.file_size,"sha":hashlib.sha256(z.read(i)).hexdigest(),"time":list(i.date_time)} for i in z.infolist()]))',
        file,
      ],
      { encoding: 'utf8' },
    ),
  ) as never;

test.skipIf(skipped !== '')(
  `DL-1: unzip and another reader find every file of an archive with its bytes, name and time${skipped}`,
  async () => {
    const files = [
      ['Inbox/Grüße 💾.eml', Buffer.from('Subject: a\r\n\r\nb')],
      ['empty.txt', Buffer.alloc(0)],
      ['Reports/2026/budget.xlsx', Buffer.alloc(200_000, 'x7')],
    ] as const;
    const zip = getZip(files);
    const whole = await loadBytes(zip.read(0, zip.bytes));
    expect(whole.length).toBe(zip.bytes);
    const file = join(dir, 'a.zip');
    writeFileSync(file, whole);
    execFileSync('unzip', ['-tq', file]);
    expect(read(file)).toEqual(
      files.map(([name, content]) => ({
        name,
        size: content.length,
        sha: createHash('sha256').update(content).digest('hex'),
        time: [2026, 5, 17, 8, 30, 20],
      })),
    );
  },
);

test.skipIf(skipped !== '')(
  `DL-1: an archive without files is a valid archive${skipped}`,
  async () => {
    const zip = getZip([]);
    const file = join(dir, 'empty.zip');
    writeFileSync(file, await loadBytes(zip.read(0, zip.bytes)));
    expect(read(file)).toEqual([]);
  },
);

test('DL-2: any range of an archive has the bytes of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.string({ minLength: 1, maxLength: 9 }), fc.uint8Array({ maxLength: 60 })),
        {
          maxLength: 6,
        },
      ),
      fc.array(fc.nat(), { minLength: 2, maxLength: 12 }),
      async (files, cuts) => {
        const zip = getZip(files.map(([name, content]) => [name, Buffer.from(content)] as const));
        const whole = await loadBytes(zip.read(0, zip.bytes));
        expect(whole.length).toBe(zip.bytes);
        const at = [...new Set([0, zip.bytes, ...cuts.map((cut) => cut % (zip.bytes + 1))])];
        at.sort((a, b) => a - b);
        for (const from of at)
          for (const to of at)
            if (from <= to)
              expect(await loadBytes(zip.read(from, to))).toEqual(whole.subarray(from, to));
      },
    ),
    { numRuns: 60 },
  );
});

test.skipIf(skipped !== '')(
  `DL-1: archives with more than 65,535 files and of more than 4 GB are read by another reader${skipped}`,
  async () => {
    const GB5 = 5 * 2 ** 30;
    const entries: ZipEntry[] = [
      { name: 'large.bin', bytes: GB5, crc: 1, modifiedAt: AT },
      ...Array.from({ length: 70_000 }, (_, n) => ({
        name: `${n}.txt`,
        bytes: 0,
        crc: 0,
        modifiedAt: AT,
      })),
    ];
    const zip = rangedZip(entries, async function* none() {});
    const header = await loadBytes(zip.read(0, 60));
    const tail = await loadBytes(zip.read(GB5 + 80, zip.bytes));
    const file = join(dir, 'large.zip');
    writeFileSync(file, '');
    truncateSync(file, zip.bytes);
    const open = openSync(file, 'r+');
    writeSync(open, header, 0, header.length, 0);
    writeSync(open, tail, 0, tail.length, GB5 + 80);
    closeSync(open);
    const found = execFileSync(
      'python3',
      [
        '-c',
        'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\ni=z.infolist()\nprint(len(i),i[0].file_size,i[0].filename,i[70000].filename,len(z.read(i[70000])))',
        file,
      ],
      { encoding: 'utf8' },
    );
    expect(found.trim()).toBe(`70001 ${GB5} large.bin 69999.txt 0`);
  },
);

test('DL-2: content that is shorter or longer than its size fails instead of shifting what follows', async () => {
  for (const input of [3, 5]) {
    const zip = rangedZip(
      [{ name: 'a', bytes: 4, crc: 0, modifiedAt: 0 }],
      async function* wrong() {
        yield new Uint8Array(input);
      },
    );
    await expect(loadBytes(zip.read(0, zip.bytes))).rejects.toThrow('differs from its size');
  }
});

test('G66: names from content never leave the folder of the archive, and stay apart', () => {
  const names = uniqueNames([
    ['..', '..', 'etc', 'passwd'],
    ['/etc/passwd'],
    ['C:\\Windows\\evil.dll'],
    ['Inbox', 'a\u202Egpj.exe'],
    ['Inbox', 'A\u202Egpj.EXE'],
    ['CON'],
    ['nul.txt'],
    [''],
    ['. .'],
    ['x'.repeat(300) + '.docx'],
    ['Inbox'],
    ['tab\there\u0000'],
    ['\ud800lonely'],
  ]);
  expect(names).toEqual([
    'unnamed/unnamed/etc/passwd',
    '_etc_passwd',
    'C__Windows_evil.dll',
    'Inbox/agpj.exe',
    'Inbox/Agpj (2).EXE',
    '_CON',
    '_nul.txt',
    'unnamed (2)',
    'unnamed (3)',
    `${'x'.repeat(115)}.docx`,
    'Inbox (2)',
    'tabhere',
    '\ufffdlonely',
  ]);
});

test('G66: 500 hostile names become single, safe parts', () => {
  const pieces = fc.constantFrom(
    '..',
    '/',
    '\\',
    '\0',
    '\u202e',
    ':',
    'con',
    '.',
    ' ',
    'a',
    '💾',
    'ß',
    '\n',
    '~',
    '$',
    '`',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const name = safePart(parts.join(''));
      expect(name).not.toMatch(/[\p{Cc}/\\:*?"<>|\u202a-\u202e\u2066-\u2069]|^\.|\.$|^\s|\s$/u);
      expect(name.length).toBeGreaterThan(0);
      expect(['.', '..']).not.toContain(name);
      expect(name.split('.')[0]?.toLowerCase()).not.toBe('con');
    }),
    { numRuns: 500 },
  );
});

test('G66: thousands of equal names get numbers in linear time', () => {
  const names = uniqueNames(Array.from({ length: 20_000 }, () => ['Inbox', 'Report.eml']));
  expect(new Set(names).size).toBe(20_000);
  expect(names[19_999]).toBe('Inbox/Report (20000).eml');
});
