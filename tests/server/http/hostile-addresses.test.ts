import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { getCall, CALLS } from '#contract/calls.ts';
import type { CallName } from '#contract/calls.ts';
import { assetRoutes } from '#server/features/branding/assets.ts';
import { chatRoutes } from '#server/features/branding/chat.ts';
import { downloadRoutes } from '#server/features/restore/downloads/routes.ts';
import { previewRoutes } from '#server/features/restore/preview/routes.ts';
import { ticketRoutes } from '#server/features/tickets/callback.ts';
import { CALLBACK } from '#server/features/tickets/ticketing-handlers.ts';
import { allHandlers } from '#server/handlers.ts';
import { listen } from '#server/platform/http/listen.ts';
import { pingRoutes } from '#server/features/ingest/ping.ts';
import { wrapRoutes } from '#server/features/ingest/cli-wrapper.ts';
import { outboxRoutes } from '#server/platform/mail/outbox.ts';
import { anyDatabase } from '../db/databases.ts';
import { getApp, makeFixture, provider } from './fixtures.ts';
import { getRandom, HOSTILE_TEXTS } from './hostile.ts';
import type { Random } from './hostile.ts';

const PROOF = Number(process.env['PROOF'] ?? 1);
const SEED = Number(process.env['SEED'] ?? 20_261_122);

const OPEN = (Object.keys(CALLS) as CallName[]).filter(
  (name) => getCall(name).gate === 'public' || getCall(name).gate === 'ingest-key',
);
/**
 * What stands beside the calls, and calls that nobody has to be signed in for. `\xff` is that byte.
 */
const TARGETS: readonly string[] = [
  '/',
  '/brand/logo%00',
  '/brand/%ff?v=%00',
  '/brand/logo?v=%',
  '/chat%00',
  '/chat?x=%ff',
  '/preview/%00',
  '/preview/0b7e2a3c-1111-4222-8333-444455556666?theme=%ff',
  '/download/%00/%ff',
  '/download/0b7e2a3c-1111-4222-8333-444455556666/%?ticket=%00',
  '/outbox%00',
  '/outbox?x=%00',
  '/outbox.css%',
  '/daybook-run.mjs%00',
  '/daybook-run.mjs',
  '/assets/%00',
  '/%',
  '/%00',
  '/%ff',
  '/%2e%2e%2f%2e%2e',
  '/\xff',
  '//',
  '//host/path',
  '/?%00=%00',
  '/ping/%00',
  '/ping/a/%ff/b',
  '/ping//',
  '/ping/a/b?%00',
  `/ping/dbk_${'A'.repeat(43)}/a%00b`,
  '/api',
  '/api/v1/%00',
  '/api/v1/auth/oidc/callback?code=%00&state=%ff&iss=%',
  '/api/v1/service-providers/branding?a=1&a=2&%00=%00',
  `${CALLBACK}?id=%00`,
  CALLBACK,
  '/api/v1/openapi.json?%ff',
  '/api/v1/openapi.json%00',
  ...OPEN.map((name) => `/api/v1/${getCall(name).path.replaceAll(/\{\w+\}/g, 'a%00b')}`),
];
const HEADERS: readonly (readonly [string, string])[] = [
  ['user-agent', 'x\xe9\xff'],
  ['user-agent', 'y'.repeat(9_000)],
  ['cookie', '__Host-daybook-refresh=\xff; =; __Host-daybook-refresh=%00'],
  ['cookie', '__Secure-daybook-preview=\xff; __Secure-daybook-download=%00'],
  ['authorization', 'Bearer \x80'],
  ['authorization', `Bearer dbk_${'A'.repeat(43)}`],
  ['authorization', 'Bearer %00'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-type', '\xff'],
  ['content-encoding', 'gzip'],
  ['accept-encoding', 'br;q=x, \xff'],
  ['x-forwarded-host', 'a\xffb'],
  ['x-forwarded-host', '%00'],
  ['x-forwarded-for', '\xff, 1.2.3'],
  ['x-forwarded-proto', 'x'],
  ['if-none-match', '"\xff'],
  ['origin', '\xff'],
  ['sec-fetch-site', 'cross-site'],
  ['x-content-signature', 'AAAA'],
  ['ce-specversion', '1.0'],
  ['ce-id', '%00%ff'],
  ['idempotency-key', '\xff'],
  ['webhook-request-origin', '\xff'],
  ['daybook-client', '1'],
];
const BODIES: readonly Buffer[] = [
  Buffer.from(''),
  Buffer.from('{'),
  Buffer.from('null'),
  Buffer.from('[]'),
  Buffer.from([0xff, 0xfe, 0x00]),
  Buffer.from('\ufeff{}'),
  Buffer.from('{"username":"\\u0000","password":"\\ud800"}'),
  Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"a":1,"a":2,"__proto__":{}}'),
  Buffer.from('['.repeat(8_000)),
  Buffer.from(`{"a":${'['.repeat(4_000)}${']'.repeat(4_000)}}`),
  Buffer.from('{"n":1e999,"m":-0}'),
  Buffer.from('\0'.repeat(2_000)),
  Buffer.from('{"username":"a\0b"}'),
];

/** The status that a request of these very bytes is answered with; 0 where there is no answer. */
const loadStatus = (port: number, request: Buffer): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(request);
    });
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(Number(/^HTTP\/1\.1 (\d{3}) /.exec(got)?.[1] ?? 0));
    });
  });

function getRequest(
  method: string,
  target: string,
  headers: readonly (readonly [string, string])[],
  body: Buffer,
): Buffer {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(method === 'GET' ? [] : [`content-length: ${body.byteLength}`]),
  ];
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    method === 'GET' ? Buffer.alloc(0) : body,
  ]);
}

function* attacks(
  random: Random,
): Generator<readonly [string, string, readonly (readonly [string, string])[], Buffer]> {
  const json = ['content-type', 'application/json'] as const;
  for (const target of TARGETS) {
    yield ['GET', target, [], BODIES[0] as Buffer];
    yield ['POST', target, [json], random.of(BODIES)];
  }
  for (const body of BODIES)
    for (const name of OPEN)
      yield [
        'POST',
        `/api/v1/${getCall(name).path}`,
        random() < 0.8 ? [json] : [random.of(HEADERS)],
        body,
      ];
  for (let time = 0; time < 300 * PROOF; time += 1) {
    const more =
      random() < 0.5
        ? ''
        : `${random() < 0.5 ? '?' : '/'}${encodeURIComponent(random.of(HOSTILE_TEXTS).toWellFormed()).slice(0, 3_000)}`;
    yield [
      random.of(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']),
      `${random.of(TARGETS)}${more}`,
      [...(random() < 0.5 ? [json] : []), random.of(HEADERS), random.of(HEADERS)],
      random.of(BODIES),
    ];
  }
}

anyDatabase((database, open) => {
  test(`TEXT-4: no hostile address, header or body makes a call fail (${database}, seed ${SEED})`, async () => {
    const fixture = await makeFixture({ trustedProxies: ['127.0.0.1'] }, await open());
    const { context } = fixture;
    await provider(fixture, '127.0.0.1');
    const app = getApp(context, allHandlers(context), {
      routes(on) {
        pingRoutes(context)(on);
        outboxRoutes(context)(on);
        assetRoutes(context)(on);
        chatRoutes(context)(on);
        previewRoutes(context)(on);
        downloadRoutes(context)(on);
        wrapRoutes(on);
        ticketRoutes(context)(on);
      },
    });
    const server = await listen(app, 0, '127.0.0.1');
    const odd: string[] = [];
    try {
      for (const [method, target, headers, body] of attacks(getRandom(SEED))) {
        const status = await loadStatus(server.port, getRequest(method, target, headers, body));
        // Signing in by a directory that is not there: come back later.
        if (
          status < 200 ||
          (status >= 500 && !(status === 503 && target.includes('/auth/login/ad')))
        )
          odd.push(
            `${status} ${method} ${target} ${JSON.stringify(headers)} ${body.subarray(0, 60).toString('latin1')}`,
          );
      }
    } finally {
      await server.stop(0);
    }
    expect([odd, fixture.lines.filter((line) => line.includes('"level":"error"'))]).toEqual([
      [],
      [],
    ]);
  });
});
