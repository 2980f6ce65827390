import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { graphClient } from '#server/engine/embedded/graph/client.ts';
import { download } from '#server/engine/embedded/graph/download.ts';
import { upload } from '#server/engine/embedded/graph/upload.ts';
import { driveSource } from '#server/engine/embedded/sources/drive.ts';
import { mailSource } from '#server/engine/embedded/sources/mail.ts';
import type { Fetch } from '#server/engine/embedded/graph/request.ts';
import { Governor } from '#server/engine/embedded/graph/governor.ts';
import { waitClock } from '#server/engine/embedded/graph/clock.ts';
import { systemClock } from '#server/platform/clock.ts';
import { outboundStream } from '#server/platform/outbound/stream.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { HERE } from '../../outbound/outside.ts';
import { backUp } from './restoring.ts';
import { ordinaryPeople, tenantGraph } from './tenant.ts';

/** Only what outgoing requests read. */
const context = { config: HERE } as unknown as AppContext;

/** Which part of a body is sent before the connection breaks; null: all of it. */
let cutAt: (n: number) => number | null = () => null;
let served = 0;
let tenantFetch: Fetch = () => Promise.reject(new Error('no tenant'));
const server = createServer((request, response) => {
  const serve = async (): Promise<void> => {
    served += 1;
    const share = cutAt(served);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await tenantFetch(
      new Request(`https://${String(request.headers['x-cloud-host'])}${request.url}`, {
        method: request.method ?? 'GET',
        headers: new Headers(
          Object.entries(request.headersDistinct).map(([key, all]) => [key, all?.join(', ') ?? '']),
        ),
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      }),
    );
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      'content-length': body.byteLength,
    });
    if (share === null) return void response.end(body);
    response.write(body.subarray(0, Math.floor(body.byteLength * share)), () => response.destroy());
  };
  void serve();
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A clock that is twenty times as fast. */
const SPEED = 20;
const start = systemClock.now();
const fastClock = waitClock({
  now: () => start + (systemClock.now() - start) * SPEED,
  after: (ms, work) => systemClock.after(ms / SPEED, work),
});

test('ENG-20, ENG-21, OUTB-4: over sockets that break off, a mailbox and a drive are the same as without', async () => {
  const graph = tenantGraph({ files: 12, mails: 15 });
  tenantFetch = (request) => graph.tenant.fetch(request);
  const out = outboundStream(context, (host) => host === '127.0.0.1');
  const ports = {
    ...graph.ports,
    clock: fastClock,
    governor: new Governor({ clock: fastClock, random: graph.ports.random }),
    fetch: async (request: Request): Promise<Response> => {
      const { pathname, search, host } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.set('x-cloud-host', host);
      const { method, signal } = request;
      const body = request.body === null ? {} : { body: await request.arrayBuffer() };
      return out.fetch(
        new Request(`http://127.0.0.1:${port}${pathname}${search}`, {
          method,
          headers,
          signal,
          ...body,
        }),
      );
    },
  };
  const [person] = ordinaryPeople(graph);
  const mailbox = { kind: 'mailbox' as const, id: person?.id ?? '', name: '', address: '' };
  const drive = { ...mailbox, kind: 'drive' as const };
  const read = async (from: typeof ports | typeof graph.ports) => [
    ...(await backUp(graph, mailSource(from), mailbox)),
    ...(await backUp(graph, driveSource(from), drive)),
  ];
  const getState = (stored: Awaited<ReturnType<typeof read>>) =>
    stored
      .map(
        ({ item, parts }) =>
          `${item.key} ${item.changeKey} ${[...parts].map(([as, bytes]) => `${as} ${Buffer.from(bytes).toString('base64').length}`).join(' ')}`,
      )
      .sort((a, b) => (a < b ? -1 : 1));
  const whole = await read(graph.ports);
  cutAt = (n) => (n % 5 === 0 ? (n % 4) / 4 : null);
  const cut = await read(ports);
  expect(served).toBeGreaterThan(whole.length);
  expect(getState(cut)).toEqual(getState(whole));
  for (const { item, parts } of cut) {
    const same = whole.find((one) => one.item.key === item.key);
    for (const [as, bytes] of parts)
      expect(Buffer.from(bytes).equals(Buffer.from(same?.parts.get(as) ?? []))).toBe(true);
  }
  out.close();
});

test('OUTB-4: redirects to content, parts of uploads and ends of downloads give their connections back', async () => {
  const sockets = new Set<unknown>();
  const storage = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => {
      if (request.url === '/v1.0/drives/1/items/2/content')
        response.writeHead(302, { location: 'https://demo-my.sharepoint.com/2' }).end('Found');
      else if (request.url === '/end')
        response.writeHead(416, { 'content-range': 'bytes */0' }).end('None left');
      else if (request.headers['content-range'] === 'bytes 9-9/10')
        response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"made"}');
      else response.writeHead(202, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    storage.listen(0, '127.0.0.1', resolve);
  });
  const out = outboundStream(context, (host) => host === '127.0.0.1');
  const { ports } = tenantGraph();
  const near = {
    ...ports,
    clock: fastClock,
    governor: new Governor({ clock: fastClock, random: ports.random }),
    fetch: async (request: Request): Promise<Response> => {
      const { port: at } = storage.address() as AddressInfo;
      const { method, headers, signal } = request;
      const body = request.body === null ? {} : { body: await request.arrayBuffer() };
      const url = `http://127.0.0.1:${at}${new URL(request.url).pathname}`;
      return out.fetch(new Request(url, { method, headers, signal, ...body }));
    },
  };
  const scope = {
    lane: { service: 'drive' as const, object: '1' },
    signal: new AbortController().signal,
    onWaiting: () => undefined,
  };
  for (let n = 0; n < 3; n += 1)
    expect(await graphClient(near, scope).location('/drives/1/items/2/content')).toEqual({
      ok: true,
      value: 'https://demo-my.sharepoint.com/2',
    });
  expect(sockets.size).toBe(1);
  const uploadUrl = 'https://demo-my.sharepoint.com/session';
  const content = Readable.from([Buffer.alloc(10)]);
  const input = { uploadUrl, bytes: 10, content, fragmentBytes: 3 };
  expect(await upload(near, scope, input, v.object({ id: v.string() }))).toEqual({
    ok: true,
    value: { id: 'made' },
  });
  expect(sockets.size).toBe(1);
  const notebook = {
    bytes: 5,
    hash: null,
    isUnchanged: () => Promise.resolve({ ok: true as const, value: true }),
    link: () => Promise.resolve({ ok: true as const, value: 'https://demo-my.sharepoint.com/end' }),
  };
  for (let n = 0; n < 3; n += 1)
    for await (const piece of download(near, scope, notebook)) expect(piece).toBeNull();
  expect(sockets.size).toBe(1);
  out.close();
  storage.closeAllConnections();
  storage.close();
});
