import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OutputOf } from '#contract/calls.ts';
import { zipFolder } from '#src/features/backup/imports/folder-zip.ts';
import { eachDatabase } from '../db/databases.ts';
import { openLibrary } from '../restore/content.ts';
import { noPython } from './archives.ts';
import { must, openOffice, run, upload } from './office.ts';

type Import = OutputOf<'getImport'>;
interface Rows {
  readonly rows: readonly { readonly id: string; readonly name: string }[];
}

const folder = mkdtempSync(join(tmpdir(), 'daybook-import-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program of Python with `path`, the path of a ZIP file, and returns what it prints. */
function runPython(program: string, zip?: Uint8Array): unknown {
  const path = join(folder, 'files.zip');
  if (zip !== undefined) writeFileSync(path, zip);
  const text = `import json, sys, zipfile, hashlib, struct\npath = sys.argv[1]\n${program}`;
  const { stdout, stderr, status } = spawnSync('python3', ['-c', text, path]);
  if (status !== 0) throw new Error(stderr.toString());
  return stdout.length === 0 ? null : JSON.parse(stdout.toString());
}
const makeZip = (program: string): Buffer => {
  runPython(`
def add(archive, name, content, seconds=None, how=zipfile.ZIP_DEFLATED):
    info = zipfile.ZipInfo(name, (2021, 2, 3, 4, 5, 6))
    info.compress_type = how
    if seconds is not None: info.extra = struct.pack('<HHBi', 0x5455, 5, 1, seconds)
    archive.writestr(info, content)
with zipfile.ZipFile(path, 'w') as archive:
${program.replaceAll(/^/gm, '    ')}`);
  return readFileSync(join(folder, 'files.zip'));
};
/** What Python finds in a ZIP file: paths and hashes. */
const LIST = `
with zipfile.ZipFile(path) as archive:
    assert archive.testzip() is None
    print(json.dumps({i.filename: hashlib.sha256(archive.read(i)).hexdigest() for i in archive.infolist() if not i.is_dir()}))`;

/** Where a path leads in the drive: never out of it. */
const inDrive = (path: string): string => path.replace(/^(?:\.\.\/)+/, '');

eachDatabase((kind, openStore) => {
  test.skipIf(noPython !== '')(
    `IMP-8, G66: a ZIP archive of files becomes a drive with their bytes and dates, and the next one adds what differs (${kind}${noPython})`,
    async () => {
      const { library, PATH } = await openOffice(await openStore());
      const { admin, ours, read, ground: fixture, office } = library;
      const bytes = makeZip(`add(archive, 'Rota.txt', b'Monday', 1612345678)
add(archive, 'Pläne/2021/Hafen.txt', b'x' * 300000)
add(archive, 'Pläne/leer.bin', b'', how=zipfile.ZIP_STORED)
add(archive, '../../etc/Rota.txt', b'outside')
add(archive, 'Pläne/mail.eml', b'Subject: a file like others')`);
      const archive = { name: 'Share.zip', bytes, content: 'files' as const };
      const id = await upload(library, admin, PATH, { ...archive, mailbox: { name: 'Old share' } });
      expect(await run(library, id)).toBe(null);
      const done = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect([done.result, done.content, done.counts]).toEqual([
        'success',
        'files',
        { imported: 5, partial: 0, known: 0, skipped: 0, failed: 0 },
      ]);
      expect(done.folders.map(({ path, imported }) => [path, imported])).toEqual([
        ['/', 1],
        ['Pläne/2021', 1],
        ['Pläne', 2],
        ['etc', 1],
      ]);
      const session = await openLibrary(admin, ours, 'Veod');
      const at = `o365/restore/restoresessions/${session}/onedrives`;
      const drives = await must(admin<Rows>('GET', at));
      expect(drives.rows.map(({ name }) => name)).toEqual(['Old share']);
      const drive = drives.rows[0]?.id ?? '';
      const link = await must(admin<{ url: string }>('POST', `${at}/${drive}/download`, {}));
      const saved = runPython(LIST, (await read(link.url)).bytes) as Record<string, string>;
      const given = runPython(LIST, bytes) as Record<string, string>;
      expect(
        new Map(
          Object.entries(saved).map(([path, hash]) => [path.replace(/^Old share\//, ''), hash]),
        ),
      ).toEqual(new Map(Object.entries(given).map(([path, hash]) => [inDrive(path), hash])));
      const items = () =>
        fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
          sql
            .selectFrom('item')
            .select(['title', 'changed_at', 'bytes'])
            .where('tenant_id', '=', tenant)
            .orderBy('n')
            .execute(),
        );
      expect((await items()).map((row) => [row.title, row.changed_at, row.bytes])).toEqual([
        ['Rota.txt', 1_612_345_678_000, 6],
        ['Hafen.txt', Date.UTC(2021, 1, 3, 4, 5, 6), 300_000],
        ['leer.bin', Date.UTC(2021, 1, 3, 4, 5, 6), 0],
        ['Rota.txt', Date.UTC(2021, 1, 3, 4, 5, 6), 7],
        ['mail.eml', Date.UTC(2021, 1, 3, 4, 5, 6), 27],
      ]);

      const more = makeZip(`add(archive, 'Rota.txt', b'Tuesday', 1612999999)
add(archive, 'Pläne/2021/Hafen.txt', b'x' * 300000)
add(archive, 'Neu.txt', b'new')`);
      const { mailboxes } = await must(admin<OutputOf<'listImports'>>('GET', PATH));
      const mailbox = { id: mailboxes[0]?.id ?? '' };
      // Mail doesn't go into a drive.
      const wrong = { repositoryId: ours.repository, name: 'a.mbox', bytes: 5, mailbox };
      expect((await admin('POST', PATH, wrong)).status).toBe(404);
      fixture.pass(1_000);
      const next = await upload(library, admin, PATH, { ...archive, bytes: more, mailbox });
      await run(library, next);
      expect((await must(admin<Import>('GET', `${PATH}/${next}`))).counts).toEqual({
        imported: 2,
        partial: 0,
        known: 1,
        skipped: 0,
        failed: 0,
      });
      const after = await must(admin<OutputOf<'listImports'>>('GET', PATH));
      // The changed file has a second version.
      expect(after.mailboxes.map((known) => known.items)).toEqual([6]);
      expect(await items()).toHaveLength(7);

      fixture.pass(1_000);
      const broken = await upload(library, admin, PATH, {
        ...archive,
        bytes: Buffer.from('From ann@example.com Tue Nov  3 09:00:00 2020\n\n'),
      });
      await run(library, broken);
      expect((await must(admin<Import>('GET', `${PATH}/${broken}`))).message).toBe(
        'This file is not a ZIP archive of files.',
      );
    },
  );
});

test.skipIf(noPython !== '')(
  `IMP-8: a folder is sent as a ZIP file that other programs read, the same each time${noPython}`,
  async () => {
    const files = Array.from({ length: 300 }, (_, n) => ({
      path: `Fotos/${n % 7}/Bild ä${n}.txt`,
      file: new Blob([`content ${n} `.repeat(n * 40)]),
      modifiedAt: 1_600_000_000_000 + n * 1_000,
    }));
    const zip = Buffer.from(await (await zipFolder('Fotos', files)).arrayBuffer());
    const again = await zipFolder('Fotos', files.toReversed());
    expect(again.name).toBe('Fotos.zip');
    expect(zip.equals(Buffer.from(await again.arrayBuffer()))).toBe(true);
    const found = runPython(
      `
def seconds(extra):
    while extra:
        id, size = struct.unpack('<HH', extra[:4])
        if id == 0x5455: return struct.unpack('<Bi', extra[4:9])[1]
        extra = extra[4 + size:]
with zipfile.ZipFile(path) as archive:
    assert archive.testzip() is None
    print(json.dumps([[i.filename, hashlib.sha256(archive.read(i)).hexdigest(), seconds(i.extra)] for i in archive.infolist()]))`,
      zip,
    ) as readonly unknown[];
    const expected = await Promise.all(
      files.map(async ({ path, file, modifiedAt }) => [
        path,
        createHash('sha256')
          .update(await file.text())
          .digest('hex'),
        modifiedAt / 1_000,
      ]),
    );
    expect(new Set(found.map((row) => JSON.stringify(row)))).toEqual(
      new Set(expected.map((row) => JSON.stringify(row))),
    );
    const empty = await zipFolder('Leer', []);
    expect(runPython(LIST, Buffer.from(await empty.arrayBuffer()))).toEqual({});
  },
);
