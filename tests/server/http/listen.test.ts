import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok } from '#contract/result.ts';
import { listen } from '#server/platform/http/listen.ts';
import type { Listening } from '#server/platform/http/listen.ts';
import { CSP } from '#server/platform/http/security-headers.ts';
import { syncHandlers } from '#server/platform/sync/handlers.ts';
import type { App, Fixture } from './fixtures.ts';
import { accounts, getApp, login, makeFixture, provider, user } from './fixtures.ts';

let fixture: Fixture;
let app: App;
let server: Listening;
let base: string;
let host: string;
let tenant: string;
let id: string;

beforeAll(async () => {
  fixture = await makeFixture();
  app = getApp(fixture.context, { ...accounts(fixture.context), ...syncHandlers(fixture.context) });
  server = await listen(app, 0, '127.0.0.1');
  base = `http://127.0.0.1:${server.port}/api/v1`;
  ({ tenant, host } = await provider(fixture, '127.0.0.1'));
  id = await user(fixture, tenant);
});
afterAll(() => server.stop(0));

const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(text);
    });
    let got = '';
    socket.on('data', (chunk) => {
      got += String(chunk);
    });
    socket.on('close', () => {
      resolve(got);
    });
    socket.on('error', reject);
    socket.setTimeout(60_000, () => socket.destroy());
  });

async function openStream(token: string): Promise<{ pokes: string[]; ended: Promise<void> }> {
  const answer = await fetch(`${base}/sync/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect([
    answer.status,
    answer.headers.get('content-type'),
    answer.headers.get('content-encoding'),
  ]).toEqual([200, 'text/event-stream', null]);
  const pokes: string[] = [];
  const ended = (async () => {
    for await (const chunk of answer.body ?? []) pokes.push(Buffer.from(chunk).toString());
  })();
  await expect.poll(() => pokes.length, { timeout: 60_000 }).toBeGreaterThan(0);
  return { pokes, ended };
}

test("HTTP-14: over a real socket a call is answered, with the caller's own address and host", async () => {
  const answer = await fetch(`${base}/service-providers/branding`);
  expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([200, CSP]);
  expect(fixture.lines.findLast((line) => line.includes('branding'))).toContain('"ip":"127.0.0.1"');
});

test('HTTP-14: an invalid request is refused without internal details', async () => {
  const refused = [
    'GET /api/v1/service-providers/branding HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    'GET http://[/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
    'TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Secret: S3cret\r\n\r\n',
    'nonsense\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\nConnection: close\r\n\r\n`,
    'POST /api/v1/auth/login/db HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\nConnection: close\r\n\r\n0\r\n\r\n',
  ];
  for (const text of refused) {
    const got = await raw(text);
    expect(got).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(got).not.toMatch(/S3cret|node_modules|at .*\(|stack/);
  }
  expect(await raw(refused[0] ?? '')).toContain(`content-security-policy: ${CSP}`);
});

test('HTTP-6: over a real socket a body above the limit is refused before it has arrived', async () => {
  const token = (await login(app, host)).body.data.token;
  const got = await raw(
    `POST /api/v1/auth/logout HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\n{"a":"`,
  );
  expect(got).toMatch(/^HTTP\/1\.1 413 /);
  expect(got).toContain('"kind":"too-large"');
});

test('G33: a stream is notified and closed within 5 s of logging out, and of losing a role', async () => {
  const one = (await login(app, host)).body.data.token;
  const two = (await login(app, host)).body.data.token;
  const out = await openStream(one);
  const scoped = await openStream(two);
  const began = performance.now();
  await fetch(`${base}/auth/logout`, {
    method: 'POST',
    headers: { 'authorization': `Bearer ${one}`, 'content-type': 'application/json' },
    body: '{}',
  });
  await fixture.context.store.tenant(tenant, (tx) =>
    tx.append(
      [
        {
          event: { type: 'user.scoped@1', data: { id, roles: ['read-only'], companies: null } },
          company: null,
          entity: `user:${id}`,
        },
      ],
      { actor: { kind: 'clock' }, subject: null, commandId: null, at: 0 },
    ),
  );
  await Promise.all([out.ended, scoped.ended]);
  expect(performance.now() - began).toBeLessThan(5_000);
  expect([
    out.pokes.join('').includes('{"kind":"out"}'),
    scoped.pokes.join('').includes('{"kind":"scope"}'),
  ]).toEqual([true, true]);
});

test('HTTP-15: stopping finishes running calls, cuts streams, and accepts nothing new', async () => {
  const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = getApp(fixture.context, {
    ...accounts(fixture.context),
    ...syncHandlers(fixture.context),
    lastSync: async () => {
      arrived.resolve();
      await gate.promise;
      return ok({ status: 'NEVER', at: null, failed: [], sources: [] });
    },
  });
  const own = await listen(slow, 0, '127.0.0.1');
  const at = `http://127.0.0.1:${own.port}/api/v1`;
  const headers = { authorization: `Bearer ${(await login(app, host)).body.data.token}` };
  const stream = await fetch(`${at}/sync/stream`, { headers });
  const reading = stream.text().catch(() => 'cut');
  const running = fetch(`${at}/sync/last-sync`, { headers });
  await expect
    .poll(() => fixture.lines.some((line) => line.includes('sync/stream')), { timeout: 60_000 })
    .toBe(true);
  await arrived.promise;
  const stopped = own.stop(600);
  gate.resolve();
  expect((await running).status).toBe(200);
  await stopped;
  expect(await reading).toBe('cut');
  await expect(fetch(`${at}/service-providers/branding`)).rejects.toThrow('fetch failed');
});

test('HTTP-16: a port in use is a failure with a name', async () => {
  await expect(listen(app, server.port, '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
