import { expect, test } from 'vitest';
import type { Result } from '#contract/result.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';

type Scene = ReturnType<typeof scene>;
type Api = ReturnType<Scene['annDevice']['open']>;

/** A server that goes away and returns, as in a restart. */
function setUp({ server, annDevice }: Scene, isUp: boolean): void {
  annDevice.wire.up = isUp;
  if (!isUp) server.cutStreams();
}

/** Records what the page would show: failed calls, and every status. */
function watchPage(api: Api) {
  const failures: unknown[] = [];
  const kinds: string[] = [];
  let open = 0;
  void api.watch('status', {}, ({ kind }) => {
    if (kinds.at(-1) !== kind) kinds.push(kind);
  });
  return {
    failures,
    kinds,
    /** The calls that are still open. */
    open: (): number => open,
    call(answer: Promise<Result<unknown>>): void {
      open += 1;
      const settle = async (): Promise<void> => {
        const result = await answer;
        open -= 1;
        if (!result.ok) failures.push(result.failure);
        else if ((result.value as { live?: boolean } | null)?.live === false)
          failures.push(result.value);
      };
      void settle();
    },
  };
}

/** How often a path below `/api/v1/` was asked for. */
const count = ({ annDevice }: Scene, path: string): number =>
  annDevice.wire.asked.filter((one) => one.path.endsWith(path)).length;

/** Lets the server answer about ingest keys too. Returns which were revoked. */
function serveKeys({ server }: Scene): string[] {
  const revoked: string[] = [];
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) => {
    const match = /\/monitoring\/sources(?:\/(\w+))?$/.exec(request.url);
    if (match === null) return handle(request, cookie);
    if (request.method === 'DELETE') revoked.push(match[1] ?? '');
    return Promise.resolve(
      Response.json({ success: true, message: '', data: request.method === 'GET' ? [] : {} }),
    );
  };
  return revoked;
}

async function startLive(seed: number) {
  const all = scene(seed);
  const revoked = serveKeys(all);
  const api = all.annDevice.open();
  await all.clock.pass(2_000);
  expect(getLoop(api).status().kind).toBe('live');
  return { ...all, all, api, revoked, page: watchPage(api) };
}

const KEY = { id: '7' } as never;

for (const downMs of [1_000, 3_000, 4_500])
  for (const delayMs of [20, 500, downMs - 50])
    test(`G25, OFF-9: a server that restarts within ${downMs} ms causes no error, whatever the user does ${delayMs} ms after it stopped`, async () => {
      const { clock, all, api, page, revoked, bad, problemOf: getProblem } = await startLive(1);
      // What a timer asks for again later.
      page.call(api.read('lastSync', {}));
      await clock.pass(10);
      const run = must(bad()[0]);
      setUp(all, false);
      page.call(api.read('lastSync', {}));
      await clock.pass(delayMs);
      page.call(api.read('listKeys', {}));
      page.call(api.ask('revokeKey', KEY));
      page.call(
        api.send('changeExecution', { id: String(run), change: { kind: 'review', comment: null } }),
      );
      await clock.pass(downMs - delayMs);
      setUp(all, true);
      await clock.pass(2_000);
      // The user's own calls did not wait for the automatic return.
      expect(page.open()).toBe(0);
      expect(getLoop(api).status()).toMatchObject({ kind: 'live', waiting: 0 });
      expect(page.failures).toEqual([]);
      expect(page.kinds.filter((kind) => kind !== 'live' && kind !== 'catching-up')).toEqual([]);
      expect(getProblem(run)?.review).not.toBeNull();
      expect(revoked).toEqual(['7']);
    });

test('OFF-9: a tab that follows another waits for the server too', async () => {
  const { clock, all, api, annDevice, revoked } = await startLive(5);
  const follower = annDevice.open();
  await clock.pass(2_000);
  const page = watchPage(follower);
  await clock.pass(10);
  setUp(all, false);
  await clock.pass(1_000);
  page.call(follower.ask('revokeKey', KEY));
  page.call(follower.read('listKeys', {}));
  await clock.pass(2_000);
  expect([page.open(), revoked]).toEqual([2, []]);
  setUp(all, true);
  await clock.pass(2_000);
  expect([page.open(), page.failures, revoked]).toEqual([0, [], ['7']]);
  expect(getLoop(follower).status()).toMatchObject({ kind: 'live', follower: true });
  expect(getLoop(api).status().kind).toBe('live');
});

test('OFF-9: a lost server shows as lost after five seconds, from the moment of the loss, and calls are refused then', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const { clock, all, api, page, revoked } = await startLive(seed);
    const lostAt = clock.now();
    setUp(all, false);
    await clock.pass(4_000);
    // Fails only after its own grace, when the server is known to be lost.
    page.call(api.ask('revokeKey', KEY));
    await clock.pass(950);
    expect(getLoop(api).status().kind).toBe('catching-up');
    await clock.pass(1_000);
    expect(getLoop(api).status()).toMatchObject({ kind: 'offline' });
    expect(must(getLoop(api).status().offlineSince) - lostAt).toBeLessThan(100);
    expect(page.failures).toMatchObject([{ kind: 'needs-network' }]);
    // From now on, nothing waits.
    const from = clock.now();
    expect(await api.ask('listKeys', {})).toMatchObject({ failure: { kind: 'needs-network' } });
    expect(await api.ask('revokeKey', KEY)).toMatchObject({ failure: { kind: 'needs-network' } });
    expect([clock.now(), revoked]).toEqual([from, []]);
  }
});

test('OFF-9: without anybody who does something, a lost server shows as lost with the first attempt after the grace', async () => {
  for (const seed of [11, 12, 13]) {
    const { clock, all, api, page, annDevice } = await startLive(seed);
    setUp(all, false);
    await clock.pass(5_000);
    expect(page.kinds).not.toContain('offline');
    const before = annDevice.wire.asked.length;
    while (annDevice.wire.asked.length === before) await clock.pass(50);
    await clock.pass(50);
    expect(getLoop(api).status().kind).toBe('offline');
  }
});

test('OFF-9: a browser without a network is offline at once, and tries at once when it has one again', async () => {
  const { clock, api, annDevice } = await startLive(21);
  annDevice.wire.up = false;
  annDevice.reportNetwork(false);
  await clock.pass(5);
  expect(getLoop(api).status().kind).toBe('offline');
  await clock.pass(600_000);
  annDevice.wire.up = true;
  annDevice.reportNetwork(true);
  await clock.pass(50);
  expect(getLoop(api).status().kind).toBe('live');
});

test('OFF-9: a server that answers is not offline, whatever the browser reports', async () => {
  const { clock, api, annDevice } = await startLive(22);
  annDevice.reportNetwork(false);
  await clock.pass(60_000);
  expect(getLoop(api).status().kind).toBe('live');
});

for (const [what, act, returns] of [
  ['a tab that becomes visible ends', (api: Api) => api.syncNow(), true],
  ['a change ends', (api: Api) => api.ask('revokeKey', KEY), true],
  ['a new question ends', (api: Api) => api.ask('listKeys', {}), true],
  ['a question on a timer does not end', (api: Api) => api.read('lastSync', {}), false],
] as const)
  test(`OFF-9, G25: ${what} a long wait for the server`, async () => {
    const { clock, all, api } = await startLive(31);
    await api.read('lastSync', {});
    setUp(all, false);
    for (let n = 0; n < 12; n += 1) {
      await clock.pass(25_000);
      void api.read('lastSync', {});
    }
    await clock.pass(5_000);
    expect(getLoop(api).status().kind).toBe('offline');
    setUp(all, true);
    const pulls = count(all, 'sync/events');
    void act(api);
    await clock.pass(20);
    expect(count(all, 'sync/events') > pulls).toBe(returns);
  });

test('OFF-9: a call that the server itself answers badly is not held back for long', async () => {
  const { clock, api, server, page } = await startLive(41);
  const handle = server.handle.bind(server);
  let requests = 0;
  server.handle = (request, cookie) => {
    if (!request.url.endsWith('/monitoring/sources')) return handle(request, cookie);
    requests += 1;
    return Promise.resolve(new Response('<html>not this'));
  };
  page.call(api.ask('listKeys', {}));
  await clock.pass(400);
  expect(page.failures).toMatchObject([{ kind: 'no-answer' }]);
  expect(requests).toBe(2);
  expect(getLoop(api).status().kind).toBe('live');
});
