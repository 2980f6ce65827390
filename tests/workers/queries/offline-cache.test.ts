import { expect, test } from 'vitest';
import { getLoop, scene } from '#tests/workers/scene.ts';

const at = (read: unknown): number => (read as { value: { at: number } }).value.at;

test('OFF-6: online, the server answers; offline, its last answer shows with its time, also after the browser was closed', async () => {
  const { clock, server, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const first = await api.read('lastSync', {});
  expect(first).toMatchObject({
    ok: true,
    value: { live: true, at: clock.now(), value: { status: 'SUCCEEDED', at: clock.now() } },
  });
  await clock.pass(60_000);
  annDevice.wire.up = false;
  server.cutStreams();
  await clock.pass(15_000);
  expect(getLoop(api).status().kind).toBe('offline');
  expect(await api.read('lastSync', {})).toMatchObject({
    ok: true,
    value: {
      live: false,
      at: at(first),
      value: { at: at(first) },
      failure: { kind: 'needs-network' },
    },
  });
  expect(await api.read('listKeys', {})).toMatchObject({
    ok: false,
    failure: { kind: 'needs-network' },
  }); // never asked before
  annDevice.kill(api);
  const again = annDevice.open();
  await clock.pass(6_000);
  expect(await again.read('lastSync', {})).toMatchObject({
    ok: true,
    value: { live: false, at: at(first) },
  });
  annDevice.wire.up = true;
  await clock.pass(70_000);
  expect(await again.read('lastSync', {})).toMatchObject({
    ok: true,
    value: { live: true, at: clock.now() },
  });
});

test('OFF-6: a silent server is not awaited while it seems away, and its refusals stay refusals', async () => {
  const { clock, server, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const first = await api.read('lastSync', {});
  annDevice.wire.errors = { drop: 0, lose: 0, silence: 1000, double: 0, delay: 0, garbage: 0 };
  server.cutStreams();
  await clock.pass(90_000);
  expect(getLoop(api).status().kind).toBe('offline');
  let details: unknown = null;
  void (async () => {
    details = await api.read('lastSync', {});
  })();
  await clock.pass(2_900);
  expect(details).toBeNull();
  await clock.pass(200);
  expect(details).toMatchObject({ ok: true, value: { live: false, at: at(first) } });
  annDevice.wire.errors = { ...annDevice.wire.errors, silence: 0 };
  await clock.pass(70_000);
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) =>
    request.url.endsWith('last-sync')
      ? Promise.resolve(
          Response.json(
            { success: false, message: 'no', error: { kind: 'forbidden', message: 'no' } },
            { status: 403 },
          ),
        )
      : handle(request, cookie);
  expect(await api.read('lastSync', {})).toMatchObject({
    ok: false,
    failure: { kind: 'forbidden' },
  });
  server.handle = (request, cookie) =>
    request.url.endsWith('last-sync')
      ? Promise.resolve(new Response('<html>', { status: 503 }))
      : handle(request, cookie);
  expect(await api.read('lastSync', {})).toMatchObject({
    ok: true,
    value: { live: false, failure: { kind: 'busy' } },
  });
});

test('OFF-6, SYNC-6: answers from before a change of scope, or of a signed-out user, are not shown', async () => {
  const { clock, server, annDevice } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const handle = server.handle.bind(server);
  const late = Promise.withResolvers<null>();
  server.handle = async (request, cookie) => {
    if (request.url.endsWith('last-sync')) await late.promise;
    return handle(request, cookie);
  };
  const slow = api.read('lastSync', {});
  await clock.pass(10);
  server.epoch = 'e2'; // everything is loaded anew meanwhile
  server.poke({ kind: 'head', head: server.log.length, epoch: 'e2' });
  await clock.pass(16_000); // less than a silent server is waited for
  expect(getLoop(api).replica.epoch).toBe('e2');
  late.resolve(null);
  expect(await slow).toMatchObject({ ok: true, value: { live: true } });
  server.handle = handle;
  annDevice.wire.up = false;
  const unanswered = api.read('lastSync', {});
  await clock.pass(8_000);
  expect(await unanswered).toMatchObject({ ok: false });
  await api.signOut('discard');
  expect(await api.read('lastSync', {})).toMatchObject({
    ok: false,
    failure: { kind: 'signed-out' },
  });
});
