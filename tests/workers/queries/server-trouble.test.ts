import { expect, test } from 'vitest';
import { getLoop, must, scene } from '#tests/workers/scene.ts';

test('OFF-7: a gateway that answers 502 or 503 shows as server trouble, not as offline; a review made meanwhile arrives once it answers again', async () => {
  const { clock, server, annDevice, bad, problemOf: getProblem } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  expect(getLoop(api).status().kind).toBe('live');
  const handle = server.handle.bind(server);
  const since = clock.now();
  for (const status of [502, 503]) {
    server.handle = () =>
      Promise.resolve(
        new Response('<html>Bad gateway</html>', {
          status,
          headers: { 'content-type': 'text/html' },
        }),
      );
    server.cutStreams();
    await clock.pass(15_000);
    const details = getLoop(api).status();
    expect(details.kind).toBe('server-trouble');
    expect(must(details.offlineSince) - since).toBeLessThan(5_000);
  }
  const run = must(bad()[0]);
  expect(
    await api.send('changeExecution', {
      id: String(run),
      change: { kind: 'review', comment: null },
    }),
  ).toMatchObject({ ok: true });
  expect(getLoop(api).status()).toMatchObject({ kind: 'server-trouble', waiting: 1 });
  annDevice.wire.up = false; // now the network goes as well
  await clock.pass(70_000);
  expect(getLoop(api).status().kind).toBe('offline');
  server.handle = handle;
  annDevice.wire.up = true;
  await clock.pass(130_000);
  expect(getLoop(api).status()).toMatchObject({ kind: 'live', waiting: 0, offlineSince: null });
  expect(getProblem(run)?.review).not.toBeNull();
});

test('OFF-7: reopened while the gateway answers 502, it shows server trouble from the start, with its message on queries', async () => {
  const { clock, server, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  annDevice.kill(api);
  server.handle = () =>
    Promise.resolve(
      new Response('<html>Bad gateway</html>', {
        status: 502,
        headers: { 'content-type': 'text/html' },
      }),
    );
  const again = annDevice.open();
  await clock.pass(6_000);
  expect(getLoop(again).status().kind).toBe('server-trouble');
  expect(
    await again.ask('listEvidence', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }),
  ).toMatchObject({
    ok: false,
    failure: {
      kind: 'busy',
      message: "The server's response isn't valid. Try again in a moment.",
    },
  });
});

test('OFF-1: opened again without an answer, it says since when the server has not answered', async () => {
  const { clock, server, annDevice } = scene();
  let api = annDevice.open();
  const readSince = async (): Promise<number | null> => {
    await clock.pass(30_000);
    expect(getLoop(api).status().kind).toBe('offline');
    return getLoop(api).status().offlineSince;
  };
  const reopen = async (): Promise<void> => {
    annDevice.kill(api);
    await clock.pass(3_600_000);
    api = annDevice.open();
  };
  await clock.pass(2_000);
  annDevice.wire.up = false;
  server.cutStreams();
  const lostAt = clock.now();
  const since = must(await readSince());
  expect(since - lostAt).toBeLessThan(5_000);
  for (let reload = 0; reload < 2; reload += 1) {
    await reopen();
    expect(await readSince()).toBe(since);
  }
  annDevice.wire.up = true;
  await clock.pass(130_000);
  expect(getLoop(api).status()).toMatchObject({ kind: 'live', offlineSince: null });
  annDevice.wire.up = false;
  await reopen();
  expect(must(await readSince()) - lostAt).toBeGreaterThan(3 * 3_600_000);
});
