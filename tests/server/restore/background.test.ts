import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { PSTFile, type PSTFolder, type PSTMessage } from 'pst-extractor';
import { expect, test } from 'vitest';
import { MsgReader } from '../engine/msg-reader.ts';
import type { OutputOf } from '#contract/calls.ts';
import type { Bytes } from '#contract/ids.ts';
import {
  backgroundDownload,
  deleteExpiredBackgroundDownloads,
} from '#server/features/restore/background/job.ts';
import { randomBytes } from '../engine/restic/fixtures.ts';
import { anyDatabase } from '../db/databases.ts';
import type { Asker } from '../sync/fixtures.ts';
import { aLibrary, type Library, openLibrary, readingsIn, type StoredFile } from './content.ts';
import { skipped, unpack } from './downloading.ts';

type Background = OutputOf<'getBackgroundDownload'>;
type Started = OutputOf<'downloadMailbox'>;

const folder = mkdtempSync(join(tmpdir(), 'daybook-background-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const noReader = spawnSync('readpst', ['-V']).error === undefined ? '' : ' (skipped: no readpst)';

const MAILBOX = 'mailboxes/o1/download';
const attached = randomBytes(5, 20_000);
const makeMail = (title: string, path: readonly string[], size = 0): StoredFile => ({
  path,
  title,
  content: Buffer.from(
    [
      'From: Ann <ann@example.com>',
      'To: Ben <ben@example.com>',
      `Subject: ${title}`,
      'Message-ID: <a@example.com>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain; charset=utf-8',
      '',
      `Body of ${title}`,
      'From here, a line that looks like a new mail',
      '--x',
      'Content-Type: application/octet-stream; name=data.bin',
      'Content-Disposition: attachment; filename=data.bin',
      'Content-Transfer-Encoding: base64',
      '',
      (size === 0 ? attached : randomBytes(size, size))
        .toString('base64')
        .replaceAll(/.{76}/g, '$&\r\n'),
      '--x--',
      '',
    ].join('\r\n'),
  ),
});
const MAILS = [
  makeMail('Report', ['Inbox']),
  makeMail('Größe 😀', ['Inbox', 'a/b']),
  makeMail('Sent', ['Sent Items']),
];

/** A library whose files are in a folder of its own. */
async function openBackground(store?: Parameters<typeof aLibrary>[0]) {
  const library = await aLibrary(store);
  const downloadsDir = mkdtempSync(join(folder, 'files-'));
  const { ground: fixture } = library;
  const { context } = fixture;
  (context.config as { downloadsDir?: string }).downloadsDir = downloadsDir;
  await library.store(library.ours, 1, 'mailbox', MAILS);
  const session = await openLibrary(library.admin, library.ours);
  return { library, session, downloadsDir };
}

const request = async (
  who: Asker,
  session: string,
  path: string,
  body: object,
): Promise<Started> => {
  const answer = await who<Started>(
    'POST',
    `o365/restore/restoresessions/${session}/${path}`,
    body,
  );
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};
const CALL = 'o365/restore/background-downloads';
const get = async (who: Asker, id: string): Promise<Background> => {
  const answer = await who<Background>('GET', `${CALL}/${id}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data;
};
const list = async (who: Asker) =>
  (await who<{ results: Background[]; count: number }>('POST', CALL, {})).body.data;

/** Reads a mail and its first attachment as another program does. */
function readMsg(bytes: Uint8Array) {
  const reader = new MsgReader(new Uint8Array(bytes).buffer);
  return { ...reader.getFileData(), file: Buffer.from(reader.getAttachment(0).content) };
}

/** Runs the job as a server does, until `stopAfter` items. */
function run(
  { ground: fixture, office: { tenant } }: Library,
  download: string,
  {
    maxPartBytes,
    signal = new AbortController().signal,
  }: { maxPartBytes?: Bytes; signal?: AbortSignal } = {},
) {
  const { context } = fixture;
  return backgroundDownload(
    context,
    maxPartBytes,
  )({
    tenant,
    payload: { download },
    now: context.clock.now(),
    signal,
  });
}

async function readFile(library: Library, id: string, part = 1) {
  const { text, body, status } = await library.admin<{ url: string; name: string; sha256: string }>(
    'GET',
    `${CALL}/${id}/file?part=${part}`,
  );
  if (status !== 200) throw new Error(text);
  const answer = await library.read(body.data.url);
  expect(createHash('sha256').update(answer.bytes).digest('hex')).toBe(body.data.sha256);
  return { ...answer, name: body.data.name, url: body.data.url };
}

anyDatabase((kind, openStore) => {
  test.skipIf(skipped !== '' || noReader !== '')(
    `DL-3, DL-4, DL-5: a mailbox is downloaded as a PST file that another program reads${skipped}${noReader} (${kind})`,
    async () => {
      const { library, session } = await openBackground(await openStore());
      const started = await request(library.admin, session, MAILBOX, { format: 'pst' });
      expect(started).toMatchObject({ url: null, items: 3, missing: 0 });
      expect(started.name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d-mailbox\.pst$/);
      expect(await get(library.admin, started.id)).toMatchObject({
        state: 'queued',
        isExact: false,
        parts: [],
      });
      expect(await run(library, started.id)).toBeNull();
      const ready = await get(library.admin, started.id);
      expect(ready).toMatchObject({
        state: 'ready',
        status: 'ready',
        items: { done: 3, total: 3 },
        failed: 0,
        parts: [{ n: 1, name: started.name }],
      });
      expect(ready.expiresAt - (ready.endedAt ?? 0)).toBe(7 * 86_400_000);
      const { bytes, status } = await readFile(library, started.id);
      expect(status).toBe(200);
      expect(bytes.length).toBe(ready.parts[0]?.bytes);
      const path = join(folder, `${kind}.pst`);
      writeFileSync(path, bytes);
      const out = join(folder, `${kind}-out`);
      mkdirSync(out);
      execFileSync('readpst', ['-j', '0', '-D', '-e', '-q', '-8', '-o', out, path]);
      const names = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      const found = await Promise.all(
        names.map(({ parentPath, name }) => PostalMime.parse(readFileSync(join(parentPath, name)))),
      );
      expect(new Set(found.map(({ subject }) => subject))).toEqual(
        new Set(MAILS.map(({ title }) => title)),
      );
      for (const { attachments } of found)
        expect(Buffer.from(attachments[0]?.content as ArrayBuffer)).toEqual(attached);
    },
  );

  test(`DL-23, DL-4, G67: a PST file has the events and empty folders of a mailbox, and one that can't be read as a file (${kind})`, async () => {
    const { library, session } = await openBackground(await openStore());
    const { admin, ours, ground: fixture, office } = library;
    const event = {
      id: 'e',
      subject: 'Review',
      start: { dateTime: '2026-03-23T08:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-03-23T08:30:00.0000000', timeZone: 'UTC' },
    };
    const path = ['Calendars', 'Calendar'];
    await library.store(ours, 2, 'mailbox', [
      { path, title: 'Review', kind: 'event', content: Buffer.from(JSON.stringify(event)) },
      { path, title: 'Broken', kind: 'event', content: Buffer.from('{"start":') },
      makeMail('Report', ['Inbox']),
    ]);
    await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql
        .insertInto('folder')
        .values(
          [
            { key: 'calendars', name: 'Calendars', parent_key: null, to_point: null },
            { key: 'calendars:1', name: 'Spare', parent_key: 'calendars', to_point: null },
            { key: 'tasks:1', name: 'Chores', parent_key: 'Inbox', to_point: null },
            { key: 'empty', name: 'Empty', parent_key: 'Inbox', to_point: null },
            { key: 'gone', name: 'Gone', parent_key: 'Inbox', to_point: 0 },
          ].map((values, n) => ({
            ...values,
            tenant_id: tenant,
            object_n: 2,
            n: 100 + n,
            well_known: null,
            from_point: values.to_point === 0 ? 0 : 1,
          })),
        )
        .execute(),
    );
    const { id } = await request(admin, session, 'mailboxes/o2/download', { format: 'pst' });
    expect(await run(library, id)).toBeNull();
    expect(await get(admin, id)).toMatchObject({ state: 'ready', items: { done: 3 }, failed: 0 });
    const pst = new PSTFile((await readFile(library, id)).bytes);
    const found: (readonly [string, string, string])[] = [];
    const folders = new Map<string, string>();
    const visit = (at: PSTFolder): void => {
      folders.set(at.displayName, at.containerClass);
      for (let n = 0; n < at.contentCount; n += 1) {
        const { messageClass, subject, numberOfAttachments } = at.getNextChild() as PSTMessage;
        found.push([messageClass, subject, `${numberOfAttachments}`]);
      }
      if (at.hasSubfolders) for (const child of at.getSubFolders()) visit(child);
    };
    visit(pst.getRootFolder());
    expect(new Set(found.map((item) => item.join()))).toEqual(
      new Set(['IPM.Appointment,Review,0', 'IPM.Note,Broken,1', 'IPM.Note,Report,1']),
    );
    // A calendar stays one, also if its first item can't be read.
    expect(folders.get('Calendar')).toBe('IPF.Appointment');
    const empty = ['Spare', 'Chores', 'Empty', 'Gone'].map((name) => folders.get(name));
    expect(empty).toEqual(['IPF.Appointment', 'IPF.Task', 'IPF.Note', undefined]);
  });

  test.skipIf(skipped !== '')(
    `DL-3: a killed server goes on with the first unfinished part, to the same bytes${skipped} (${kind})`,
    async () => {
      const { library, session } = await openBackground(await openStore());
      const { admin, ours } = library;
      await library.store(
        ours,
        2,
        'mailbox',
        Array.from({ length: 8 }, (_, n) => makeMail(`Mail ${n}`, ['Inbox'], 100_000 + n)),
      );
      const ask = () =>
        request(admin, session, 'mailboxes/o2/download', {
          format: 'zip',
          downloadInBackground: true,
        });
      const maxPartBytes = 300_000;
      const whole = await ask();
      await run(library, whole.id, { maxPartBytes });
      const { parts } = await get(admin, whole.id);
      expect(parts.length).toBeGreaterThan(2);
      for (const part of parts) expect(part.bytes).toBeLessThanOrEqual(maxPartBytes + 1_000);
      const unpacked = new Map<string, Buffer>();
      for (const { n } of parts)
        for (const [name, bytes] of unpack(
          (await readFile(library, whole.id, n)).bytes,
          `${kind}-part-${n}`,
        ))
          unpacked.set(name, bytes);
      expect(unpacked.size).toBe(8);

      const cut = await ask();
      // Stopped after every item, as often as it takes.
      for (let turns = 0; (await get(admin, cut.id)).state !== 'ready'; turns++) {
        if (turns > 50) throw new Error('It makes no progress.');
        let checks = 0;
        const signal = {
          get aborted() {
            checks += 1;
            return checks > 4;
          },
        } as AbortSignal;
        await run(library, cut.id, { maxPartBytes, signal });
      }
      const again = await get(admin, cut.id);
      expect(again.parts.map(({ sha256 }) => sha256)).toEqual(parts.map(({ sha256 }) => sha256));
      expect(again.items).toEqual({ done: 8, total: 8 });
    },
  );

  test(`DL-3: a download is cancelled, deleted, and deleted after a week with its files (${kind})`, async () => {
    const { library, session, downloadsDir } = await openBackground(await openStore());
    const { admin, ground: fixture, office } = library;
    const { context } = fixture;
    const ask = () => request(admin, session, MAILBOX, { format: 'mbox' });
    const countFiles = () =>
      readdirSync(downloadsDir, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      ).length;
    const cancelled = await ask();
    expect((await admin('POST', `${CALL}/${cancelled.id}`, { action: 'cancel' })).status).toBe(200);
    expect(await run(library, cancelled.id)).toBeNull();
    expect(await get(admin, cancelled.id)).toMatchObject({ state: 'cancelled', parts: [] });
    expect(countFiles()).toBe(0);
    expect((await admin('GET', `${CALL}/${cancelled.id}/file`)).status).toBe(409);

    const deleted = await ask();
    await run(library, deleted.id);
    expect(countFiles()).toBe(1);
    const { url } = await readFile(library, deleted.id);
    expect((await admin('POST', `${CALL}/${deleted.id}`, { action: 'cancel' })).status).toBe(409);
    expect((await admin('DELETE', `${CALL}/${deleted.id}`)).status).toBe(200);
    expect(countFiles()).toBe(0);
    expect((await library.read(url)).status).toBe(404);
    expect((await admin('GET', `${CALL}/${deleted.id}`)).status).toBe(404);

    fixture.pass(1_000);
    const expired = await ask();
    await run(library, expired.id);
    expect((await list(admin)).results.map(({ id }) => id)).toEqual([expired.id, cancelled.id]);
    const tidy = (now: number) =>
      context.store.tenant(office.tenant, (tx) =>
        deleteExpiredBackgroundDownloads(context)(tx, now),
      );
    await tidy(context.clock.now() + 7 * 86_400_000 - 1);
    expect((await list(admin)).results.map(({ id }) => id)).toEqual([expired.id]);
    await tidy(context.clock.now() + 7 * 86_400_000 + 1);
    expect(await list(admin)).toEqual({ results: [], count: 0 });
    expect(countFiles()).toBe(0);
  });

  test(`DL-3: a download whose week is over is gone, also before its files are deleted (${kind})`, async () => {
    const { library, session } = await openBackground(await openStore());
    const { admin, ground: fixture, office } = library;
    const { id } = await request(admin, session, MAILBOX, { format: 'mbox' });
    await run(library, id);
    const expireAt = (expires_at: number) =>
      fixture.context.store.tenant(office.tenant, ({ sql }) =>
        sql
          .updateTable('background_download')
          .set({ expires_at })
          .where('tenant_id', '=', office.tenant)
          .where('id', '=', id)
          .execute(),
      );
    const now = fixture.context.clock.now();
    await expireAt(now);
    expect((await list(admin)).count).toBe(1);
    expect((await admin('GET', `${CALL}/${id}/file`)).status).toBe(200);
    await expireAt(now - 1);
    expect(await list(admin)).toEqual({ results: [], count: 0 });
    expect((await admin('GET', `${CALL}/${id}`)).status).toBe(404);
    expect((await admin('GET', `${CALL}/${id}/file`)).status).toBe(404);
    expect((await admin('DELETE', `${CALL}/${id}`)).status).toBe(404);
  });

  test(`DL-3, G65, G63: downloads in the background are their user's own, and reading is recorded (${kind})`, async () => {
    const { library, session } = await openBackground(await openStore());
    const { admin, office, ground: fixture } = library;
    const { id } = await request(admin, session, MAILBOX, { format: 'mbox' });
    await run(library, id);
    const others = [
      await office.as('other', ['o365_admin']),
      await office.as('cora', ['o365_admin'], [2]),
    ];
    for (const other of others) {
      for (const [method, path, body] of [
        ['GET', `${CALL}/${id}`, undefined],
        ['GET', `${CALL}/${id}/file`, undefined],
        ['POST', `${CALL}/${id}`, { action: 'cancel' }],
        ['DELETE', `${CALL}/${id}`, undefined],
      ] as const)
        expect((await other(method, path, body)).status, `${method} ${path}`).toBe(404);
      expect(await list(other)).toEqual({ results: [], count: 0 });
    }
    const before = (await readingsIn(library)).length;
    const { url, headers } = await readFile(library, id);
    expect(headers.get('content-type')).toBe('application/zip');
    expect((await library.read(url)).status, 'the ticket is used up').toBe(404);
    expect((await readingsIn(library)).slice(before)).toMatchObject([
      { read: 'download', download: id, part: 1, from: 0 },
    ]);
    const outgoing = await fixture.context.store.tenant(office.tenant, ({ sql, tenant }) =>
      sql.selectFrom('notification').select('row').where('tenant_id', '=', tenant).execute(),
    );
    expect(outgoing.map(({ row }) => row)).toMatchObject([
      { app: 'o365', severity: 'success', link: `/o365/restore/downloads/${id}` },
    ]);
  });

  test.skipIf(skipped !== '')(
    `DL-6: an mbox file has every line of its mails, as another program reads it${skipped} (${kind})`,
    async () => {
      const { library, session } = await openBackground(await openStore());
      const { id } = await request(library.admin, session, MAILBOX, { format: 'mbox' });
      await run(library, id);
      const files = unpack((await readFile(library, id)).bytes, `${kind}-mbox`);
      expect([...files.keys()].sort()).toEqual(['Inbox.mbox', 'Inbox/a_b.mbox', 'Sent Items.mbox']);
      const path = join(folder, `${kind}.mbox`);
      writeFileSync(path, files.get('Inbox.mbox') ?? '');
      const read = execFileSync('python3', [
        '-c',
        'import mailbox,sys\nfor m in mailbox.mbox(sys.argv[1]): print(m["subject"]); print(m.get_payload()[0].get_payload())',
        path,
      ]).toString();
      expect(read).toContain('Report\n');
      expect(read).toContain('>From here, a line that looks like a new mail');
    },
  );

  test.skipIf(skipped !== '')(
    `DL-3, DL-22: mails are MSG files in a ZIP, in their folders, and a single one is a file${skipped} (${kind})`,
    async () => {
      const { library, session } = await openBackground(await openStore());
      const { admin } = library;
      const { id } = await request(admin, session, MAILBOX, { format: 'msg' });
      await run(library, id);
      const files = unpack((await readFile(library, id)).bytes, `${kind}-msg`);
      const read = new Map([...files].map(([name, bytes]) => [name, readMsg(bytes)]));
      expect(new Map([...read].map(([name, { subject }]) => [name, subject]))).toEqual(
        new Map([
          ['Inbox/Report.msg', 'Report'],
          ['Inbox/a_b/Größe 😀.msg', 'Größe 😀'],
          ['Sent Items/Sent.msg', 'Sent'],
        ]),
      );
      for (const { senderEmail, recipients, file } of read.values()) {
        expect([senderEmail, recipients?.[0]?.email]).toEqual([
          'ann@example.com',
          'ben@example.com',
        ]);
        expect(file.equals(attached)).toBe(true);
      }

      const single = await request(admin, session, 'mailboxes/o1/items/download', {
        format: 'msg',
        items: ['i1.1'],
      });
      expect(single).toMatchObject({ name: 'Report.msg', items: 1 });
      expect(await get(admin, single.id)).toMatchObject({ isExact: false });
      await run(library, single.id);
      const { name, bytes } = await readFile(library, single.id);
      expect([name, readMsg(bytes).subject]).toEqual(['Report.msg', 'Report']);
      // The other formats for mails have an archive or a store around a single mail.
      for (const [format, ending] of [
        ['pst', '-items.pst'],
        ['mbox', '-items.zip'],
      ] as const) {
        const other = await request(admin, session, 'mailboxes/o1/items/download', {
          format,
          items: ['i1.1'],
        });
        expect(other.name).toContain(ending);
      }
    },
  );

  test(`DL-3, DL-10: files of drives are no mails, and too many downloads are refused (${kind})`, async () => {
    const { library, session } = await openBackground(await openStore());
    const { admin, ours } = library;
    await library.store(ours, 2, 'drive', [
      { path: [], title: 'notes.txt', content: Buffer.from('notes') },
    ]);
    const drive = await openLibrary(admin, ours, 'Veod');
    const refused = await admin(
      'POST',
      `o365/restore/restoresessions/${drive}/onedrives/o2/download`,
      { format: 'pst' },
    );
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('Choose ZIP');
    for (let n = 0; n < 5; n++) await request(admin, session, MAILBOX, { format: 'pst' });
    const sixth = await admin('POST', `o365/restore/restoresessions/${session}/${MAILBOX}`, {
      format: 'pst',
    });
    expect(sixth.status).toBe(409);
    expect(sixth.text).toContain("You've reached the limit of 5 downloads");
  });
});
