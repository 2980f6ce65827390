import { beforeEach, expect, test } from 'vitest';
import { LIMITS } from '#contract/limits.ts';
import { makeApp } from '#server/platform/http/app.ts';
import { CALL_LIMITS } from '#server/platform/http/serve-call.ts';
import { makeBodyLimiter, TURNS } from '#server/features/ingest/ingest-body-limiter.ts';
import type { AuthenticatedSource } from '#server/platform/auth/ingest-key-auth.ts';
import { ingestHandlers } from '#server/features/ingest/handlers.ts';
import { readPingBody } from '#server/features/ingest/ping-body.ts';
import { pingRoutes } from '#server/features/ingest/ping.ts';
import { embedded } from '../db/databases.ts';
import { anExecution, aPlace } from './fixtures.ts';
import type { Place } from './fixtures.ts';

const store = await embedded();
let place: Place;
let other: Place;
beforeEach(async () => {
  [place, other] = [await aPlace(store), await aPlace(store)];
});

/** A body of which nothing comes until it is let go. */
function slow(text: string): {
  readonly body: ReadableStream<Uint8Array>;
  readonly read: Promise<void>;
  readonly go: () => void;
} {
  const gate = Promise.withResolvers<void>();
  const request = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        request.resolve();
        await gate.promise;
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return {
    body,
    read: request.promise,
    go: () => {
      gate.resolve();
    },
  };
}

const inPieces = (text: Uint8Array, size: number): Request => {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= text.length) {
        controller.close();
        return;
      }
      controller.enqueue(text.subarray(at, (at += size)));
    },
  });
  return new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit);
};

test("ING-16: bodies that don't arrive delay no others, neither results nor pings, and are accepted when they do", async () => {
  const { context } = place.ground;
  const app = makeApp(context, ingestHandlers(context), {
    routes: pingRoutes(context),
    limits: { ...CALL_LIMITS, ingestAtOnce: 2, ingestWaiting: 2 },
  });
  const send = (path: string, { host, secret }: Place, body: BodyInit | null): Promise<number> =>
    Promise.resolve(
      app.request(path, {
        method: 'POST',
        headers: { host, 'content-type': 'application/json', 'authorization': `Bearer ${secret}` },
        body,
        duplex: 'half',
      } as RequestInit),
    ).then(({ status }) => status);
  const hanging = Array.from({ length: 4 }, (_, n) =>
    slow(JSON.stringify(anExecution({ job: `Slow ${n}` }))),
  );
  const sent = hanging.map(({ body }, n) =>
    send(n < 2 ? '/api/v1/ingest/executions' : `/ping/${place.secret}/slow-${n}`, place, body),
  );
  await Promise.all(hanging.map(({ read }) => read));
  expect(await send('/api/v1/ingest/executions', other, JSON.stringify(anExecution()))).toBe(200);
  expect(await send(`/ping/${other.secret}/files`, other, 'done')).toBe(200);
  for (const { go } of hanging) go();
  expect(await Promise.all(sent)).toEqual([200, 200, 200, 200]);
  expect((await place.all('run')).length).toBe(4);
});

test('ING-16: of a key and of a provider a number of bodies are read at once; the rest waits in order, unread, and the excess is told when to retry', async () => {
  const turns = makeBodyLimiter({ ...TURNS, key: 2, provider: 3, waiting: 2 });
  const reading: string[] = [];
  const gates = new Map<string, () => void>();
  let open = false;
  const read = (tenant: string, key: string, name: string) =>
    turns.read(
      { tenant, key: { id: key } } as AuthenticatedSource,
      new Request('http://localhost/', { method: 'POST', body: 'x' }),
      async () => {
        reading.push(name);
        if (!open)
          await new Promise<void>((resolve) => {
            gates.set(name, resolve);
          });
        return name;
      },
    );
  const all = [
    read('p', 'a', 'a1'),
    read('p', 'a', 'a2'),
    read('p', 'a', 'a3'),
    read('p', 'b', 'b1'),
    read('p', 'b', 'b2'),
    read('q', 'c', 'c1'),
  ];
  await expect.poll(() => reading.length).toBe(4);
  expect(reading.toSorted()).toEqual(['a1', 'a2', 'b1', 'c1']);
  void read('p', 'a', 'a4');
  expect(await read('p', 'a', 'a5')).toMatchObject({
    ok: false,
    failure: { kind: 'busy', retryAfterMs: TURNS.retryAfterMs },
  });
  gates.get('a1')?.();
  await expect.poll(() => reading.length).toBe(5);
  open = true;
  for (const go of gates.values()) go();
  expect((await Promise.all(all)).map((one) => one.ok && one.value)).toEqual([
    'a1',
    'a2',
    'a3',
    'b1',
    'b2',
    'c1',
  ]);
  await expect.poll(() => turns.size).toBe(0);
});

test('ING-3: the head and tail of a ping are the same however it is divided, and small pieces cost no extra memory', async () => {
  const whole = Buffer.from(
    Array.from(
      { length: 3 * LIMITS.logBytes + 17 },
      (_, n) => 97 + ((n * 7 + Math.floor(n / 1_000)) % 26),
    ),
  );
  for (const length of [
    0,
    5,
    LIMITS.logBytes,
    LIMITS.logBytes + 1,
    2 * LIMITS.logBytes,
    2 * LIMITS.logBytes + 1,
    whole.length,
  ]) {
    const text = whole.subarray(0, length);
    const head = text.subarray(0, LIMITS.logBytes).toString();
    const tail = text.subarray(LIMITS.logBytes).subarray(-LIMITS.logBytes).toString();
    for (const size of [7_919, 65_536, 250_000])
      expect(
        (await readPingBody(inPieces(text, size))) ===
          `${head}${length > 2 * LIMITS.logBytes ? '\n…\n' : ''}${tail}`,
      ).toBe(true);
  }
  const before = process.cpuUsage();
  expect((await readPingBody(inPieces(whole, 1)))?.length).toBe(2 * LIMITS.logBytes + 3);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
});

test('HTTP-23: a ping whose connection ends before its body has arrived is no error', async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.error(new Error('aborted'));
    },
  });
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  const request = new Request('http://localhost/ping', init);
  expect(await readPingBody(request)).toBeUndefined();
});
