import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { makeDocumentReader } from '#server/engine/embedded/full-text/text-reader.ts';
import { showFile } from '#server/features/restore/preview/show-file.ts';
import { mailPage } from '#server/features/restore/preview/mail-page.ts';
import { systemClock } from '#server/platform/clock.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aLibrary, cookiesIn, openLibrary, readingsIn, type StoredFile } from './content.ts';
import { MORE_HOSTILE_FILES, PICTURES } from './hostile-files.ts';
import { signInOperator, storeDirectory } from './operators.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'daybook-files-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const load = (name: string): Buffer => readFileSync(join(folder, name));
const documents = makeDocumentReader({ clock: systemClock });

beforeAll(() => {
  // Python writes the documents: another program than the one that reads them.
  execFileSync('python3', [
    join(import.meta.dirname, '../engine/full-text/make-office.py'),
    folder,
  ]);
}, 120_000);

interface Preview {
  readonly url: string;
  readonly shows: string;
  readonly isShortened: boolean;
  readonly bytes: number;
}
const createPreview = (who: Asker, session: string, file: string) =>
  who<Preview>('POST', `o365/restore/restoresessions/${session}/files/${file}/preview`);
const file = (title: string, content: Uint8Array | string): StoredFile => ({
  path: ['Documents'],
  title,
  content: Buffer.from(content),
});

anyDatabase((kind, open) => {
  test(`RES-90, G64: pictures, texts and the texts of documents are shown by their bytes, anything else says why not (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { admin, ours, visit } = library;
    const ids = await library.store(ours, 1, 'drive', [
      ...Object.entries(PICTURES).map(([type, bytes]) => file(`${type}.txt`, bytes)),
      file('plain.png', 'First line\r\nSecond <b>line</b> & more\n'),
      file('page.html', '<script>steal()</script><img src=x onerror=steal()>'),
      file('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="steal()"/>'),
      file('report.bin', load('report.docx')),
      file('sheet.xlsx', load('sheet.xlsx')),
      file('talk.pptx', load('talk.pptx')),
      file('report.odt', load('report.odt')),
      file('program.pdf', Buffer.from([0x4d, 0x5a, 0, 1, 2, 3])),
      file(
        'broken.docx',
        Buffer.concat([load('report.docx').subarray(0, 300), Buffer.from('word/document.xml')]),
      ),
      file('empty.txt', ''),
      file('large.txt', new Uint8Array((32 << 20) + 1).fill(97)),
      file('long.txt', 'word '.repeat(300_000)),
    ]);
    const session = await openLibrary(admin, ours, 'Veod');
    const show = async (title: string): Promise<readonly [string, string]> => {
      const answer = await createPreview(admin, session, ids.get(title) ?? '');
      if (answer.status !== 200) return [answer.body.error.kind, answer.body.message];
      const { url, shows } = answer.body.data;
      const shown = await visit(url, cookiesIn(answer));
      expect(shown.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      expect((await visit(url, cookiesIn(answer))).status, 'it opens once').toBe(404);
      return [shows, shown.text];
    };
    for (const [type, bytes] of Object.entries(PICTURES)) {
      const [shows, page] = await show(`${type}.txt`);
      expect(shows).toBe('picture');
      expect(page).toContain(
        `src="data:image/${type};base64,${Buffer.from(bytes).toString('base64')}"`,
      );
    }
    const [shows, text] = await show('plain.png');
    expect(shows).toBe('text');
    expect(text).toContain('<pre>First line\nSecond &lt;b&gt;line&lt;/b&gt; &amp; more');
    for (const name of ['page.html', 'drawing.svg']) {
      const [source, page] = await show(name);
      expect([name, source]).toEqual([name, 'text']);
      expect(page).toContain('steal()');
      expect(page).not.toMatch(/<script|<svg|<img/);
    }
    for (const [name, words] of [
      ['report.bin', /^Harbour Flüge &amp; more\nFirst second\n/],
      ['sheet.xlsx', /[a-z]{3}/],
      ['talk.pptx', /[a-z]{3}/],
      ['report.odt', /[a-z]{3}/],
    ] as const) {
      const [of, page] = await show(name);
      expect([name, of]).toEqual([name, 'document']);
      expect(/<pre>([^]*)<\/pre>/.exec(page)?.[1]).toMatch(words);
    }
    expect(await show('program.pdf')).toEqual([
      'conflict',
      expect.stringContaining('Only pictures (PNG, JPEG, GIF and WebP), texts'),
    ]);
    expect((await show('broken.docx'))[0]).toBe('conflict');
    expect(await show('empty.txt')).toEqual(['conflict', 'This file is empty.']);
    expect(await show('large.txt')).toEqual(['conflict', expect.stringContaining('32 MB')]);
    const long = await createPreview(admin, session, ids.get('long.txt') ?? '');
    expect(long.body.data).toMatchObject({ shows: 'text', isShortened: true, bytes: 1_500_000 });
  });

  test(`RES-90, G63, G65: a file is shown to who may read it, in the browser that asked, and each reading is recorded (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { ground: fixture, office, admin, ours, theirs, visit } = library;
    const ids = await library.store(ours, 11, 'drive', [file('plain.txt', 'Words')]);
    await library.store(theirs, 12, 'drive', [file('canary.txt', 'Canary')]);
    const id = ids.get('plain.txt') ?? '';
    const session = await openLibrary(admin, ours, 'Veod');
    const before = await readingsIn(library);
    const made = await createPreview(admin, session, id);
    const other = await createPreview(admin, session, id);
    const { url } = made.body.data;
    expect((await readingsIn(library)).slice(before.length)).toEqual([
      expect.objectContaining({ read: 'content', session, node: id, as: 'raw' }),
      expect.objectContaining({ read: 'content', session, node: id, as: 'raw' }),
    ]);
    expect((await visit(url)).status).toBe(404);
    expect((await visit(url, cookiesIn(other))).status).toBe(404);
    // Another server of the same database reads the file again.
    fixture.context.mailPreviews.bodies.clear();
    expect((await visit(url, cookiesIn(made))).text).toContain('<pre>Words');
    expect((await readingsIn(library)).slice(before.length + 2)).toContainEqual(
      expect.objectContaining({ read: 'preview', session, node: id }),
    );
    fixture.pass(61_000);
    expect((await visit(other.body.data.url, cookiesIn(other))).status, 'a minute').toBe(404);

    const cora = await office.as('cora', ['o365_admin'], [1]);
    expect((await createPreview(cora, session, id)).status, 'the session of another').toBe(404);
    const own = await openLibrary(cora, ours, 'Veod');
    for (const node of ['i12.1', 'o11', 'f11.1', 'i11.99', 'x'])
      expect([node, (await createPreview(cora, own, node)).status]).toEqual([node, 404]);
    const reader = await office.as('rita', ['read-only'], [1]);
    expect((await createPreview(reader, own, id)).status).toBe(403);
  });

  test(`RES-90, RES-53: a restore operator sees files of its scope, and none without the right to read (${kind})`, async () => {
    const library = await aLibrary(await open());
    const { ground: fixture, admin, ours } = library;
    const bench = { ...library, engine: fixture.context.embeddedEngine };
    const ids = await library.store(ours, 1, 'drive', [file('plain.txt', 'Words')]);
    await library.store(ours, 2, 'drive', [file('other.txt', 'Others')]);
    await storeDirectory(
      bench,
      ours.organization,
      ['user-1', 'user-2', 'user-9'].map((id) => ({ kind: 'user', id })),
      {},
    );
    const path = `o365/organizations/${ours.organization}/restore-roles`;
    const role = {
      name: 'Reception',
      operators: [{ type: 'User', id: 'user-9' }],
      roleType: 'SpecificObjects',
      selectedItems: [{ type: 'User', id: 'user-1' }],
      excludedItems: [],
    };
    const created = await admin<{ id: string }>('POST', path, role);
    const operator = await signInOperator(bench, ours.organization, 'user-9');
    const session = await openLibrary(operator, ours, 'Veod');
    const id = ids.get('plain.txt') ?? '';
    expect((await createPreview(operator, session, id)).body.data.shows).toBe('text');
    expect((await createPreview(operator, session, 'i2.1')).status).toBe(404);
    await admin('PUT', `${path}/${created.body.data.id}`, { ...role, withoutReading: true });
    const refused = await createPreview(operator, session, id);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      "Your role doesn't allow reading this item.",
    ]);
  });
});

test('G64: no hostile file makes a page that runs, loads or leads anywhere', async () => {
  for (const [name, bytes] of Object.entries(MORE_HOSTILE_FILES)) {
    const shown = await showFile(documents, bytes);
    if (!shown.ok) continue;
    const page = mailPage(shown.value.body, null);
    const inner = /<body>([^]*)<\/body>/.exec(page)?.[1] ?? '';
    const tags = [...inner.matchAll(/<[^>]*>/g)].map(([tag]) => tag);
    const allowed =
      shown.value.shows === 'picture'
        ? /^(?:<main class="paper">|<\/main>|<img alt="Picture" src="data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+">)$/
        : /^<\/?pre>$/;
    expect([name, tags.filter((tag) => !allowed.test(tag))]).toEqual([name, []]);
    // The page has one element, whatever the file says.
    expect([name, tags.length]).toEqual([name, shown.value.shows === 'picture' ? 3 : 2]);
  }
});

test('G67, G66: documents that grow too much or are made to be slow cost one preview', async () => {
  for (const name of ['bomb.docx', 'bomb.odt', 'circle.pdf', 'many.docx'])
    expect([name, (await showFile(documents, load(name))).ok]).toEqual([name, false]);
  const short = makeDocumentReader({ clock: systemClock }, { timeoutMs: 1 });
  expect((await showFile(short, load('report.docx'))).ok).toBe(false);
  const next = await showFile(documents, Buffer.from('still there'));
  expect(next.ok && next.value.body.content).toBe('still there');
});

test('G67: files of any bytes are shown or refused, and the next one is shown as before', async () => {
  const seeds = ['report.docx', 'sheet.xlsx', 'report.odt', 'berth.pdf'].map(load);
  const cut = fc.record({ at: fc.nat(4_000), bytes: fc.uint8Array({ maxLength: 12 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds, ...Object.values(PICTURES).map((bytes) => Buffer.from(bytes))),
      fc.array(cut, { minLength: 1, maxLength: 4 }),
      async (seed, cuts) => {
        const bytes = Buffer.from(seed);
        for (const { at, bytes: put } of cuts) {
          const place = at % bytes.length;
          bytes.set(put.slice(0, bytes.length - place), place);
        }
        const shown = await showFile(documents, bytes);
        if (shown.ok) expect(['picture', 'text', 'document']).toContain(shown.value.shows);
        else expect(shown.failure.kind).toBe('conflict');
      },
    ),
    { numRuns: 300 * PROOF },
  );
  expect((await showFile(documents, Buffer.from('after'))).ok).toBe(true);
});
