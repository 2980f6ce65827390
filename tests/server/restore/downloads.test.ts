import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyDatabase } from '../db/databases.ts';
import { listPrograms } from '../engine/restic/restic-reader.ts';
import { aLibrary, openLibrary } from './content.ts';
import {
  dir,
  download,
  FILES,
  filesIn,
  firstVisit,
  MAILS,
  skipped,
  unpack,
} from './downloading.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);

anyDatabase((kind, openStore) => {
  test.skipIf(skipped !== '')(
    `DL-8, DL-5: mailboxes, drives, folders and items are downloaded with their names and bytes, as other programs read them${skipped} (${kind})`,
    async () => {
      const library = await aLibrary(await openStore());
      const { admin, ours } = library;
      const mails = await library.store(ours, 1, 'mailbox', MAILS);
      await library.store(ours, 2, 'drive', FILES);
      const mailbox = await openLibrary(admin, ours);
      const drive = await openLibrary(admin, ours, 'Veod');

      const zip = { format: 'zip' };
      const all = await download(admin, mailbox, 'mailboxes/o1/download', zip);
      expect(all.name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d-mailbox\.zip$/);
      expect(all).toMatchObject({ items: 4, missing: 0 });
      const { first } = await firstVisit(library, all);
      expect(first.status).toBe(200);
      expect(first.bytes.length).toBe(all.bytes);
      expect(Object.fromEntries(first.headers)).toMatchObject({
        'content-length': String(all.bytes),
        'content-type': 'application/zip',
        'accept-ranges': 'bytes',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'etag': expect.stringMatching(/^"[\w-]{22}"$/) as string,
      });
      const unpacked = unpack(first.bytes, `${kind}-mailbox`);
      expect([...unpacked.keys()].toSorted()).toEqual([
        'Inbox/Old/Re_ 50_50_.eml',
        'Inbox/Report (2).eml',
        'Inbox/Report.eml',
        'Sent Items/mail.eml',
      ]);
      expect(unpacked.get('Inbox/Old/Re_ 50_50_.eml')).toEqual(MAILS[2]?.content);

      const folder = await download(admin, mailbox, 'mailboxes/o1/folders/f1.1/download', zip);
      expect(folder.name).toMatch(/-mailbox-folder\.zip$/);
      expect([
        ...unpack((await firstVisit(library, folder)).first.bytes, `${kind}-inbox`).keys(),
      ]).toHaveLength(3);
      // Without a format, the names of the specification's section 9.
      for (const [path, suffix] of [
        ['mailboxes/o1/download', '-mailbox.pst'],
        ['mailboxes/o1/folders/f1.1/download', '-mailbox-folder.pst'],
      ] as const) {
        const { body } = await admin<{ name: string; url: string | null }>(
          'POST',
          `o365/restore/restoresessions/${mailbox}/${path}`,
          {},
        );
        expect(body.data.url).toBeNull();
        expect(body.data.name.slice('2026-11-27 22:00:00'.length)).toBe(suffix);
      }
      const two = await download(admin, mailbox, 'mailboxes/o1/items/download', {
        items: ['i1.1', 'i1.2'],
        format: 'zip',
      });
      expect(
        [...unpack((await firstVisit(library, two)).first.bytes, `${kind}-two`).keys()].toSorted(),
      ).toEqual(['Report (2).eml', 'Report.eml']);
      const single = await download(admin, mailbox, 'mailboxes/o1/items/download', {
        items: [mails.get('Re: 50/50?') ?? ''],
        format: 'eml',
      });
      expect(single).toMatchObject({ name: 'Re_ 50_50_.eml', items: 1 });
      const opened = await firstVisit(library, single);
      expect(opened.first.bytes).toEqual(MAILS[2]?.content);
      expect(opened.first.headers.get('content-type')).toBe('message/rfc822');

      const files = await download(admin, drive, 'onedrives/o2/download');
      expect(files.name).toMatch(/-onedrive\.zip$/);
      const drawn = unpack((await firstVisit(library, files)).first.bytes, `${kind}-drive`);
      const repository = await library.saveSnapshot(ours, FILES);
      for (const { path: program, version } of listPrograms()) {
        const restored = join(dir, `${kind}-restic-${version}`);
        execFileSync(
          program,
          ['--no-cache', '--no-lock', '-r', repository, 'restore', 'latest', '--target', restored],
          { env: { ...process.env, RESTIC_PASSWORD: 'correct horse' } },
        );
        const expected = filesIn(restored);
        expect([...drawn.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
        for (const [path, bytes] of expected)
          expect([path, drawn.get(path)?.equals(bytes)]).toEqual([path, true]);
      }
      const below = await download(admin, drive, 'onedrives/o2/folders/f2.2/download');
      expect(below.name).toMatch(/-folder\.zip$/);
      expect(
        [
          ...unpack((await firstVisit(library, below)).first.bytes, `${kind}-below`).keys(),
        ].toSorted(),
      ).toEqual(['2026/budget.xlsx', '2026/empty.bin']);
      const empty = await download(admin, drive, 'onedrives/o2/documents/download', {
        documents: ['i2.3'],
      });
      expect([empty.name, empty.bytes]).toEqual(['empty.bin', 0]);
      expect((await firstVisit(library, empty)).first.bytes).toHaveLength(0);
      const documents = await download(admin, drive, 'onedrives/o2/documents/download', {
        documents: ['i2.1', 'i2.2'],
      });
      expect(documents.name).toMatch(/-documents\.zip$/);
    },
  );

  test(`DL-2: any part of any range equals that part of the whole, and half a download continues on another server (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { admin, ours, read } = library;
    await library.store(ours, 11, 'drive', [
      ...FILES,
      // Several parts of the stored list.
      ...Array.from({ length: 1_100 }, (_, n) => ({
        path: ['Many'],
        title: `${n}.txt`,
        content: Buffer.from(`${n}`),
      })),
    ]);
    const session = await openLibrary(admin, ours, 'Veod');
    const made = await download(admin, session, 'onedrives/o11/download');
    expect(made.items).toBe(1_104);
    const { first, cookies } = await firstVisit(library, made);
    const whole = first.bytes;
    expect(whole.length).toBe(made.bytes);
    const etag = first.headers.get('etag') ?? '';
    const half = Math.floor(whole.length / 2);
    const other = library.anotherServer();
    const rest = await read(made.url, {
      cookies,
      headers: { 'range': `bytes=${half}-`, 'if-range': etag },
      app: other,
    });
    expect(rest.status).toBe(206);
    expect(rest.headers.get('content-range')).toBe(
      `bytes ${half}-${whole.length - 1}/${whole.length}`,
    );
    expect(Buffer.concat([whole.subarray(0, half), rest.bytes]).equals(whole)).toBe(true);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), fc.boolean(), async (a, b, isLate) => {
        // Half of them where the small files and the directory are.
        const base = isLate ? whole.length - 200_000 : 0;
        const [from, to] = [a, b]
          .map((at) => base + (at % (whole.length - base)))
          .toSorted((x, y) => x - y) as [number, number];
        const part = await read(made.url, { cookies, headers: { range: `bytes=${from}-${to}` } });
        expect(part.status).toBe(206);
        expect(part.headers.get('content-length')).toBe(String(to - from + 1));
        expect(part.bytes.equals(whole.subarray(from, to + 1))).toBe(true);
      }),
      { numRuns: 40 * PROOF },
    );
    // The same content has the same ETag and bytes again.
    const again = await firstVisit(
      library,
      await download(admin, session, 'onedrives/o11/download'),
    );
    expect(again.first.headers.get('etag')).toBe(etag);
    expect(again.first.bytes.equals(whole)).toBe(true);
  });

  test(`DL-9: ranges, conditions and HEAD are answered as RFC 9110 specifies (${kind})`, async () => {
    const library = await aLibrary(await openStore());
    const { admin, ours, read } = library;
    const content = Buffer.from('0123456789');
    await library.store(ours, 21, 'mailbox', [{ path: ['Inbox'], title: 'Ten', content }]);
    const session = await openLibrary(admin, ours);
    const made = await download(admin, session, 'mailboxes/o21/items/download', {
      items: ['i21.1'],
    });
    const head = await read(made.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([
      200,
      '10',
      0,
    ]);
    expect(head.headers.getSetCookie(), 'HEAD uses nothing up').toEqual([]);
    const { first, cookies } = await firstVisit(library, made);
    const etag = first.headers.get('etag') ?? '';
    const readRange = async (range: string, ifRange?: string) => {
      const { status, headers, bytes } = await read(made.url, {
        cookies,
        headers: { range, ...(ifRange === undefined ? {} : { 'if-range': ifRange }) },
      });
      return [status, headers.get('content-range'), bytes.toString()];
    };
    const all = [200, null, '0123456789'];
    const none = [416, 'bytes */10', ''];
    for (const [range, ...answer] of [
      ['bytes=0-4', 206, 'bytes 0-4/10', '01234'],
      ['bytes=5-9', 206, 'bytes 5-9/10', '56789'],
      ['bytes=-3', 206, 'bytes 7-9/10', '789'],
      ['bytes=-30', 206, 'bytes 0-9/10', '0123456789'],
      ['bytes=9-', 206, 'bytes 9-9/10', '9'],
      ['bytes=8-99', 206, 'bytes 8-9/10', '89'],
      ['bytes=10-', ...none],
      ['bytes=99-100', ...none],
      ['bytes=-0', ...none],
      ['bytes=4-2', ...all],
      ['bytes=a-b', ...all],
      ['bytes=-', ...all],
      ['lines=0-4', ...all],
      ['bytes=0-1,4-5', ...all],
    ] as const)
      expect([range, ...(await readRange(range))]).toEqual([range, ...answer]);
    expect(await readRange('bytes=0-4', etag)).toEqual([206, 'bytes 0-4/10', '01234']);
    expect(await readRange('bytes=0-4', '"other"')).toEqual(all);
    expect(await readRange('bytes=0-4', `W/${etag}`)).toEqual(all);
    expect(await readRange('bytes=0-4', 'Mon, 02 Mar 2026 07:30:00 GMT')).toEqual(all);
    const { status, bytes } = await read(made.url, {
      cookies,
      method: 'HEAD',
      headers: { range: 'bytes=0-4' },
    });
    expect([status, bytes.length]).toEqual([200, 0]);
    // Section 13.2.2: If-Match, then If-None-Match, then the range. There is no date to compare with.
    const past = 'Mon, 02 Mar 2020 07:30:00 GMT';
    for (const [headers, answer, length] of [
      [{ 'if-none-match': etag }, 304, 0],
      [{ 'if-none-match': `W/${etag}` }, 304, 0],
      [{ 'if-none-match': `"a,b", ${etag}` }, 304, 0],
      [{ 'if-none-match': '*' }, 304, 0],
      [{ 'if-none-match': '"other"' }, 200, 10],
      [{ 'if-none-match': etag, 'range': 'bytes=0-4' }, 304, 0],
      [{ 'if-none-match': etag, 'range': 'bytes=99-' }, 304, 0],
      [{ 'if-none-match': '"other"', 'range': 'bytes=0-4' }, 206, 5],
      [{ 'if-match': etag }, 200, 10],
      [{ 'if-match': '*' }, 200, 10],
      [{ 'if-match': `"other", ${etag}` }, 200, 10],
      [{ 'if-match': '"other"' }, 412, null],
      [{ 'if-match': `W/${etag}` }, 412, null],
      [{ 'if-match': '"other"', 'range': 'bytes=0-4' }, 412, null],
      [{ 'if-match': '"other"', 'if-none-match': etag }, 412, null],
      [{ 'if-match': etag, 'if-none-match': etag }, 304, 0],
      [{ 'if-match': etag, 'range': 'bytes=0-4' }, 206, 5],
      [{ 'if-unmodified-since': past }, 200, 10],
      [{ 'if-modified-since': past }, 200, 10],
    ] as const)
      for (const method of ['GET', 'HEAD'] as const) {
        const got = await read(made.url, { cookies, method, headers });
        const expected = method === 'HEAD' && answer === 206 ? 200 : answer;
        expect([method, headers, got.status]).toEqual([method, headers, expected]);
        if (method === 'GET' && length !== null) expect(got.bytes).toHaveLength(length);
        // Section 15.4.5: as a whole answer has them.
        expect([got.headers.get('etag'), got.headers.get('cache-control')]).toEqual([
          etag,
          'no-store',
        ]);
        if (answer === 304) expect(got.headers.get('content-length')).toBeNull();
      }
  });
});
