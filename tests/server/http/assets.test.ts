import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAssets } from '#server/platform/http/assets.ts';
import { precompress } from '#server/platform/http/precompress.ts';
import { CSP } from '#server/platform/http/security-headers.ts';
import type { App, Fixture } from './fixtures.ts';
import { accounts, getApp, makeFixture } from './fixtures.ts';

let fixture: Fixture;
let app: App;
let root: string;
let dir: string;
const script = 'export const answer = 42;\n'.repeat(200);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'daybook-page-'));
  dir = join(root, 'dist');
  mkdirSync(join(dir, 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'S3cret');
  writeFileSync(join(dir, '.sources-sha256'), 'S3cret');
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>Portal</title>');
  writeFileSync(join(dir, 'assets/index-AbCd_-12.js'), script);
  writeFileSync(join(dir, 'sw.js'), 'self;');
  writeFileSync(join(dir, 'icon.png'), 'png');
  await precompress(dir);
  fixture = await makeFixture();
  app = getApp(fixture.context, accounts(fixture.context), { assets: readAssets(dir) });
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await app.request(path, { method, headers: { host: 'a.example', ...headers } });
  return {
    status: answer.status,
    headers: answer.headers,
    body: Buffer.from(await answer.arrayBuffer()),
  };
};
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('STATIC-1: files are served as compressed by the build, hashed ones cacheable permanently, the page itself revalidated each time', async () => {
  const br = await get('/assets/index-AbCd_-12.js', { 'accept-encoding': 'gzip, br, zstd' });
  expect(Object.fromEntries(br.headers)).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': CSP,
    'content-length': String(br.body.byteLength),
    'vary': 'accept-encoding',
  });
  expect(brotliDecompressSync(br.body).toString()).toBe(script);
  expect(br.body).toEqual(readFileSync(join(dir, 'assets/index-AbCd_-12.js.br')));
  expect(
    gunzipSync(
      (await get('/assets/index-AbCd_-12.js', { 'accept-encoding': 'gzip' })).body,
    ).toString(),
  ).toBe(script);
  expect((await get('/assets/index-AbCd_-12.js')).body.toString()).toBe(script);
  for (const path of ['/', '/index.html', '/sw.js'])
    expect((await get(path)).headers.get('cache-control')).toBe('no-cache');
  expect(Object.fromEntries((await get('/sw.js')).headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-security-policy': CSP,
  });
  expect(
    (await get('/icon.png', { 'accept-encoding': 'br' })).headers.get('content-encoding'),
  ).toBeNull();
});

test('STATIC-2: page addresses return the page with status 200; a missing file requested by a script is not found', async () => {
  for (const path of [
    '/monitoring/daily-checks',
    '/login',
    '/assets/',
    '/no.such',
    '/.sources-sha256',
    '/monitoring/%ff',
  ]) {
    const { status, body, headers } = await get(path, html);
    expect([path, status, body.toString(), headers.get('content-type')]).toEqual([
      path,
      200,
      '<!doctype html><title>Portal</title>',
      'text/html; charset=utf-8',
    ]);
    // a script would get another answer at the same address
    expect(headers.get('vary')).toBe('accept, accept-encoding');
  }
  expect((await get('/')).status).toBe(200);
  expect((await get('/assets/gone-AbCd1234.js', { accept: '*/*' })).status).toBe(404);
  expect((await get('/api/v1/none', html)).headers.get('content-type')).toBe(
    'application/json; charset=utf-8',
  );
  expect((await get('/', html, 'POST')).status).toBe(404);
});

test('STATIC-3: cached files are not sent again, and HEAD returns what GET would', async () => {
  const whole = await get('/', { 'accept-encoding': 'br' });
  const tag = whole.headers.get('etag') ?? '';
  const again = await get('/', { 'accept-encoding': 'br', 'if-none-match': `"x", W/${tag}` });
  expect([again.status, again.body.byteLength, again.headers.get('etag')]).toEqual([304, 0, tag]);
  // another coding is another file
  expect((await get('/', { 'if-none-match': tag })).status).toBe(200);
  const head = await get('/', { 'accept-encoding': 'br' }, 'HEAD');
  expect([
    head.status,
    head.body.byteLength,
    head.headers.get('content-length'),
    head.headers.get('etag'),
  ]).toEqual([200, 0, String(whole.body.byteLength), tag]);
});

test('STATIC-4: nothing outside the folder and no hidden file in it can be reached', async () => {
  const corpus = [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%252e%252e/secret.txt',
    '/....//secret.txt',
    '//secret.txt',
    '/./../secret.txt',
    '/assets/%00/../../secret.txt',
    '/.sources-sha256',
    '/secret.txt%00.js',
    `${root}/secret.txt`,
    `/${root}/secret.txt`,
    '/assets/index-AbCd_-12.js/../../../secret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/file:%2f%2f%2fetc%2fpasswd',
    '/__proto__',
    '/constructor',
  ];
  for (const path of corpus)
    for (const headers of [{}, html]) {
      const { status, body } = await get(path, headers);
      expect([path, [200, 404].includes(status), /S3cret|root:/.test(body.toString())]).toEqual([
        path,
        true,
        false,
      ]);
    }
  expect((await get('/assets')).status).toBe(404);
});

test('STATIC-5: a folder without a page is served as none', () => {
  expect(readAssets(root)).toBeNull();
  expect(readAssets(join(root, 'none'))).toBeNull();
});
