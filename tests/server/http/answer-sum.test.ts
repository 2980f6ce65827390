import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { withSum } from '#server/platform/http/answer-sum.ts';
import { syncHandlers } from '#server/platform/sync/handlers.ts';
import { crc32 } from '#workers/sync/crc32.ts';
import { accounts, getApp, login, makeFixture, provider, user } from './fixtures.ts';
import type { App } from './fixtures.ts';

const CODINGS = {
  identity: (bytes: Buffer) => bytes,
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
} as const;
type Coding = keyof typeof CODINGS;

let app: App;
let host: string;
let token: string;
beforeAll(async () => {
  const fixture = await makeFixture();
  app = getApp(fixture.context, { ...accounts(fixture.context), ...syncHandlers(fixture.context) });
  const made = await provider(fixture, 'sums.example');
  ({ host } = made);
  await user(fixture, made.tenant);
  ({ token } = (await login(app, host)).body.data);
});

const ask = (path: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
  Promise.resolve(
    app.request(
      `/api/v1/${path}`,
      { headers: { host, authorization: `Bearer ${token}`, ...headers } },
      { incoming: { socket: { remoteAddress: '192.0.2.7' } } },
    ),
  );

/** As the contract describes it, by the implementation of the device. */
async function expectSum(answer: Response, mark: string): Promise<Buffer> {
  const coding = (answer.headers.get('content-encoding') ?? 'identity') as Coding;
  const body = CODINGS[coding](Buffer.from(await answer.arrayBuffer()));
  const sum = crc32(Buffer.concat([Buffer.from(`${mark} ${answer.status}\n`), body]));
  expect({ coding, sum: answer.headers.get('daybook-sum') }).toEqual({
    coding,
    sum: sum.toString(16).padStart(8, '0'),
  });
  return body;
}

for (const coding of Object.keys(CODINGS) as Coding[])
  test(`SYNC-24: each answer has the checksum of its body before the compression (${coding})`, async () => {
    const headers = { 'accept-encoding': coding, 'daybook-mark': `mark-${coding}` };
    const mark = `mark-${coding}`;
    const start = await ask('sync/bootstrap', headers);
    expect(start.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
    expect((await expectSum(start, mark)).toString()).toContain('"success":true');
    await expectSum(await ask('sync/runs/2026-03-01', headers), mark);
    for (const [path, status] of [
      ['sync/events?after=x&epoch=e', 400],
      ['sync/events', 400],
      ['sync/bootstrap?protocol=0', 426],
    ] as const) {
      const refused = await ask(path, headers);
      expect(refused.status).toBe(status);
      await expectSum(refused, mark);
    }
    const unknown = await ask('sync/bootstrap', { ...headers, authorization: 'Bearer x' });
    expect(unknown.status).toBe(401);
    await expectSum(unknown, mark);
  });

test('SYNC-24: programs that ask without a mark, or with one that is none, get no checksum', async () => {
  for (const mark of [{}, { 'daybook-mark': '' }, { 'daybook-mark': 'a b' }]) {
    const answer = await ask('sync/bootstrap', mark);
    expect([answer.status, answer.headers.get('daybook-sum')]).toEqual([200, null]);
  }
});

test('SYNC-24: a file that is streamed is not collected in memory for a checksum', async () => {
  const request = new Request('http://daybook.test/', { headers: { 'daybook-mark': 'm' } });
  const file = new Response('a,b', { headers: { 'content-type': 'text/csv; charset=utf-8' } });
  expect(await withSum(request, file)).toBe(file);
});

test('SYNC-24: each message of the stream follows its checksum', async () => {
  const stream = await ask('sync/stream', { 'daybook-mark': 'm' });
  expect(stream.headers.get('daybook-sum')).toBeNull();
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  const [, sum, data] =
    /^sum: ([\da-f]{8})\ndata: (.*)\n\n$/.exec(String(Buffer.from(value ?? []))) ?? [];
  expect(data).toContain('"kind":"head"');
  expect(sum).toBe(
    crc32(Buffer.from(data ?? ''))
      .toString(16)
      .padStart(8, '0'),
  );
});
