import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ms } from '#contract/ids.ts';
import type { AppContext, Clock } from '#server/platform/app-context.ts';
import { connectToAddress, OutboundError } from '#server/platform/outbound/address.ts';
import { describeOutboundError } from '#server/platform/outbound/error.ts';
import { fetchOutbound } from '#server/platform/outbound/fetch.ts';
import { makeFixture } from '../http/fixtures.ts';
import { HERE } from './outside.ts';

let context: AppContext;
const servers: Server[] = [];
beforeAll(async () => {
  const fixture = await makeFixture();
  context = { ...fixture.context, config: { ...fixture.context.config, ...HERE } };
});
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});
async function serve(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

test('OUTB-2: of several addresses, the next is tried if nobody answers at the first', async () => {
  const port = await serve(createServer((_, response) => void response.end('here')));
  const ask = (addresses: readonly string[]) =>
    new Promise<string>((resolve) => {
      request(
        { host: 'two.example.com', port, agent: false, ...connectToAddress(addresses) },
        (response) => {
          resolve(`answered ${response.statusCode}`);
          response.resume();
        },
      )
        .on('error', (error) => {
          resolve(describeOutboundError(error, 'two.example.com'));
        })
        .end();
    });
  expect(await ask(['127.0.0.2', '::1', '127.0.0.1'])).toBe('answered 200');
  expect(await ask(['127.0.0.1'])).toBe('answered 200');
  const refused = await ask(['127.0.0.3', '127.0.0.2']);
  expect(refused).toBe(
    describeOutboundError(Object.assign(new Error(), { code: 'ECONNREFUSED' }), 'two.example.com'),
  );
});

/** A clock that only the test moves. */
function makeClock(): Clock & { pass(ms: Ms): void } {
  let now = 0;
  let timers: { readonly at: Ms; readonly work: () => void }[] = [];
  return {
    now: () => now,
    after(ms, work) {
      const timer = { at: now + ms, work };
      timers.push(timer);
      return {
        cancel() {
          timers = timers.filter((one) => one !== timer);
        },
      };
    },
    pass(ms) {
      now += ms;
      for (const { at, work } of timers) if (at <= now) work();
    },
  };
}

const MB = 1 << 20;
/** More than the buffers of two sockets. */
const STEP = 24 * MB;

test.for([
  ['the time of a whole request', false],
  ['each pause of a large one', true],
] as const)('OUTB-2: the limit is %s', async ([, isLarge]) => {
  const clock = makeClock();
  let received = 0;
  const port = await serve(
    createServer((incoming, response) => {
      let next = STEP;
      incoming.on('error', () => undefined);
      incoming.on('data', (part: Buffer) => {
        received += part.length;
        if (received < next) return;
        next += STEP;
        clock.pass(50_000);
      });
      incoming.on('end', () => {
        let left = 5;
        const answer = (): void => {
          if (left < 4) clock.pass(50_000);
          left -= 1;
          if (left === 0) response.end();
          else response.write(new Uint8Array(STEP), answer);
        };
        answer();
      });
    }),
  );
  const sent = fetchOutbound({ ...context, clock }, `http://127.0.0.1:${port}/`, {
    method: 'PUT',
    body: new Uint8Array(5 * STEP),
    timeoutMs: 60_000,
    maxBytes: 5 * STEP,
    isLarge,
  }).then(
    async (answer) => (await answer.arrayBuffer()).byteLength,
    (error: unknown) => (error instanceof OutboundError ? error.kind : 'another error'),
  );
  expect(await sent).toBe(isLarge ? 4 * STEP : 'unreachable');
  if (isLarge) expect(received).toBe(5 * STEP);
});

test('OUTB-2: a large request that nobody takes ends with its pause', async () => {
  const clock = makeClock();
  const port = await serve(
    createServer((incoming) => {
      incoming.on('error', () => undefined);
      incoming.once('data', () => {
        incoming.pause();
        clock.pass(61_000);
      });
    }),
  );
  const sent = fetchOutbound({ ...context, clock }, `http://127.0.0.1:${port}/`, {
    method: 'PUT',
    body: new Uint8Array(5 * STEP),
    timeoutMs: 60_000,
    isLarge: true,
  });
  await expect(sent).rejects.toMatchObject({ kind: 'unreachable' });
});

test.for(['GET', 'PUT'])(
  'OUTB-2: an answer to %s that comes byte by byte, each before its pause ends, is ended',
  async (method) => {
    const clock = makeClock();
    let bytes = 0;
    const port = await serve(
      createServer((incoming, response) => {
        incoming.on('error', () => undefined);
        incoming.resume().on('end', () => {
          const next = (): void => {
            if (response.destroyed) return;
            if (bytes === 1_000) return void response.end();
            bytes += 1;
            response.write('a', () => {
              setImmediate(() => {
                clock.pass(50_000);
                next();
              });
            });
          };
          next();
        });
      }),
    );
    const sent = fetchOutbound({ ...context, clock }, `http://127.0.0.1:${port}/`, {
      method,
      body: method === 'PUT' ? new Uint8Array(64 * 1_024) : null,
      timeoutMs: 60_000,
      isLarge: true,
    });
    await expect(sent).rejects.toMatchObject({ kind: 'unreachable' });
  },
);
