import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extractText } from 'unpdf';
import { expect, onTestFinished, test } from 'vitest';
import { makeBytes } from '#server/demo/tenant/content.ts';
import { toolMissing } from '../../e2e/tools.ts';

const made = (name: string, seed = 7, revision = 0) => ({ name, seed, revision });
const SIZES = [2_500, 4_096, 9_001, 70_000];
const KINDS = ['docx', 'xlsx', 'pptx', 'zip', 'pdf', 'jpg', 'dwg', 'txt'];

test('GRAPH-25, GRAPH-6: any range of a made file is the same part of the whole', () => {
  for (const ending of KINDS)
    for (const size of SIZES) {
      const file = made(`Minutes 3.${ending}`);
      const whole = makeBytes(file, size);
      expect(whole).toHaveLength(size);
      for (const [from, to] of [
        [0, 10],
        [5, 1_200],
        [1_000, 4_200],
        [size - 1_500, size],
        [size - 9, size + 50],
      ] as const)
        expect(Buffer.from(makeBytes(file, size, from, to))).toEqual(
          Buffer.from(whole.subarray(from, to)),
        );
    }
});

const noUnzip = toolMissing('unzip', 'unzip');
test.skipIf(noUnzip !== null)(
  `GRAPH-25: unzip finds no error in made documents and archives (${noUnzip ?? 'unzip'})`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-documents-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const inside = {
      docx: 'word/document.xml',
      xlsx: 'xl/worksheets/sheet1.xml',
      pptx: 'ppt/slides/slide1.xml',
      zip: 'Read me.txt',
    };
    for (const [ending, entry] of Object.entries(inside))
      for (const size of SIZES)
        for (const revision of [0, 1]) {
          const path = join(folder, `file.${ending}`);
          writeFileSync(path, makeBytes(made(`A & <b>.${ending}`, 7, revision), size));
          const tested = spawnSync('unzip', ['-tq', path], { encoding: 'utf8' });
          expect(tested.stdout + tested.stderr).toMatch(/^No errors detected/);
          expect(tested.status).toBe(0);
          const { stdout } = spawnSync('unzip', ['-p', path, entry], { encoding: 'utf8' });
          expect(stdout).toMatch(ending === 'zip' ? /^A & <b>\r\n/ : /A &amp; &lt;b&gt;/);
        }
  },
);

test('GRAPH-25: pdf.js finds the title and the lines of made PDFs', async () => {
  for (const size of SIZES) {
    const { text } = await extractText(makeBytes(made('Offer (2).pdf'), size), {
      mergePages: true,
    });
    expect(text).toMatch(/^Offer \(2\)\s/);
    expect(text.split(/\s+/).length).toBeGreaterThan(90);
  }
});

test('GRAPH-25: revisions and files have different texts', async () => {
  const texts = [await readPdf(1, 0), await readPdf(1, 1), await readPdf(2, 0)];
  expect(new Set(texts).size).toBe(3);
});

const readPdf = async (seed: number, revision: number): Promise<string> =>
  (await extractText(makeBytes(made('Offer.pdf', seed, revision), 9_000), { mergePages: true }))
    .text;
