import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InputOf, OutputOf } from '#contract/calls.ts';
import { findImport } from '#server/engine/embedded/imports/import-rows.ts';
import { readWebdavDrive } from '#server/engine/embedded/imports/webdav/read-webdav-drive.ts';
import { readMultistatus } from '#server/engine/embedded/imports/webdav/multistatus.ts';
import { testWebdavServer } from '#server/engine/embedded/imports/webdav/webdav-server.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { systemClock } from '#server/platform/clock.ts';
import { eachDatabase } from '../db/databases.ts';
import { must, openOffice, run } from './office.ts';
import { ACCOUNT, missing, startRclone, type Rclone } from './rclone.ts';

type Import = OutputOf<'getImport'>;
type Server = InputOf<'testWebdavServer'>['server'];
const ALLOWED = { allow: ['127.0.0.0/8'], http: true };

let rclone: Rclone | null = null;
const getRclone = (): Rclone => {
  if (rclone === null) throw new Error('rclone did not start.');
  return rclone;
};
beforeAll(async () => {
  if (missing === '') rclone = await startRclone();
});
afterAll(async () => {
  await rclone?.stop();
});
const isHere = missing === '';

/** Larger than what is read as a whole. */
const LARGE = 'Low tide at noon. '.repeat(2_000_000);
const getHash = (content: string): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Writes files of a folder of the server, with their dates. */
function writeFiles(top: string, files: Readonly<Record<string, readonly [string, number]>>): void {
  for (const [path, [content, seconds]] of Object.entries(files)) {
    const full = join(getRclone().folder, top, path);
    mkdirSync(join(full, '..'), { recursive: true });
    writeFileSync(full, content);
    utimesSync(full, seconds, seconds);
  }
}

eachDatabase((kind, openStore) => {
  test.runIf(isHere)(
    `IMP-9: a folder on a WebDAV server becomes a drive with the bytes, folders and dates of its files, and the next import fetches only what differs (${kind}${missing})`,
    async () => {
      const { library, PATH } = await openOffice(await openStore());
      const { admin, ours, office } = library;
      const { context } = library.ground;
      (context.config as { outbound?: unknown }).outbound = ALLOWED;
      const { url, folder } = getRclone();
      const top = `${kind.replaceAll(/\W/g, '')} share`;
      writeFiles(top, {
        'Rota.txt': ['Monday', 1_600_000_001],
        'empty.bin': ['', 1_600_000_002],
        'Large.bin': [LARGE, 1_600_000_005],
        'Pläne & Skizzen/100% sicher #1.txt': ['safe?', 1_600_000_003],
        'Pläne & Skizzen/2021/Hafen.txt': ['x'.repeat(300_000), 1_600_000_004],
      });
      const server: Server = {
        url: `${url}${encodeURIComponent(top)}`,
        ...ACCOUNT,
        certificate: null,
      };
      const start = async (mailbox: object): Promise<string> => {
        const body = { repositoryId: ours.repository, server, mailbox };
        const { id } = await must(admin<{ id: string }>('POST', `${PATH}/webdav`, body));
        expect(await run(library, id)).toBe(null);
        library.ground.pass(1_000);
        return id;
      };
      const test = await must(
        admin<OutputOf<'testWebdavServer'>>('POST', `${PATH}/webdav/test`, { server }),
      );
      expect([test.ok, test.message, test.entries]).toEqual([true, null, 4]);
      const list = async () => {
        const { rows } = await context.store.tenant(office.tenant, async ({ sql, tenant }) => ({
          rows: await sql
            .selectFrom('item as i')
            .leftJoin('folder as f', (join) =>
              join.onRef('f.key', '=', 'i.folder_key').onRef('f.tenant_id', '=', 'i.tenant_id'),
            )
            .select(['f.name as folder', 'i.title', 'i.changed_at', 'i.bytes', 'i.flags'])
            .where('i.tenant_id', '=', tenant)
            .where('i.to_point', 'is', null)
            .orderBy('i.title')
            .execute(),
        }));
        return rows.map((row) => [
          row.folder,
          row.title,
          row.changed_at,
          (row.flags as { readonly hash?: string }).hash,
        ]);
      };
      const id = await start({ name: 'Old share' });
      const done = await must(admin<Import>('GET', `${PATH}/${id}`));
      expect([done.source, done.content, done.result, done.message]).toEqual([
        'webdav',
        'files',
        'success',
        null,
      ]);
      expect(done.counts).toEqual({ imported: 5, partial: 0, known: 0, skipped: 0, failed: 0 });
      const SAFE = 'Pläne & Skizzen';
      expect(new Set((await list()).map((row) => JSON.stringify(row)))).toEqual(
        new Set(
          [
            [null, 'Rota.txt', 1_600_000_001_000, getHash('Monday')],
            [null, 'Large.bin', 1_600_000_005_000, getHash(LARGE)],
            [null, 'empty.bin', 1_600_000_002_000, getHash('')],
            [SAFE, '100% sicher #1.txt', 1_600_000_003_000, getHash('safe?')],
            ['2021', 'Hafen.txt', 1_600_000_004_000, getHash('x'.repeat(300_000))],
          ].map((row) => JSON.stringify(row)),
        ),
      );
      const find = () => context.store.tenant(office.tenant, (tx) => findImport(tx, id));
      expect((await find())?.sealed).toBe(null);

      writeFiles(top, {
        'Rota.txt': ['Tuesday', 1_600_009_001],
        'New.txt': ['new', 1_600_009_002],
      });
      rmSync(join(folder, top, 'empty.bin'));
      const { mailboxes } = await must(admin<OutputOf<'listImports'>>('GET', PATH));
      const mailbox = { id: mailboxes[0]?.id ?? '' };
      const next = await start(mailbox);
      expect((await must(admin<Import>('GET', `${PATH}/${next}`))).counts).toEqual({
        imported: 2,
        partial: 0,
        known: 3,
        skipped: 0,
        failed: 0,
      });
      // What was deleted on the server stays.
      expect(new Set((await list()).map(([, title]) => title))).toEqual(
        new Set([
          '100% sicher #1.txt',
          'Hafen.txt',
          'Large.bin',
          'New.txt',
          'Rota.txt',
          'empty.bin',
        ]),
      );
      const same = await start(mailbox);
      const last = await must(admin<Import>('GET', `${PATH}/${same}`));
      expect([last.result, last.message, last.pointAt]).toEqual([
        'success',
        'The folder on the server has nothing new.',
        null,
      ]);

      const cora = await office.as('cora', ['o365_admin'], [2]);
      const body = { repositoryId: ours.repository, server, mailbox: { name: 'Theirs' } };
      expect((await cora('POST', `${PATH}/webdav`, body)).status).toBe(404);
      expect((await cora('POST', `${PATH}/webdav/test`, { server })).status).toBe(404);
    },
  );
});

test.runIf(isHere)(
  `IMP-9, OUTB-1: a wrong password, another address and a private network are explained${missing}`,
  async () => {
    const page = createServer((_request, answer) => answer.end('<html></html>'));
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', () => resolve()));
    const { port } = page.address() as AddressInfo;
    const explain = async (more: Partial<Server>, outbound: object = ALLOWED) => {
      const context = { config: { outbound }, clock: systemClock } as unknown as AppContext;
      const { url } = getRclone();
      const server = { kind: 'webdav' as const, url, ...ACCOUNT, certificate: null, ...more };
      const answer = await testWebdavServer(context, server);
      return answer.isOk ? null : answer.message;
    };
    const NO_WEBDAV = '127.0.0.1 did not answer as a WebDAV server at this address.';
    expect(await explain({})).toBe(null);
    expect(await explain({ password: 'wrong' })).toBe(
      '127.0.0.1 refused the username and password.',
    );
    expect(await explain({ url: `http://127.0.0.1:${port}/` })).toBe(NO_WEBDAV);
    expect(await explain({ url: `${getRclone().url}nowhere/` })).toBe(NO_WEBDAV);
    expect(await explain({}, { allow: ['127.0.0.0/8'] })).toBe(
      'Enter an address that begins with https://.',
    );
    expect(await explain({}, { http: true, allow: [] })).toBe(
      "127.0.0.1 is in a private network, which the operator of this server hasn't allowed.",
    );
    page.close();
  },
);

test('IMP-9: a list of files is read with any prefix of its namespace, and something else is not one (RFC 4918, 9.1)', () => {
  const xml = `<?xml version="1.0"?><x:multistatus xmlns:x="DAV:"><x:response><x:href>/a%20b/c.txt</x:href>
    <x:propstat><x:prop><x:getcontentlength>12</x:getcontentlength><x:resourcetype/>
    <x:getlastmodified>Sun, 13 Sep 2020 12:26:41 GMT</x:getlastmodified><x:getetag>"1&amp;2"</x:getetag></x:prop>
    <x:status>HTTP/1.1 200 OK</x:status></x:propstat></x:response>
    <x:response><x:href>/a%20b/</x:href><x:propstat><x:prop><x:resourcetype><x:collection/></x:resourcetype></x:prop></x:propstat></x:response></x:multistatus>`;
  expect(readMultistatus(xml)).toEqual([
    {
      href: '/a%20b/c.txt',
      isFolder: false,
      bytes: 12,
      modifiedAt: 1_600_000_001_000,
      etag: '"1&2"',
    },
    { href: '/a%20b/', isFolder: true, bytes: 0, modifiedAt: null, etag: '' },
  ]);
  expect(() => readMultistatus('<html><body>Hello</body></html>')).toThrow(SyntaxError);
});

const makeList = (hrefs: readonly string[]): string =>
  `<d:multistatus xmlns:d="DAV:">${hrefs.map((href) => `<d:response><d:href>${href}</d:href></d:response>`).join('')}</d:multistatus>`;

test('G66, IMP-9: a server names nothing outside of the folder, and its names lead nowhere', async () => {
  const requests: string[] = [];
  const server = createServer(({ method, url }, answer) => {
    requests.push(`${method} ${url}`);
    if (method === 'PROPFIND')
      answer
        .writeHead(207)
        .end(
          makeList([
            '/share/',
            '/share/a.txt',
            '/share/..%2F..%2Fetc%2Fpasswd',
            '/share/below/deep.txt',
            '/share/../secret.txt',
            '/secret.txt',
            'http://192.0.2.1/share/b.txt',
            'http://[',
            '/share/%E0%A4%A',
          ]),
        );
    else answer.end('content');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  const names: string[] = [];
  for await (const step of readWebdavDrive({
    outbound: { allow: ['127.0.0.0/8'], http: true, push: [] },
    url: `http://127.0.0.1:${port}/share`,
    ...ACCOUNT,
    certificate: null,
    known: {},
    skippedEntries: 0,
    readBytes: 0,
    isTest: false,
  }))
    if (step.kind === 'reading') names.push([...step.path, step.name].join('/'));
  server.close();
  expect(names).toEqual(['passwd', 'a.txt']);
  expect(requests).toEqual([
    'PROPFIND /share/',
    'GET /share/..%2F..%2Fetc%2Fpasswd',
    'GET /share/a.txt',
  ]);
});
