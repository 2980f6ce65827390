import { expect, test } from 'vitest';
import { getLoop, scene, shown } from '#tests/workers/scene.ts';

test('SYNC-7, G8: one tab leads; the other sees what it pulls and does, and neither sends a request twice', async () => {
  const { clock, server, story, annDevice, bad } = scene();
  const first = annDevice.open();
  await clock.pass(2_000);
  const second = annDevice.open();
  await clock.pass(500);
  expect([getLoop(first).status().follower, getLoop(second).status().follower]).toEqual([
    false,
    true,
  ]);
  expect(getLoop(second).status().kind).toBe('live');
  story.finish(clock.now() - 1000);
  await clock.pass(200);
  expect(getLoop(second).replica.engine.size).toBe(server.rows.run.size);
  expect(getLoop(second).replica.cursor).toBe(server.log.length);
  const [run = 0, other = 0] = bad();
  await second.send('changeExecution', {
    id: String(run),
    change: { kind: 'note', content: 'from the second' },
  });
  expect(shown(second, run, clock.now())).toMatchObject({
    waiting: true,
    problem: { note: { content: 'from the second' } },
  });
  for (let i = 0; i < 20; i++) {
    await clock.pass(10);
    expect(shown(second, run, clock.now())?.problem?.note?.content).toBe('from the second');
  }
  expect(shown(first, run, clock.now())?.problem?.note?.content).toBe('from the second');
  await first.send('changeExecution', {
    id: String(other),
    change: { kind: 'note', content: 'from the first' },
  });
  await clock.pass(200);
  expect(shown(second, other, clock.now())).toMatchObject({
    waiting: false,
    problem: { note: { content: 'from the first' } },
  });
  expect([first, second].map((api) => getLoop(api).outbox.view().entries)).toEqual([[], []]);
  expect(annDevice.wire.asked.filter(({ path }) => path.includes('jobExecutions'))).toHaveLength(2);
  expect(annDevice.wire.asked.filter(({ path }) => path.endsWith('refresh'))).toHaveLength(1);
});

/** `PROOF=5` kills 50 leaders. */
const SEEDS = Array.from({ length: 10 * Number(process.env['PROOF'] ?? 1) }, (_, i) => i + 1);

test.each(SEEDS)(
  'SYNC-7, G8: a leader that dies is replaced within 2 s, from the data on disk, and nothing is pushed twice (seed %s)',
  async (seed) => {
    const { clock, chance, server, story, annDevice, bad } = scene(seed);
    while (bad().length < 2) story.finish(clock.now() - 1000);
    const first = annDevice.open();
    await clock.pass(2_000);
    const second = annDevice.open();
    await clock.pass(500);
    const runs = bad();
    annDevice.wire.errors = { drop: 0, lose: 1000, silence: 0, double: 0, delay: 0, garbage: 0 };
    await first.send('changeExecution', {
      id: String(runs[0]),
      change: { kind: 'note', content: 'one' },
    });
    await second.send('changeExecution', {
      id: String(runs[1]),
      change: { kind: 'note', content: 'two' },
    });
    await clock.pass(chance.below(40));
    annDevice.kill(first);
    annDevice.wire.errors = { ...annDevice.wire.errors, lose: 0 };
    story.finish(clock.now() - 1000);
    await clock.pass(2_000);
    expect(getLoop(second).status()).toMatchObject({ kind: 'live', follower: false, waiting: 0 });
    expect(getLoop(second).replica.cursor).toBe(server.log.length);
    expect(
      server.log.flatMap(({ event }) =>
        event.type === 'problem.noted@1' ? [event.data.content] : [],
      ),
    ).toEqual(['one', 'two']);
  },
);

test('A2, SYNC-7: a following tab gets the token from the leader and never from the server', async () => {
  const { clock, annDevice, server } = scene();
  annDevice.open();
  await clock.pass(2_000);
  const second = annDevice.open();
  await clock.pass(500);
  let seen: string | null = null;
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) => {
    if (!request.url.endsWith('last-sync')) return handle(request, cookie);
    seen = request.headers.get('authorization');
    return Promise.resolve(
      Response.json({
        success: true,
        data: { status: 'NEVER', at: null, failed: [], sources: [] },
      }),
    );
  };
  const query = second.ask('lastSync', {});
  await clock.pass(100);
  expect(await query).toEqual({
    ok: true,
    value: { status: 'NEVER', at: null, failed: [], sources: [] },
  });
  expect(seen).toBe('Bearer token-1');
  expect(await second.ask('refresh', {})).toMatchObject({
    ok: false,
    failure: { kind: 'no-such-call' },
  });
});
