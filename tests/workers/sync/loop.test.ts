import { expect, test } from 'vitest';
import { EVERYTHING } from '#contract/runs/query.ts';
import type { RunsView } from '#contract/runs/query.ts';
import { makeChance } from '#tests/sim/random.ts';
import { settle, TestClock } from '#tests/sim/clock.ts';
import { SimDevice } from '#tests/sim/device.ts';
import { SimServer } from '#tests/sim/server.ts';
import { Story } from '#tests/sim/story.ts';
import { SimWire } from '#tests/sim/wire.ts';
import { must } from '#tests/workers/scene.ts';

function scene(seed = 1) {
  const clock = new TestClock();
  const chance = makeChance(seed);
  const server = new SimServer(() => clock.now());
  const user = server.addUser('ann');
  const other = server.addUser('bob');
  const story = new Story(server, chance, () => clock.now());
  story.begin(3, 6, 60);
  const device = new SimDevice(clock, chance, new SimWire(server, clock, chance, user.me.id), user);
  return { clock, chance, server, user, other, story, device };
}

test('SYNC-3, SYNC-5: a device loads the newest days first, goes live, and gets new events within a moment of a poke', async () => {
  const { clock, server, story, device } = scene();
  const api = device.open();
  const views: RunsView[] = [];
  await api.watch(
    'runs',
    { filter: EVERYTHING, window: { first: 0, count: 100 }, isInUse: false, folded: [], round: 0 },
    (view) => {
      views.push(view);
    },
  );
  await clock.pass(2_000);
  expect(api.session.loop?.status()).toMatchObject({ kind: 'live', left: 0, follower: false });
  expect(views.at(-1)?.total).toBe(server.rows.run.size);
  const days = device.wire.asked
    .filter(({ path }) => path.includes('/runs/'))
    .map(({ path }) => path.slice(-10));
  expect(days).toEqual([...days].sort().toReversed());
  story.finish(clock.now() - 1000);
  await settle();
  await clock.pass(50);
  expect(views.at(-1)?.total).toBe(server.rows.run.size);
  expect(views.at(-1)?.committedAt).toBe(server.log.at(-1)?.at);
});

test('LOG-6: another epoch makes the device load again, with its outbox kept and sent', async () => {
  const { clock, server, device } = scene();
  const api = device.open();
  await clock.pass(2_000);
  device.wire.up = false;
  const run =
    [...server.rows.problem.values()].find(({ closedAt }) => closedAt === null)?.lastRun ?? 0;
  await api.send('changeExecution', {
    id: String(run),
    change: { kind: 'note', content: 'kept' },
  });
  server.epoch = 'e2';
  device.wire.up = true;
  await clock.pass(90_000);
  expect(api.session.loop?.replica.epoch).toBe('e2');
  expect(api.session.loop?.status()).toMatchObject({ kind: 'live', waiting: 0, left: 0 });
  expect(server.log.filter(({ event }) => event.type === 'problem.noted@1')).toHaveLength(1);
});

test('SYNC-6: data out of scope leaves memory and disk at the next contact', async () => {
  const { clock, server, user, device } = scene();
  const api = device.open();
  await clock.pass(2_000);
  user.companies = [1];
  server.poke({ kind: 'scope' });
  await clock.pass(2_000);
  const { engine } = must(api.session.loop?.replica);
  expect(engine.all('company').map(({ n }) => n)).toEqual([1]);
  expect(engine.size).toBe(
    [...server.rows.run.values()].filter(({ company }) => company === 1).length,
  );
  const opened = await device.disk.open();
  expect(opened?.rows.company?.map(({ n }) => n)).toEqual([1]);
  const jobs: number[] = [];
  await device.disk.remainingSnapshots(opened?.folds ?? 0, async ({ job = [] }) => {
    jobs.push(...job.map(({ company }) => company));
  });
  expect(new Set(jobs)).toEqual(new Set([1]));
});

test('SYNC-6: causes that come with events are stored before them, in memory and on disk', async () => {
  const { clock, server, device } = scene();
  const api = device.open();
  await clock.pass(2_000);
  const handle = server.handle.bind(server);
  const found = {
    n: server.rows.cause.size + 1,
    template: 'The tape is jammed',
    kind: 'other' as const,
  };
  server.handle = async (request, cookie) => {
    const answer = await handle(request, cookie);
    if (!request.url.includes('sync/events')) return answer;
    const body = (await answer.json()) as {
      data: { events: { event: { type: string; data: unknown } }[]; causes?: unknown[] };
    };
    const beside = body.data.events.filter(({ event }) => event.type === 'cause.found@1');
    return Response.json({
      ...body,
      data: {
        ...body.data,
        events: body.data.events.filter((one) => !beside.includes(one)),
        causes: beside.map(({ event }) => event.data),
      },
    });
  };
  server.append([{ company: null, event: { type: 'cause.found@1', data: found } }], {
    actor: { kind: 'clock' },
    commandId: null,
  });
  await clock.pass(20_000);
  expect(api.session.loop?.status()).toMatchObject({ kind: 'live', error: null });
  expect(must(api.session.loop?.replica).engine.all('cause')).toContainEqual(found);
  expect(JSON.stringify((await device.disk.open())?.patches)).toContain(found.template);
});

test('G11, SYNC-9: an unknown event causes one reload, then is skipped and reported; nothing stalls', async () => {
  const { clock, server, story, device } = scene();
  const api = device.open();
  await clock.pass(2_000);
  const boots = (): number =>
    device.wire.asked.filter(({ path }) => path.endsWith('bootstrap')).length;
  const handle = server.handle.bind(server);
  let strange = 0;
  server.handle = async (request, cookie) => {
    const answer = await handle(request, cookie);
    if (!request.url.includes('sync/events')) return answer;
    const body = (await answer.json()) as { data: { events: { seq: number; event: unknown }[] } };
    for (const one of body.data.events)
      if (one.seq > strange) one.event = { type: 'moon.risen@1', data: {} };
    return Response.json(body);
  };
  strange = server.log.length;
  for (let i = 0; i < 3; i++) {
    story.finish(clock.now() - 1000);
    await clock.pass(2_000);
  }
  expect(boots()).toBe(2);
  expect(api.session.loop?.replica.cursor).toBe(server.log.length);
  expect(api.session.loop?.status()).toMatchObject({ kind: 'live' });
  expect(api.session.loop?.status().error).toContain('moon.risen@1');
});

test('SYNC-9, G10: an outdated device says so, and keeps its data and outbox', async () => {
  const { clock, server, device } = scene();
  const api = device.open();
  await clock.pass(2_000);
  const run =
    [...server.rows.problem.values()].find(({ closedAt }) => closedAt === null)?.lastRun ?? 0;
  server.handle = () =>
    Promise.resolve(
      Response.json(
        { success: false, message: 'old', error: { kind: 'update-needed' } },
        { status: 426 },
      ),
    );
  server.cutStreams();
  await api.send('changeExecution', {
    id: String(run),
    change: { kind: 'note', content: 'kept' },
  });
  await clock.pass(20_000);
  expect(api.session.loop?.status()).toMatchObject({ kind: 'update-needed', waiting: 1 });
  expect(api.session.loop?.replica.engine.size).toBe(server.rows.run.size);
  const before = device.wire.asked.length;
  await clock.pass(600_000);
  expect(device.wire.asked.length).toBe(before);
});

test('SYNC-5: without the stream, polling delivers the same within 15 s', async () => {
  const { clock, server, story, device } = scene();
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) =>
    request.url.includes('sync/stream?')
      ? Promise.resolve(new Response('no', { status: 502 }))
      : handle(request, cookie);
  const api = device.open();
  await clock.pass(120_000);
  story.finish(clock.now() - 1000);
  await clock.pass(16_000);
  expect(api.session.loop?.replica.cursor).toBe(server.log.length);
});
