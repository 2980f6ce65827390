import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PSTFile, type PSTFolder, type PSTMessage } from 'pst-extractor';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addFile,
  addFolder,
  addMail,
  addObject,
  addPoint,
} from '#tests/fakes/vb365/restore-state.ts';
import { anyDatabase } from '../db/databases.ts';
import { MsgReader } from '../engine/msg-reader.ts';
import { randomBytes } from '../engine/restic/fixtures.ts';
import { json } from '../outbound/listen.ts';
import { filesIn } from '../restore/downloading.ts';
import { type Bench, type Listed, startBench } from './bench.ts';

const MINUTE = 60_000;
/** How often the portal looks whether a download is still wanted. */
const CHECK_MS = 5_000;
const FILES = [
  ['a.txt', Buffer.from('the first file')],
  ['größe 田.bin', randomBytes(3, 400_000)],
  ['c.txt', Buffer.from('the third')],
] as const;

const absent = ['python3', 'unzip'].filter((tool) => spawnSync(tool, ['--help']).error);
const skipped = absent.length === 0 ? '' : ` (skipped: no ${absent.join(', ')})`;

/** Unpacks an archive with two other programs, which also test it. */
function unpack(bytes: Buffer): Map<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-vb365-zip-'));
  const file = join(folder, 'archive.zip');
  writeFileSync(file, bytes);
  execFileSync('unzip', ['-tq', file]);
  execFileSync('python3', [
    '-c',
    'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nz.extractall(sys.argv[2])',
    file,
    join(folder, 'files'),
  ]);
  return filesIn(join(folder, 'files'));
}

/** The subjects of the mails in a PST file, as another program reads them. */
function readSubjects(bytes: Buffer): string[] {
  const path = join(mkdtempSync(join(tmpdir(), 'daybook-vb365-pst-')), 'mails.pst');
  writeFileSync(path, bytes);
  const subjects: string[] = [];
  const walk = (folder: PSTFolder): void => {
    for (let mail = folder.getNextChild(); mail; mail = folder.getNextChild())
      subjects.push((mail as PSTMessage).subject);
    for (const child of folder.getSubFolders()) walk(child);
  };
  walk(new PSTFile(path).getRootFolder());
  return subjects;
}
const readMsg = (bytes: Buffer) => new MsgReader(new Uint8Array(bytes).buffer).getFileData();

anyDatabase((database, open) => {
  describe.each(['v8', 'v7'] as const)(`%s on ${database}`, (version) => {
    let bench: Bench;
    let mailbox = '';
    let inbox = '';
    let mails: readonly Listed[] = [];
    let drive = '';
    let folder = '';
    let documents: readonly Listed[] = [];

    beforeAll(async () => {
      bench = await startBench(version, await open(), ({ content }, organization, now) => {
        const box = addObject(content, organization, 'mailboxes', 'Ann Chovey');
        const own = addFolder(box, 'Inbox');
        for (const n of [1, 2, 3]) addMail(box, own, `Mail ${n}`, now - n * MINUTE);
        addMail(box, addFolder(box, 'Sent'), 'Sent mail', now - MINUTE);
        const files = addObject(content, organization, 'onedrives', 'Ann Chovey');
        const plans = addFolder(files, 'Plans');
        for (const [name, bytes] of FILES) addFile(files, plans, name, now - MINUTE, bytes);
        addFile(files, null, 'top.txt', now - MINUTE, Buffer.from('top'));
        addPoint(content, organization, now);
      });
      const session = await bench.openSession('Vex');
      mailbox = `${session}/mailboxes/${(await bench.list(`${session}/mailboxes`))[0]?.id ?? ''}`;
      inbox = (await bench.list(`${mailbox}/folders`))[0]?.id ?? '';
      mails = await bench.list(`${mailbox}/items?parentId=${inbox}`);
      const other = await bench.openSession('Veod');
      drive = `${other}/onedrives/${(await bench.list(`${other}/onedrives`))[0]?.id ?? ''}`;
      folder = (await bench.list(`${drive}/folders`))[0]?.id ?? '';
      documents = await bench.list(`${drive}/folders/${folder}/documents`);
    });
    afterAll(() => bench.stop());

    test('VB365-20: a file is downloaded as it is, whether or not the server says its size', async () => {
      for (const namesSizes of [true, false]) {
        bench.server.content.namesSizes = namesSizes;
        const started = await bench.startDownload(`${drive}/documents/download`, {
          documents: [documents[1]?.id],
        });
        expect(started).toMatchObject({ state: 'queued', name: FILES[1][0], isExact: true });
        const done = await bench.finishDownload(started.id);
        expect(done).toMatchObject({ state: 'ready', onServer: true, bytes: { total: 400_000 } });
        expect((await bench.readFile(done)).equals(FILES[1][1])).toBe(true);
      }
      bench.server.content.namesSizes = true;
    });

    test(`VB365-20: files, a folder and a drive are ZIP archives that other programs unpack${skipped}`, async (context) => {
      if (skipped !== '') return context.skip();
      for (const [path, body, names] of [
        [
          'documents/download',
          { documents: documents.slice(0, 2).map(({ id }) => id) },
          ['Plans/a.txt', 'Plans/größe 田.bin'],
        ],
        [`folders/${folder}/download`, {}, FILES.map(([name]) => `Plans/${name}`)],
        ['download', {}, [...FILES.map(([name]) => `Plans/${name}`), 'top.txt']],
      ] as const) {
        const { id, name } = await bench.startDownload(`${drive}/${path}`, body);
        expect(name).toMatch(/\.zip$/);
        const done = await bench.finishDownload(id);
        const files = unpack(await bench.readFile(done));
        expect([...files.keys()].toSorted()).toEqual(names.toSorted());
        expect(files.get('Plans/größe 田.bin')?.equals(FILES[1][1])).toBe(true);
      }
    });

    test(`VB365-21: a mail is an MSG file, and several are in a ZIP archive${skipped}`, async (context) => {
      const one = await bench.startDownload(`${mailbox}/items/download`, {
        items: [mails[0]?.id],
        format: 'msg',
      });
      expect(one).toMatchObject({ name: 'Mail 1.msg', format: 'msg', isExact: false });
      const read = readMsg(await bench.readFile(await bench.finishDownload(one.id)));
      expect([read.subject, read.body]).toEqual(['Mail 1', 'The text of Mail 1.']);
      if (skipped !== '') return context.skip();
      // Without a format, too.
      const several = await bench.startDownload(`${mailbox}/items/download`, {
        items: mails.slice(1).map(({ id }) => id),
      });
      const files = unpack(await bench.readFile(await bench.finishDownload(several.id)));
      expect([...files.values()].map((bytes) => readMsg(bytes).subject ?? '').toSorted()).toEqual([
        'Mail 2',
        'Mail 3',
      ]);
    });

    test('VB365-21: a mailbox, a folder and mails are a PST file that another program reads', async () => {
      const all = ['Mail 1', 'Mail 2', 'Mail 3', 'Sent mail'];
      for (const [path, body, subjects] of [
        ['download', {}, all],
        [`folders/${inbox}/download`, { format: 'pst' }, all.slice(0, 3)],
        ['items/download', { items: [mails[1]?.id], format: 'pst' }, ['Mail 2']],
      ] as const) {
        const { id, name } = await bench.startDownload(`${mailbox}/${path}`, body);
        expect(name).toMatch(/\.pst$/);
        const done = await bench.finishDownload(id);
        expect(readSubjects(await bench.readFile(done)).toSorted()).toEqual(subjects);
      }
    });

    test('VB365-21: what the server does not save is refused with a sentence and asks for nothing', async () => {
      const { length } = bench.server.outside.asked;
      for (const [path, format, words] of [
        ['download', 'msg', 'as PST files only'],
        [`folders/${inbox}/download`, 'zip', 'as PST files only'],
        ['items/download', 'mbox', 'as MSG or PST files'],
        ['items/download', 'eml', 'as MSG or PST files'],
      ] as const)
        expect(
          await bench.refuse(`${mailbox}/${path}`, {
            ...(path === 'items/download' && { items: [mails[0]?.id] }),
            format,
          }),
        ).toEqual([409, expect.stringContaining(words)]);
      const saves = bench.server.outside.asked.slice(length).map(({ path }) => path);
      expect(saves.filter((path) => /save|export/i.test(path))).toEqual([]);

      // Without Outlook, the server says so.
      bench.server.content.hasOutlook = false;
      const { id } = await bench.startDownload(`${mailbox}/download`);
      expect(await bench.finishDownload(id)).toMatchObject({
        state: 'failed',
        message: expect.stringContaining('Outlook is not installed') as unknown,
        parts: [],
      });
      bench.server.content.hasOutlook = true;
    });

    test.each([
      ['with an error', { cutAt: 100_000, cutsQuietly: false }],
      ['without an error', { cutAt: 100_000, cutsQuietly: true }],
      ['before its first bytes', { cutAt: 0, cutsQuietly: true }],
    ] as const)(
      'VB365-22: a file that breaks off %s is asked for again, and never taken for whole',
      async (_, cut) => {
        const { cuts, namesSizes } = bench.server.content;
        for (const [path, body] of [
          ['documents/download', { documents: [documents[1]?.id] }],
          [`folders/${folder}/download`, {}],
        ] as const) {
          cuts.push(cut, cut);
          const again = await bench.startDownload(`${drive}/${path}`, body);
          const done = await bench.finishDownload(again.id);
          expect([done.state, cuts]).toEqual(['ready', []]);
          expect((await bench.readFile(done)).length).toBe(done.bytes.total);
          cuts.push(cut, cut, cut);
          const never = await bench.startDownload(`${drive}/${path}`, body);
          expect(await bench.finishDownload(never.id)).toMatchObject({
            state: 'failed',
            message: expect.stringContaining('The file was cut off 3 times') as unknown,
            parts: [],
          });
          // Nothing of it is left on the disk.
          const left = readdirSync(join(bench.filesFolder, bench.office.tenant));
          expect(left).not.toContain(never.id);
        }
        expect(namesSizes).toBe(true);
      },
    );

    test('VB365-22: a mail file or PST file without its end is not taken for whole', async () => {
      const { cuts } = bench.server.content;
      for (const [path, body, cutAt] of [
        ['items/download', { items: [mails[0]?.id], format: 'msg' }, 1_000],
        ['download', { format: 'pst' }, 5_000],
        ['download', { format: 'pst' }, 100],
      ] as const) {
        cuts.push(...[1, 2, 3].map(() => ({ cutAt, cutsQuietly: true })));
        const { id } = await bench.startDownload(`${mailbox}/${path}`, body);
        expect([path, (await bench.finishDownload(id)).state]).toEqual([path, 'failed']);
      }
    });

    test('VB365-23: the session stays on the server while a download needs it, and is stopped afterwards', async () => {
      const session = await bench.openSession('Veod');
      const there = bench.server.content.restoreSessions.at(-1);
      const [own] = await bench.list(`${session}/onedrives`);
      const { id } = await bench.startDownload(`${session}/onedrives/${own?.id ?? ''}/download`);
      await bench.ask(`${session}/stop`, {});
      expect(there?.endTime).toBeNull();
      expect((await bench.finishDownload(id)).state).toBe('ready');
      expect(there?.endTime).not.toBeNull();

      // A download that is cancelled before it starts needs nothing either.
      const again = await bench.openSession('Veod');
      const last = bench.server.content.restoreSessions.at(-1);
      const { id: unwanted } = await bench.startDownload(
        `${again}/onedrives/${own?.id ?? ''}/download`,
      );
      await bench.ask(`${again}/stop`, {});
      await bench.ask(`background-downloads/${unwanted}`, { action: 'cancel' });
      await bench.jobs.tick();
      expect(last?.endTime).not.toBeNull();

      // One whose session the server has ended says so.
      const third = await bench.openSession('Veod');
      const { id: late } = await bench.startDownload(
        `${third}/onedrives/${own?.id ?? ''}/download`,
      );
      const ended = bench.server.content.restoreSessions.at(-1);
      if (ended) ended.endTime = bench.fixture.context.clock.now();
      expect(await bench.finishDownload(late)).toMatchObject({
        state: 'failed',
        message: expect.stringContaining('has ended the restore session') as unknown,
      });
    });

    test('VB365-22: a download waits for a server that is off, and is cancelled while it arrives', async () => {
      let refused = 0;
      bench.server.failure = (_, path) => {
        if (!path.endsWith('/save') || refused === 2) return null;
        refused += 1;
        return json({ message: 'Busy.' }, 503);
      };
      const { id } = await bench.startDownload(`${drive}/download`);
      expect((await bench.finishDownload(id)).state).toBe('ready');
      expect(refused).toBe(2);

      // The server never answers the next one.
      bench.server.failure = (_, path) => (path.endsWith('/save') ? { silent: true } : null);
      const { id: silent } = await bench.startDownload(`${drive}/download`);
      const running = bench.jobs.tick();
      await expect
        .poll(async () => (await bench.getDownload(silent)).state, { timeout: 60_000 })
        .toBe('running');
      await bench.ask(`background-downloads/${silent}`, { action: 'cancel' });
      let isOver = false;
      void running.finally(() => {
        isOver = true;
      });
      await expect
        .poll(() => {
          if (!isOver) bench.fixture.pass(CHECK_MS);
          return isOver;
        })
        .toBe(true);
      await running;
      expect((await bench.getDownload(silent)).state).toBe('cancelled');
      bench.server.failure = () => null;
    });

    test('VB365-24: who may not restore may not download; each is recorded; a large one needs a recent sign-in', async () => {
      const reader = await bench.office.as(`reader-${version}`, ['o365_admin'], [2]);
      const refused = await reader('POST', `o365/restore/${drive}/download`, {});
      expect(refused.status).toBe(404);
      const { id } = await bench.startDownload(`${drive}/download`);
      expect((await reader('GET', `o365/restore/background-downloads/${id}`)).status).toBe(404);
      await bench.readFile(await bench.finishDownload(id));
      const records = await bench.fixture.context.store.tenant(
        bench.office.tenant,
        ({ sql, tenant }) =>
          sql
            .selectFrom('audit')
            .select(['what', 'detail'])
            .where('tenant_id', '=', tenant)
            .execute(),
      );
      const whats = records
        .filter(({ detail }) => JSON.stringify(detail).includes(id))
        .map(({ what, detail }) => `${what} ${(detail as { read?: string }).read ?? ''}`.trim());
      for (const what of [
        'backupcontent.read download-list',
        'export.requested',
        'export.ended',
        'export.opened',
        'backupcontent.read download',
      ])
        expect(whats).toContain(what);

      const file = bench.server.content.objects[1]?.items[0];
      const size = file?.row['sizeBytes'];
      Object.assign(file?.row ?? {}, { sizeBytes: 5_000_000_001 });
      bench.fixture.pass(6 * MINUTE);
      const session = await bench.openSession('Veod');
      const [own] = await bench.list(`${session}/onedrives`);
      const [status, text] = await bench.refuse(
        `${session}/onedrives/${own?.id ?? ''}/download`,
        {},
      );
      expect([status, text]).toEqual([403, expect.stringContaining('reauth_required')]);
      Object.assign(file?.row ?? {}, { sizeBytes: size });
      expect(bench.problems).toEqual([]);
    });

    test('VB365-16: a session that can’t be stopped does not keep another from being opened, unless there is no room', async () => {
      const { content } = bench.server;
      bench.admin = await bench.office.signIn('admin');
      await bench.openSession('Vex');
      const stuck = content.restoreSessions.at(-1);
      content.stuckSessions.add(stuck?.id ?? '');
      for (let n = 0; n < 3; n += 1) bench.fixture.pass(21 * MINUTE);
      bench.admin = await bench.office.signIn('admin');
      await bench.openSession('Vex');
      expect(stuck?.endTime).toBeNull();
      // It is stopped with the next one, when the server can.
      content.stuckSessions.clear();
      await bench.openSession('Vex');
      expect(stuck?.endTime).not.toBeNull();

      content.maxRestoreSessions = 1;
      const [status, text] = await bench.refuse('restoresessions', {
        organizationId: bench.organizationId,
        datetime: bench.fixture.context.clock.now(),
        sessionType: 'Vex',
      });
      expect([status, text]).toEqual([
        409,
        expect.stringContaining('The maximum number of restore sessions is reached'),
      ]);
      content.maxRestoreSessions = 100;
    });

    test('VB365-22: a file of which nothing more arrives is asked for again', async () => {
      bench.admin = await bench.office.signIn('admin');
      const session = await bench.openSession('Veod');
      const [own] = await bench.list(`${session}/onedrives`);
      let stalls = 1;
      bench.server.failure = (_request, path) =>
        path.endsWith('/save') && stalls-- > 0
          ? {
              headers: { 'content-type': 'application/octet-stream' },
              body: Buffer.alloc(2_000, 7),
              cutAt: 1_000,
              stalls: true,
            }
          : null;
      const { id } = await bench.startDownload(
        `${session}/onedrives/${own?.id ?? ''}/documents/download`,
        {
          documents: [documents[1]?.id],
        },
      );
      const turn = bench.jobs.tick();
      // The first bytes have arrived once the portal has noted them.
      await expect
        .poll(
          async () => {
            bench.fixture.pass(CHECK_MS);
            return (await bench.getDownload(id)).bytes.done;
          },
          { interval: 250 },
        )
        .toBeGreaterThan(0);
      bench.fixture.pass(11 * 60_000);
      await turn;
      bench.server.failure = () => null;
      bench.admin = await bench.office.signIn('admin');
      const finished = await bench.finishDownload(id);
      expect(finished.state).toBe('ready');
      expect((await bench.readFile(finished)).length).toBe(finished.bytes.total);
    });
  });
});
