import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { allHandlers } from '#server/handlers.ts';
import { claimBody, makeBodyBudget, takeBytes } from '#server/platform/http/body-budget.ts';
import type { BodyBudget } from '#server/platform/http/body-budget.ts';
import { callerNetwork } from '#server/platform/http/network.ts';
import type { Listening, ListenLimits } from '#server/platform/http/listen.ts';
import { listen } from '#server/platform/http/listen.ts';
import { pingRoutes } from '#server/features/ingest/ping.ts';
import type { AppContext } from '#server/platform/app-context.ts';
import { getApp, login, makeFixture, PASSWORD, provider, user } from './fixtures.ts';
import type { App, Fixture } from './fixtures.ts';

const PATIENT = { timeout: 60_000 };
const ADDRESS_BYTES = 32_768;
const STRANGER_BYTES = 3 * ADDRESS_BYTES;
let fixture: Fixture;
let app: App;
let budget: BodyBudget;
let host: string;
let server: Listening | undefined;
let clients: Client[] = [];

beforeEach(async () => {
  const made = await makeFixture({ trustedProxies: ['127.0.0.1'] });
  // The deadline of public calls doesn't pass while a busy machine opens connections: what is
  // refused is refused for want of room.
  const clock = { ...made.context.clock, after: () => ({ cancel: () => undefined }) };
  fixture = { ...made, context: { ...made.context, clock } };
  const { tenant, host: at } = await provider(fixture);
  host = at;
  await user(fixture, tenant);
  budget = makeBodyBudget({
    ...LIMITS,
    strangerBodyBytesAtOnce: STRANGER_BYTES,
    addressBodyBytesAtOnce: ADDRESS_BYTES,
  });
  app = getApp(fixture.context, allHandlers(fixture.context), {
    routes: pingRoutes(fixture.context),
    bodies: budget,
  });
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  clients = [];
  await server?.stop(0);
  server = undefined;
});
const begin = async (limits: Partial<ListenLimits> = {}): Promise<void> => {
  server = await listen(app, 0, '127.0.0.1', { ...ENDLESS, ...limits });
};
/** Only the test of these limits has them: a busy machine takes as long to open connections. */
const ENDLESS = { headersMs: 600_000, requestMs: 600_000 };

/** A connection that sends what it is given and nothing more. */
interface Client {
  readonly socket: Socket;
  readonly got: () => string;
  readonly isClosed: () => boolean;
}
async function client(text: string, localAddress = '127.0.0.1'): Promise<Client> {
  let got = '';
  let isClosed = false;
  const socket = connect({ port: server?.port ?? 0, host: '127.0.0.1', localAddress });
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      isClosed = true;
      resolve();
    });
  });
  await Promise.race([
    new Promise<void>((resolve) => {
      socket.on('connect', () => {
        socket.write(text, 'latin1', () => {
          resolve();
        });
      });
    }),
    closed,
  ]);
  const one = { socket, got: () => got, isClosed: () => isClosed };
  clients.push(one);
  return one;
}

/** Connections that the server has not closed. */
const open = (): number => clients.filter(({ isClosed }) => !isClosed()).length;
const SIGN_IN = '/api/v1/auth/login/db';
const head = (path: string, fields: Readonly<Record<string, string>>, method = 'POST'): string =>
  `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${Object.entries(
    fields,
  )
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
/** A piece of a body in chunks, whose end is open. */
const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
const slowFrom = (ip: string, bytes: number): Promise<Client> =>
  client(head(SIGN_IN, { 'x-forwarded-for': ip, 'transfer-encoding': 'chunked' }) + chunk(bytes));
const getStatus = ({ got }: Client): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(got())?.[1] ?? 0);
const statuses = (): number[] => clients.map(getStatus);

test('HTTP-19: a call without sign-in reads at most 16 kB, announced or not', async () => {
  await begin();
  const announced = await client(
    head(SIGN_IN, { 'content-length': String(LIMITS.publicBodyBytes + 1) }),
  );
  const streamed = await slowFrom('203.0.113.1', LIMITS.publicBodyBytes + 1);
  await expect.poll(statuses, PATIENT).toEqual([413, 413]);
  expect(
    [announced.got(), streamed.got()].every((text) => text.includes('"kind":"too-large"')),
  ).toBe(true);
  const body = JSON.stringify({ username: 'kate', password: PASSWORD, rememberComputer: false });
  const padded = body.padEnd(LIMITS.publicBodyBytes);
  expect(
    getStatus(await answered(head(SIGN_IN, { 'content-length': String(padded.length) }) + padded)),
  ).toBe(200);
  await expect.poll(() => budget.heldBytes, PATIENT).toBe(0);
});

async function answered(text: string): Promise<Client> {
  const one = await client(text);
  await expect.poll(() => getStatus(one), PATIENT).toBeGreaterThan(0);
  return one;
}

test('HTTP-19: many slow bodies of strangers use no more than their share, one address no more than its own, and others are served meanwhile', async () => {
  await begin();
  const token = (await login(app, host)).body.data.token;
  const held: number[] = [];
  for (let wave = 0; wave < 5; wave += 1) {
    await Promise.all(Array.from({ length: 40 }, (_, n) => slowFrom(`203.0.113.${n % 4}`, 12_000)));
    await expect
      .poll(() => {
        held.push(budget.heldBytes);
        return budget.heldBytes;
      }, PATIENT)
      .toBeGreaterThan(0);
  }
  await expect
    .poll(() => statuses().filter((status) => status === 503).length, PATIENT)
    .toBeGreaterThanOrEqual(200 - STRANGER_BYTES / 12_000);
  expect(Math.max(...held)).toBeLessThanOrEqual(STRANGER_BYTES);
  const [refused] = clients.filter((one) => getStatus(one) === 503);
  expect([
    refused?.got().includes('"kind":"busy"'),
    /\r\nretry-after: 1\r\n/i.test(refused?.got() ?? ''),
  ]).toEqual([true, true]);
  // Whoever is signed in is no stranger.
  expect(
    getStatus(
      await answered(
        head('/api/v1/auth/logout', { 'authorization': `Bearer ${token}`, 'content-length': '2' }) +
          '{}',
      ),
    ),
  ).toBe(200);
  expect(getStatus(await answered(head('/api/v1/service-providers/branding', {}, 'GET')))).toBe(
    200,
  );
  for (const { socket } of clients) socket.destroy();
  await expect.poll(() => budget.heldBytes, PATIENT).toBe(0);
  const again = JSON.stringify({ username: 'kate', password: PASSWORD, rememberComputer: false });
  expect(
    getStatus(await answered(head(SIGN_IN, { 'content-length': String(again.length) }) + again)),
  ).toBe(200);
});

test('HTTP-19: 1,500 slow bodies of strangers, from many addresses or one, never use more than the documented 16 MiB, of one address 4 MiB', async () => {
  const MIB = 1_048_576;
  const full = makeBodyBudget();
  const held: number[] = [];
  let arrived = 0;
  const sampled: BodyBudget = {
    open(request, ip) {
      arrived += 1;
      const close = full.open(request, ip);
      // The most that is held at a time is held right before something is given back.
      return () => {
        held.push(full.heldBytes);
        close();
      };
    },
    get heldBytes() {
      return full.heldBytes;
    },
  };
  app = getApp(fixture.context, allHandlers(fixture.context), {
    routes: pingRoutes(fixture.context),
    bodies: sampled,
  });
  await begin();
  for (const [addresses, max] of [
    [1_500, 16 * MIB],
    [1, 4 * MIB],
  ] as const) {
    // More than the system accepts at once (511) would be lost, and some of them for over a minute.
    for (let from = 0; from < 1_500; from += 250) {
      await Promise.all(
        Array.from({ length: 250 }, (_, i) => from + i).map((n) =>
          slowFrom(
            `198.51.${100 + Math.floor((n % addresses) / 250)}.${(n % addresses) % 250}`,
            16_000,
          ),
        ),
      );
      await expect.poll(() => arrived, PATIENT).toBe(from + 250);
    }
    arrived = 0;
    const refused = Math.floor(1_500 - max / 16_000);
    await expect
      .poll(() => statuses().filter((status) => status === 503).length, PATIENT)
      .toBeGreaterThanOrEqual(refused);
    held.push(full.heldBytes);
    expect(Math.max(...held)).toBeLessThanOrEqual(max);
    expect(Math.max(...held)).toBeGreaterThan(max / 2);
    for (const { socket } of clients) socket.destroy();
    await expect.poll(() => full.heldBytes, PATIENT).toBe(0);
    clients = [];
    held.length = 0;
  }
});

test("HTTP-19: a body of a public call that hasn't arrived after ten seconds is refused and its bytes are released; a user has longer", async () => {
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let passed = 0;
  const pass = (ms: number): void => {
    passed += ms;
    for (const timer of timers)
      if (timer.at <= passed) {
        timers.delete(timer);
        timer.run();
      }
  };
  const after: AppContext['clock']['after'] = (ms, run) => {
    const timer = { at: passed + ms, run };
    timers.add(timer);
    return { cancel: () => void timers.delete(timer) };
  };
  const context: AppContext = { ...fixture.context, clock: { ...fixture.context.clock, after } };
  const token = (await login(app, host)).body.data.token;
  app = getApp(context, allHandlers(context), { bodies: budget });
  await begin();
  const [stranger, known] = [
    await slowFrom('203.0.113.1', 5_000),
    await client(
      head('/api/v1/auth/logout', {
        'authorization': `Bearer ${token}`,
        'transfer-encoding': 'chunked',
      }) + chunk(3_000),
    ),
  ];
  await expect.poll(() => budget.heldBytes, PATIENT).toBe(8_000);
  pass(9_999);
  expect([...(await settled([stranger, known])), budget.heldBytes]).toEqual([0, 0, 8_000]);
  pass(1);
  await expect.poll(() => budget.heldBytes, PATIENT).toBe(3_000);
  await expect.poll(() => getStatus(stranger), PATIENT).toBe(503);
  expect([
    getStatus(known),
    stranger.got().includes('"kind":"busy"'),
    /\r\nretry-after: 1\r\n/i.test(stranger.got()),
  ]).toEqual([0, true, true]);
});

/**
 * Their statuses when the server has answered another request that came after all that they have
 * sent.
 */
async function settled(those: readonly Client[]): Promise<number[]> {
  await answered(head('/api/v1/service-providers/branding', {}, 'GET'));
  return those.map(getStatus);
}

test('HTTP-23: a connection that ends before its body has arrived is not logged as a server failure', async () => {
  await begin();
  await slowFrom('203.0.113.1', 5_000);
  await expect.poll(() => budget.heldBytes, PATIENT).toBe(5_000);
  for (const { socket } of clients) socket.destroy();
  const line = await expect
    .poll(() => fixture.lines.find((one) => one.includes('auth/login/db')), PATIENT)
    .toBeDefined()
    .then(() => fixture.lines.find((one) => one.includes('auth/login/db')));
  expect([
    budget.heldBytes,
    line?.includes('"status":400'),
    fixture.lines.filter((one) => one.includes('"level":"error"')),
  ]).toEqual([0, true, []]);
});

test('HTTP-19: shares are counted for an address, a caller, a provider and in total, and are released', () => {
  const small = makeBodyBudget({
    bodyBytesAtOnce: 100,
    strangerBodyBytesAtOnce: 50,
    addressBodyBytesAtOnce: 30,
    providerBodyBytesAtOnce: 60,
    callerBodyBytesAtOnce: 40,
  });
  const opened = (ip: string) => {
    const request = new Request('http://a.example/');
    return { request, close: small.open(request, ip) };
  };
  const [one, two, three, four] = [
    opened('192.0.2.1'),
    opened('192.0.2.1'),
    opened('192.0.2.2'),
    opened('2001:db8::1'),
  ];
  expect([
    takeBytes(one.request, 20),
    takeBytes(two.request, 11),
    takeBytes(two.request, 10),
    takeBytes(three.request, 21),
    takeBytes(three.request, 20),
    takeBytes(four.request, 1),
  ]).toEqual([true, false, true, false, true, false]);
  claimBody(one.request, 'p', 'user a');
  claimBody(two.request, 'p', 'user b');
  expect([
    small.heldBytes,
    takeBytes(four.request, 30),
    takeBytes(one.request, 21),
    takeBytes(one.request, 20),
    takeBytes(two.request, 1),
  ]).toEqual([50, true, false, true, false]);
  expect([small.heldBytes, takeBytes(two.request, 1)]).toEqual([100, false]);
  three.close();
  four.close();
  expect([
    takeBytes(two.request, 11),
    takeBytes(two.request, 10),
    takeBytes(two.request, 1),
  ]).toEqual([false, true, false]);
  for (const { close } of [one, two, three, four]) {
    close();
    close();
  }
  expect([small.heldBytes, takeBytes(one.request, 1)]).toEqual([0, false]);
});

test('HTTP-20: connections are limited in total and per address, and a declared proxy only in total', async () => {
  await begin({ connections: 40, connectionsPerAddress: 15, trustedProxies: ['127.0.0.3'] });
  for (let n = 0; n < 25; n += 1) await client('', '127.0.0.1');
  await expect.poll(open, PATIENT).toBe(15);
  for (let n = 0; n < 5; n += 1) await client('', '127.0.0.2');
  for (let n = 0; n < 30; n += 1) await client('', '127.0.0.3');
  await expect.poll(open, PATIENT).toBe(40);
  for (const { socket } of clients) socket.destroy();
  await expect.poll(open, PATIENT).toBe(0);
  await expect
    .poll(async () => {
      const one = await client(head('/api/v1/service-providers/branding', {}, 'GET'));
      await expect.poll(() => one.isClosed() || getStatus(one) > 0, PATIENT).toBe(true);
      return getStatus(one);
    }, PATIENT)
    .toBe(200);
});

test('HTTP-20: an office of 200 users behind one address, each browser with six connections and a stream, is within its limit', () => {
  expect(LIMITS.openConnectionsPerAddress).toBeGreaterThanOrEqual(200 * 7);
  expect(LIMITS.openConnections).toBeGreaterThanOrEqual(4 * LIMITS.openConnectionsPerAddress);
  // However an address of IPv6 is written, one network is one.
  expect(
    new Set(
      [
        '2001:db8::1',
        '2001:DB8:0:0:1::2',
        '2001:0db8:0000:0000:ffff::',
        '2001:db8:0:0:1:2:3:4',
      ].map(callerNetwork),
    ).size,
  ).toBe(1);
  expect(
    new Set(
      ['2001:db8::1', '2001:db8:0:1::1', '::1', '192.0.2.1', '::ffff:192.0.2.2'].map(callerNetwork),
    ).size,
  ).toBe(5);
});

test("HTTP-21: headers and bodies that don't arrive time out", async () => {
  await begin({ headersMs: 300, requestMs: 600, checkMs: 50 });
  const noHeaders = await client(`POST ${SIGN_IN} HTTP/1.1\r\nhost: ${host}\r\n`);
  const noBody = await slowFrom('203.0.113.1', 5_000);
  await expect.poll(() => [noHeaders.isClosed(), noBody.isClosed()], PATIENT).toEqual([true, true]);
  expect(getStatus(noHeaders)).toBe(408);
  await expect.poll(() => budget.heldBytes, PATIENT).toBe(0);
});

test('HTTP-21: a session or a key is checked before the body has arrived', async () => {
  await begin();
  const fields = { 'content-length': '900000', 'authorization': `Bearer dbk_${'A'.repeat(43)}` };
  await client(head('/api/v1/ingest/executions', fields));
  await client(head(`/ping/dbk_${'A'.repeat(43)}/files`, { 'content-length': '900000' }));
  await client(head('/api/v1/monitoring/sources', { 'content-length': '900000' }));
  await expect.poll(statuses, PATIENT).toEqual([401, 404, 401]);
  expect(budget.heldBytes).toBe(0);
});
