import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { CALLS, getCall } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { ok } from '#contract/result.ts';
import { loggedPath } from '#server/platform/http/access.ts';
import { callerReader } from '#server/platform/http/client-address.ts';
import { chosenCoding } from '#server/platform/http/compress.ts';
import { openApi } from '#server/platform/http/openapi.ts';
import { makeQueue } from '#server/platform/http/concurrency.ts';
import { CALL_LIMITS } from '#server/platform/http/serve-call.ts';
import type { Fixture } from './fixtures.ts';
import {
  accounts,
  getApp,
  ask,
  cookieIn,
  login,
  makeFixture,
  PASSWORD,
  provider,
  user,
} from './fixtures.ts';

let fixture: Fixture;
let host: string;
let token: string;
beforeAll(async () => {
  fixture = await makeFixture();
  const { tenant, host: at } = await provider(fixture);
  host = at;
  await user(fixture, tenant);
  token = (await login(getApp(fixture.context), host)).body.data.token;
});

const lastSync = '/api/v1/sync/last-sync';
/** A poll's own second is little on a machine that does other things too. */
const PATIENT = { timeout: 60_000 };
const many = {
  status: 'FAILED' as const,
  at: 1,
  failed: Array.from({ length: 200 }, (_, at) => ({
    entity: `source ${at}`,
    at,
    message: 'did not answer',
    kind: 'key' as const,
    id: null,
    name: `source ${at}`,
    company: null,
  })),
  sources: [],
};

test('HTTP-8: an answer is compressed as the caller prefers; small ones, streams and answers with a token are not', async () => {
  const bytes = new Uint8Array(5_000).fill(7);
  const app = getApp(fixture.context, {
    ...accounts(fixture.context),
    lastSync: async () => ok(many),
    getDayRuns: async ({ day }) =>
      new Response(day === '2026-01-02' ? bytes.subarray(0, 500) : bytes, {
        headers: { 'etag': '"a"', 'content-type': 'application/octet-stream' },
      }),
    stream: async () =>
      new Response('data: 1\n\n'.repeat(500), { headers: { 'content-type': 'text/event-stream' } }),
  });
  const get = async (path: string, accept: string) => {
    const answer = await app.request(path, {
      headers: { host, 'authorization': `Bearer ${token}`, 'accept-encoding': accept },
    });
    return {
      coding: answer.headers.get('content-encoding'),
      etag: answer.headers.get('etag'),
      vary: answer.headers.get('vary'),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  };
  const plain = (await get(lastSync, '')).body;
  const [zstd, br, gzip] = [
    await get(lastSync, 'gzip, deflate, br, zstd'),
    await get(lastSync, 'br;q=1.0, zstd;q=0.2'),
    await get(lastSync, 'gzip'),
  ];
  expect([zstd.coding, br.coding, gzip.coding, zstd.vary]).toEqual([
    'zstd',
    'br',
    'gzip',
    'accept-encoding',
  ]);
  expect([
    zstdDecompressSync(zstd.body),
    brotliDecompressSync(br.body),
    gunzipSync(gzip.body),
  ]).toEqual([plain, plain, plain]);
  expect((await get(lastSync, 'identity')).coding).toBeNull();
  const page = await get('/api/v1/sync/runs/2026-01-01', 'zstd');
  expect([page.coding, page.etag, new Uint8Array(zstdDecompressSync(page.body))]).toEqual([
    'zstd',
    '"a"',
    bytes,
  ]);
  expect((await get('/api/v1/sync/stream', 'zstd')).coding).toBeNull();
  expect((await get('/api/v1/sync/runs/2026-01-02', 'zstd')).coding).toBeNull();
  expect(
    (
      await login(app, host, 'kate', PASSWORD, { headers: { 'accept-encoding': 'gzip' } })
    ).headers.get('content-encoding'),
  ).toBeNull();
  expect([
    chosenCoding('*'),
    chosenCoding('zstd;q=0, *;q=0.5'),
    chosenCoding('br;q=0'),
    chosenCoding(null),
  ]).toEqual(['zstd', 'br', null, null]);
});

test('HTTP-9, G27: concurrent requests are limited; the excess is told when to retry, and the rest continues', async () => {
  let inside = 0;
  let max = 0;
  const gate = Promise.withResolvers<void>();
  const app = getApp(
    fixture.context,
    {
      ...accounts(fixture.context),
      lastSync: async () => {
        inside += 1;
        max = Math.max(max, inside);
        await gate.promise;
        inside -= 1;
        return ok({ status: 'NEVER' as const, at: null, failed: [], sources: [] });
      },
    },
    { limits: { ...CALL_LIMITS, atOnce: 2, waiting: 3 } },
  );
  const asks = Array.from({ length: 12 }, () => ask(app, lastSync, { host, token }));
  await expect.poll(() => inside, PATIENT).toBe(2);
  const early = await Promise.race(asks);
  gate.resolve();
  const answers = await Promise.all(asks);
  expect([early.status, early.body.error.kind, early.headers.get('retry-after')]).toEqual([
    503,
    'busy',
    '1',
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  expect(max).toBe(2);
  expect((await ask(app, lastSync, { host, token })).status).toBe(200);
});

test('HTTP-9: requests served beside the calls are limited too', async () => {
  const gate = Promise.withResolvers<void>();
  const app = getApp(
    fixture.context,
    {},
    {
      routes: (routes) => {
        routes.all('/ping/*', async () => {
          await gate.promise;
          return new Response('OK');
        });
      },
      limits: { ...CALL_LIMITS, ingestAtOnce: 1, ingestWaiting: 1 },
    },
  );
  const pings = [
    ask(app, '/ping/a', { host }),
    ask(app, '/ping/b', { host }),
    ask(app, '/ping/c', { host }),
  ];
  const early = await Promise.race(pings);
  gate.resolve();
  expect([
    early.status,
    early.headers.get('retry-after'),
    early.headers.get('x-content-type-options'),
  ]).toEqual([503, '1', 'nosniff']);
  expect((await Promise.all(pings)).filter(({ status }) => status === 200)).toHaveLength(2);
});

test('HTTP-9: a free slot goes to the next in line, also after a failure', async () => {
  const queue = makeQueue(1, 2);
  const order: number[] = [];
  const step = (n: number) =>
    queue.run(async () => {
      order.push(n);
      await Promise.resolve();
      if (n === 1) throw new Error('one');
      return n;
    });
  const [one, two, three, four] = [step(1), step(2), step(3), step(4)];
  expect(four).toBeNull();
  await expect(one).rejects.toThrow('one');
  expect([await two, await three, order, queue.running, queue.waiting]).toEqual([
    2,
    3,
    [1, 2, 3],
    0,
    0,
  ]);
});

test('HTTP-10: a call that takes too long is abandoned, and keeps its slot until it really ends', async () => {
  const gate = Promise.withResolvers<void>();
  const app = getApp(
    fixture.context,
    {
      ...accounts(fixture.context),
      lastSync: async () => {
        await gate.promise;
        throw new Error('late');
      },
    },
    { limits: { ...CALL_LIMITS, atOnce: 1, waiting: 0, timeoutMs: 30 } },
  );
  expect((await ask(app, lastSync, { host, token })).body.error.kind).toBe('busy');
  expect((await ask(app, lastSync, { host, token })).status).toBe(503);
  gate.resolve();
  await expect
    .poll(
      () =>
        fixture.lines.some(
          (line) => line.includes('after its time was up') && line.includes('late'),
        ),
      PATIENT,
    )
    .toBe(true);
});

const callerAt = (trusted: string[], near: string, headers: Record<string, string>) =>
  callerReader(trusted)(
    new Request('http://a.example:80/', { headers: { host: 'A.example:4300', ...headers } }),
    { incoming: { socket: { remoteAddress: near } } },
  );

test("HTTP-11: a proxy's claims are trusted only from trusted proxies, and only as far as trusted ones forwarded them", () => {
  const claims = {
    'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.0.0.2',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'Portal.example',
  };
  expect(callerAt([], '198.51.100.1', claims)).toEqual({
    ip: '198.51.100.1',
    tls: false,
    host: 'a.example:4300',
  });
  expect(callerAt(['10.0.0.0/8'], '198.51.100.1', claims)).toEqual({
    ip: '198.51.100.1',
    tls: false,
    host: 'a.example:4300',
  });
  expect(callerAt(['10.0.0.0/8'], '::ffff:10.0.0.1', claims)).toEqual({
    ip: '203.0.113.9',
    tls: true,
    host: 'portal.example',
  });
  expect(callerAt(['10.0.0.1'], '10.0.0.1', claims).ip).toBe('10.0.0.2');
  expect(callerAt(['10.0.0.1'], '10.0.0.1', { 'x-forwarded-for': 'nonsense' })).toEqual({
    ip: '10.0.0.1',
    tls: false,
    host: 'a.example:4300',
  });
  expect(callerAt(['fd00::/8'], 'fd00::1', claims).ip).toBe('10.0.0.2');
});

test('G46: over TLS the browser is told to use HTTPS for a year', async () => {
  const ahead = {
    ...fixture.context,
    config: { ...fixture.context.config, trustedProxies: ['192.0.2.7'] },
  };
  const over = await ask(getApp(ahead), '/api/v1/service-providers/branding', {
    host,
    headers: { 'x-forwarded-proto': 'https' },
  });
  expect(over.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  expect(
    (await ask(getApp(ahead), '/api/v1/service-providers/branding', { host })).headers.get(
      'strict-transport-security',
    ),
  ).toBeNull();
});

test('HTTP-12: the log has each request and its outcome, and no password, token, cookie, key or query', async () => {
  const app = getApp(
    fixture.context,
    { ...accounts(fixture.context), lastSync: async () => ok(many) },
    {
      routes: (routes) => {
        routes.all('/ping/*', () => new Response('OK'));
      },
    },
  );
  const before = fixture.lines.length;
  const session = await login(app, host);
  const access = session.body.data.token;
  const cookie = cookieIn(session) ?? '';
  const key = 'Kx7'.repeat(14);
  await ask(app, lastSync, { host, token: access });
  await login(app, host, 'kate', 'wr0ng-passw0rd');
  await ask(app, `/ping/${key}/nightly/start?rid=${key}`, {
    method: 'POST',
    host,
    body: 'l0g-of-the-tool',
  });
  await ask(app, `/%70ing/${key}`, { host });
  await ask(app, `/api/v1/none/${access}?token=${access}`, { host, cookie, token: access });
  await ask(app, '/api/v1/auth/refresh?x=s3cret-query', {
    method: 'POST',
    host,
    cookie,
    body: {},
    headers: { 'daybook-client': '1' },
  });
  const lines = fixture.lines.slice(before);
  const text = lines.join('\n');
  for (const secret of [
    access,
    cookie.split('=')[1] ?? 'none',
    PASSWORD,
    'wr0ng-passw0rd',
    key,
    's3cret-query',
    'l0g-of-the-tool',
  ])
    expect(text).not.toContain(secret);
  const requests = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ what }) => what === 'request');
  expect(requests).toHaveLength(7);
  expect(requests[1]).toMatchObject({
    level: 'info',
    method: 'GET',
    path: '/api/v1/sync/last-sync',
    status: 200,
    ms: expect.any(Number),
    ip: '192.0.2.7',
    tenant: expect.any(String),
    user: expect.any(String),
    id: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  expect(requests[3]).toMatchObject({ path: '/ping/***/nightly/start' });
  expect([
    loggedPath('/PING/abc/x'),
    loggedPath('//ping/abc'),
    loggedPath(`/a/${'b'.repeat(1_000)}`),
  ]).toEqual(['/PING/***/x', '//ping/***', '/a/***']);
});

test('HTTP-13: the OpenAPI page lists every call with its parameters, answers and failures, and is well formed', async () => {
  const { status, body } = await ask(getApp(fixture.context), '/api/v1/openapi.json', { host });
  expect([status, body]).toEqual([200, openApi()]);
  const page = openApi() as unknown as Page;
  expect(page.openapi).toBe('3.1.0');
  for (const name of Object.keys(CALLS) as CallName[]) {
    const { method, path } = getCall(name);
    expect(page.paths[`/${path}`]?.[method.toLowerCase()]?.operationId).toBe(name);
  }
  const operations = Object.entries(page.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => /^(get|post|put|patch|delete)$/.test(key))
      .map(([, operation]) => ({ path, operation })),
  );
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(
    operations.length,
  );
  for (const { path, operation } of operations) {
    const inPath = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
    expect(Object.keys(operation.responses)).toContain('200');
    for (const response of Object.values(operation.responses))
      expect(response.description).not.toBe('');
  }
  expect(page.paths['/ping/{key}/{slug}']?.['post']?.operationId).toBe('pingJobPost');
  const changed = page.paths['/monitoring/backoffice/jobExecutions/{id}']?.['put'];
  expect(Object.keys(changed?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '400', '401', '403', '404', '409', '413', '422', '503']),
  );
  const refs = [...JSON.stringify(page).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  );
  for (const ref of new Set(refs))
    expect(
      ref
        .split('/')
        .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], page),
    ).toBeDefined();
});

interface Page {
  openapi: string;
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters: { in: string; name: string }[];
        responses: Record<string, { description: string }>;
      }
    >
  >;
}
