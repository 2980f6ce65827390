import { expect, test } from 'vitest';
import { getLoop, scene, shown } from '#tests/workers/scene.ts';
import { DiskError } from '#workers/disk/disk-errors.ts';

const note = (content: string) => ({ kind: 'note' as const, content });

test('OUT-1, OUT-2: a command is on disk before it resolves, is sent in order, and survives the browser', async () => {
  const { clock, server, annDevice, bad } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  annDevice.wire.up = false;
  const runs = bad().slice(0, 3);
  for (const run of runs) {
    const sent = await api.send('changeExecution', {
      id: String(run),
      change: note(`about ${run}`),
    });
    expect(sent).toMatchObject({ ok: true, value: { sent: false } });
    expect((await annDevice.disk.commands()).at(-1)).toMatchObject({
      input: { id: String(run) },
      state: 'waiting',
    });
  }
  annDevice.kill(api);
  annDevice.wire.up = true;
  const again = annDevice.open();
  await clock.pass(5_000);
  expect(
    server.log.flatMap(({ event }) =>
      event.type === 'problem.noted@1' ? [event.data.content] : [],
    ),
  ).toEqual(runs.map((run) => `about ${run}`));
  expect(getLoop(again).outbox.view().entries).toEqual([]);
  expect(await annDevice.disk.commands()).toEqual([]);
});

test('OUT-1: if the disk refuses, nothing is reported as saved and nothing is shown', async () => {
  const { clock, annDevice, bad } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const [run = 0] = bad();
  const { replica } = getLoop(api);
  const { disk } = replica;
  const keep = disk.keepCommand.bind(disk);
  disk.keepCommand = () => Promise.reject(new DiskError('full', 'no room'));
  expect(
    await api.send('changeExecution', { id: String(run), change: note('lost') }),
  ).toMatchObject({ ok: false, failure: { kind: 'storage' } });
  disk.keepCommand = keep;
  expect(shown(api, run, clock.now())?.problem?.note).toBeNull();
});

test('OUT-3, G2, G7: if the answer is lost, the same key is sent again and the effect never flickers', async () => {
  const { clock, server, annDevice, bad } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const [run = 0] = bad();
  annDevice.wire.errors = { drop: 0, lose: 1000, silence: 0, double: 0, delay: 0, garbage: 0 };
  await api.send('changeExecution', { id: String(run), change: note('once') });
  for (let i = 0; i < 40; i++) {
    await clock.pass(25);
    expect(shown(api, run, clock.now())?.problem?.note?.content).toBe('once');
  }
  annDevice.wire.errors = { ...annDevice.wire.errors, lose: 0 };
  // A device that lost its server asks again within ten seconds (G25).
  for (let i = 0; i < 100; i++) {
    await clock.pass(100);
    expect(shown(api, run, clock.now())?.problem?.note?.content).toBe('once');
  }
  expect(server.log.filter(({ event }) => event.type === 'problem.noted@1')).toHaveLength(1);
  expect(shown(api, run, clock.now())?.waiting).toBe(false);
  expect(getLoop(api).status()).toMatchObject({ waiting: 0, refused: 0 });
});

test('OUT-5, OUT-6: a second review is refused with a message, its effect is reverted, and it stays until resolved', async () => {
  const { clock, server, annDevice, bobDevice, bad, problemOf: getProblem, ann } = scene();
  const anns = annDevice.open();
  const bobs = bobDevice.open();
  await clock.pass(2_000);
  const [run = 0] = bad();
  bobDevice.wire.up = false;
  await bobs.send('changeExecution', {
    id: String(run),
    change: { kind: 'review', comment: 'mine' },
  });
  expect(shown(bobs, run, clock.now())?.problem?.review?.comment).toBe('mine');
  await anns.send('changeExecution', {
    id: String(run),
    change: { kind: 'review', comment: 'first' },
  });
  await clock.pass(1_000);
  bobDevice.wire.up = true;
  await bobs.syncNow();
  await clock.pass(70_000);
  expect(getProblem(run)?.review?.by).toBe(ann.me.id);
  const [entry] = getLoop(bobs).outbox.view().entries;
  expect(entry).toMatchObject({
    state: 'refused',
    failure: { kind: 'conflict', message: 'ann already reviewed this.' },
    runs: [run],
  });
  expect(shown(bobs, run, clock.now())?.problem?.review?.comment).toBe('first');
  expect((await bobDevice.disk.commands())[0]).toMatchObject({ state: 'refused' });
  expect(await bobs.mend(entry?.id ?? '', 'discard')).toEqual({ ok: true, value: null });
  await clock.pass(10);
  expect(await bobDevice.disk.commands()).toEqual([]);
  expect(server.log.filter(({ event }) => event.type === 'problem.reviewed@1')).toHaveLength(1);
});

test('SYNC-7: a tab reads the outbox once for many changes', async () => {
  const { clock, annDevice, bad } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  annDevice.wire.up = false;
  const [run = 0] = bad();
  const { disk } = annDevice;
  const commands = disk.commands.bind(disk);
  let reads = 0;
  Object.assign(disk, {
    commands: () => {
      reads += 1;
      return commands();
    },
  });
  const notes = Array.from({ length: 20 }, (_, i) =>
    api.send('changeExecution', { id: String(run), change: note(`note ${i}`) }),
  );
  await Promise.all(notes);
  await clock.pass(2_000);
  await getLoop(api).settled();
  expect(getLoop(api).outbox.view().entries).toHaveLength(20);
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(5);
});

test('OUT-5: a refused change stays refused while the disk still has it as waiting', async () => {
  const { clock, annDevice, bobDevice, bad } = scene();
  const anns = annDevice.open();
  const bobs = bobDevice.open();
  await clock.pass(2_000);
  const [run = 0] = bad();
  const review = { id: String(run), change: { kind: 'review' as const, comment: null } };
  bobDevice.wire.up = false;
  await bobs.send('changeExecution', review);
  await anns.send('changeExecution', review);
  await clock.pass(1_000);
  Object.assign(bobDevice.disk, {
    markCommand: () => Promise.reject(new DiskError('full', 'no room')),
  });
  bobDevice.wire.up = true;
  await clock.pass(70_000);
  await getLoop(bobs).outbox.load();
  expect(await bobDevice.disk.commands()).toMatchObject([{ state: 'waiting' }]);
  expect(getLoop(bobs).outbox.view().entries).toMatchObject([{ state: 'refused' }]);
});

test('OUT-5: a refused command that is retried is a new one, and a partly refused one names the refused runs', async () => {
  const { clock, annDevice, bobDevice, bad, problemOf: getProblem } = scene();
  const anns = annDevice.open();
  const bobs = bobDevice.open();
  await clock.pass(2_000);
  const [one = 0, two = 0] = bad();
  bobDevice.wire.up = false;
  await bobs.send('changeExecution', {
    id: String(one),
    change: { kind: 'review', comment: 'late' },
  });
  await bobs.send('changeExecutions', {
    ids: [one, two],
    change: { kind: 'review', comment: 'both' },
  });
  await anns.send('changeExecution', {
    id: String(one),
    change: { kind: 'review', comment: null },
  });
  await clock.pass(1_000);
  bobDevice.wire.up = true;
  await clock.pass(70_000);
  const { entries, notices } = getLoop(bobs).outbox.view();
  expect(entries.map(({ state }) => state)).toEqual(['refused']);
  expect(notices).toMatchObject([
    { text: "1 of 2 results weren't changed: ann already reviewed this.", run: one, refused: 1 },
  ]);
  expect(getProblem(two)?.review?.comment).toBe('both');
  await anns.send('changeExecution', { id: String(one), change: { kind: 'reopen' } });
  await clock.pass(1_000);
  expect(await bobs.mend(entries[0]?.id ?? '', 'retry')).toMatchObject({ ok: true });
  await clock.pass(1_000);
  expect(getProblem(one)?.review?.comment).toBe('late');
  expect(await bobs.mend(notices[0]?.id ?? '', 'discard')).toMatchObject({ ok: true });
  expect(getLoop(bobs).outbox.view()).toEqual({ entries: [], damaged: [], notices: [] });
});

test('OUT-6, G9: a user whose note was replaced is told by whom, once; replacing your own note notifies nobody', async () => {
  const { clock, annDevice, bobDevice, bad } = scene();
  const anns = annDevice.open();
  const bobs = bobDevice.open();
  await clock.pass(2_000);
  const [run = 0] = bad();
  for (const [api, content] of [
    [anns, 'a1'],
    [anns, 'a2'],
    [bobs, 'b1'],
    [bobs, 'b2'],
  ] as const) {
    await api.send('changeExecution', { id: String(run), change: note(content) });
    await clock.pass(1_000);
  }
  expect(getLoop(anns).outbox.view().notices).toMatchObject([{ text: 'bob replaced your note.' }]);
  expect(getLoop(bobs).outbox.view().notices).toEqual([]);
});

test('G11: a command that always breaks the server is set aside, and the ones behind it arrive', async () => {
  const { clock, server, annDevice, bad, problemOf: getProblem } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const [one = 0, two = 0] = bad();
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) =>
    request.url.endsWith(`/jobExecutions/${one}`)
      ? Promise.resolve(Response.json({}, { status: 500 }))
      : handle(request, cookie);
  await api.send('changeExecution', { id: String(one), change: note('poison') });
  await api.send('changeExecution', { id: String(two), change: note('behind') });
  await clock.pass(10 * 60_000);
  expect(getProblem(two)?.note?.content).toBe('behind');
  expect(getLoop(api).outbox.view().entries).toMatchObject([
    { state: 'refused', runs: [one], failure: { kind: 'server-error' } },
  ]);
  expect(annDevice.wire.asked.filter(({ path }) => path.endsWith(`/${one}`)).length).toBeLessThan(
    20,
  );
});

test('OUT-8: a change that the server has no disk space for is kept with a notice and sent when there is space again', async () => {
  const { clock, server, annDevice, bad, problemOf: getProblem } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const [run = 0] = bad();
  const handle = server.handle.bind(server);
  server.handle = (request, cookie) =>
    request.url.endsWith(`/jobExecutions/${run}`)
      ? Promise.resolve(
          Response.json(
            {
              success: false,
              message: 'full',
              error: { kind: 'out-of-space', retryAfterMs: 5_000 },
            },
            { status: 507, headers: { 'retry-after': '5' } },
          ),
        )
      : handle(request, cookie);
  await api.send('changeExecution', { id: String(run), change: note('kept') });
  await clock.pass(60 * 60_000);
  expect(shown(api, run, clock.now())?.problem?.note?.content).toBe('kept');
  expect(getLoop(api).status()).toMatchObject({
    kind: 'live',
    waiting: 1,
    refused: 0,
    error: 'The server is out of disk space. Your changes are saved on this device and sent later.',
  });
  server.handle = handle;
  await clock.pass(2 * 60_000);
  expect(getProblem(run)?.note?.content).toBe('kept');
  expect(getLoop(api).status()).toMatchObject({ waiting: 0, refused: 0, error: null });
});

test('OUT-3: numbers that never reached the server leave no gap that would block later commands', async () => {
  const { clock, annDevice, bad, problemOf: getProblem } = scene();
  const api = annDevice.open();
  await clock.pass(2_000);
  const [one = 0, two = 0] = bad();
  await annDevice.disk.keepCommand({
    id: 'gone',
    call: 'changeExecution',
    input: {},
    madeAt: 0,
    state: 'waiting',
    failure: null,
  });
  await annDevice.disk.dropCommand('gone');
  await api.send('changeExecution', { id: String(one), change: note('first') });
  await api.send('changeExecution', { id: String(two), change: note('second') });
  await clock.pass(1_000);
  expect([getProblem(one)?.note?.content, getProblem(two)?.note?.content]).toEqual([
    'first',
    'second',
  ]);
});
