import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OutboundError } from '#server/platform/outbound/address.ts';
import { outboundStream } from '#server/platform/outbound/stream.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { makeFixture } from '../http/fixtures.ts';
import { HERE } from './outside.ts';

let context: AppContext;
let strict: AppContext;
beforeAll(async () => {
  const fixture = await makeFixture();
  context = { ...fixture.context, config: { ...fixture.context.config, ...HERE } };
  strict = {
    ...fixture.context,
    config: { ...fixture.context.config, outbound: { allow: [], http: true } },
  };
});

const sockets = new Set<unknown>();
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
const server = createServer((request, response) => {
  sockets.add(request.socket);
  answer(request, response);
});
let base = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const everything = (): boolean => true;

test('OUTB-4: connections stay open between requests, and bodies are streamed both ways', async () => {
  const out = outboundStream(context, everything);
  const seen: string[] = [];
  answer = (request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => seen.push(text));
    request.on('end', () => {
      seen.push(
        [request.method, request.headers['content-length'], request.headers['x-a']].join(' '),
      );
      response.end('hello');
    });
  };
  for (let n = 0; n < 3; n += 1) {
    const request = new Request(`${base}/a?b=c`, {
      method: 'PUT',
      body: 'grüße',
      headers: { 'x-a': '1' },
    });
    expect(await (await out.fetch(request)).text()).toBe('hello');
  }
  expect(seen).toEqual(Array.from({ length: 3 }, () => ['grüße', 'PUT 7 1']).flat());
  expect(sockets.size).toBe(1);
  out.close();
});

test('OUTB-4: the first bytes arrive before the last ones are sent; a cut body is an error, never a short one', async () => {
  const out = outboundStream(context, everything);
  let end: (() => void) | null = null;
  answer = (_, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('first');
    end = () => response.destroy();
  };
  const reader = (await out.fetch(new Request(base))).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first');
  (end as (() => void) | null)?.();
  await expect(reader?.read()).rejects.toThrow(Error);
  answer = (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('packed'.repeat(100)).subarray(0, 20));
  };
  await expect((await out.fetch(new Request(base))).text()).rejects.toThrow(Error);
  answer = (_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('packed'.repeat(100)));
  };
  expect(await (await out.fetch(new Request(base))).text()).toBe('packed'.repeat(100));
  out.close();
});

test('OUTB-4: a request ends with its signal, whether or not its response has begun', async () => {
  const out = outboundStream(context, everything);
  let open = 0;
  let closed = 0;
  answer = (request, response) => {
    open += 1;
    request.socket.once('close', () => (closed += 1));
    if (request.url === '/begun') response.write('x');
  };
  for (const path of ['/silent', '/begun']) {
    const stop = new AbortController();
    const pending = out.fetch(new Request(`${base}${path}`, { signal: stop.signal }));
    const read = pending.then(async (response) => response.text());
    const before = open;
    if (path === '/begun') await pending;
    else await expect.poll(() => open).toBe(before + 1);
    stop.abort();
    await expect(read).rejects.toThrow(Error);
  }
  await expect.poll(() => closed).toBe(2);
  out.close();
});

test('OUTB-4: responses without a body give their connections back', async () => {
  const out = outboundStream(context, everything);
  sockets.clear();
  answer = ({ url }, response) => {
    response.writeHead(Number(url?.slice(1))).end();
  };
  for (const status of [204, 304, 204, 304, 204, 304])
    expect((await out.fetch(new Request(`${base}/${status}`))).status).toBe(status);
  // The next request may begin before a connection is back.
  expect(sockets.size).toBeLessThanOrEqual(2);
  out.close();
});

test("OUTB-1, OUTB-4: only the service's hosts are connected to, and none in a private network", async () => {
  let request = 0;
  answer = (_, response) => {
    request += 1;
    response.end();
  };
  const narrow = outboundStream(context, (host) => host === 'graph.example.com');
  const closed = outboundStream(strict, everything);
  for (const out of [narrow, closed])
    await expect(out.fetch(new Request(base))).rejects.toThrow(OutboundError);
  expect(request).toBe(0);
});

test('OUTB-2, OUTB-4: no redirect is followed', async () => {
  const out = outboundStream(context, everything);
  let request = 0;
  answer = (_, response) => {
    request += 1;
    response.writeHead(302, { location: '/secret' }).end();
  };
  const response = await out.fetch(new Request(base));
  expect([response.status, response.headers.get('location'), request]).toEqual([302, '/secret', 1]);
  out.close();
});
