import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Logged } from '#contract/events.ts';
import { getLoop, must, scene } from '#tests/workers/scene.ts';
import type { Loop } from '#workers/sync/loop.ts';
import { PushedPages } from '#workers/sync/pushed-pages.ts';

/** The review of a run's problem, as the device has it. */
const shown = (loop: Loop, problem: number | null | undefined): unknown =>
  loop.replica.base().row('problem', problem ?? 0)?.review;

async function startLive() {
  const all = scene(1);
  const api = all.annDevice.open();
  await all.clock.pass(2_000);
  const loop = getLoop(api);
  expect(loop.status().kind).toBe('live');
  const { server, annDevice, bobDevice, clock } = all;
  const bob = bobDevice.open();
  await clock.pass(2_000);
  /** Lets Bob review a run without a poke to Ann. Returns the events. */
  const review = async (run: number): Promise<readonly Logged[]> => {
    const after = server.log.length;
    const poke = server.poke.bind(server);
    server.poke = () => undefined;
    await bob.send('changeExecution', {
      id: String(run),
      change: { kind: 'review', comment: null },
    });
    await clock.pass(400);
    server.poke = poke;
    expect(server.log.length).toBeGreaterThan(after);
    return server.log.slice(after);
  };
  /** What Ann's device has asked for since the last call. */
  let seen = annDevice.wire.asked.length;
  const pulls = (): number => {
    const requests = annDevice.wire.asked.slice(seen);
    seen = annDevice.wire.asked.length;
    return requests.filter(({ path }) => path.endsWith('sync/events')).length;
  };
  const poke = (after: number, events: readonly unknown[], more: object = {}): void => {
    const head = server.log.length;
    server.poke({
      kind: 'head',
      head,
      epoch: loop.replica.epoch,
      page: { after, cursor: head, events },
      ...more,
    });
  };
  return { ...all, loop, review, pulls, poke };
}

test('SYNC-23: events that come with a poke are applied without a request', async () => {
  const {
    clock,
    bad,
    server,
    loop,
    review,
    pulls,
    poke,
    problemOf: getProblem,
  } = await startLive();
  const [first, second, third] = bad() as [number, number, number];
  const one = await review(first);
  pulls();
  poke(server.log.length - one.length, one);
  await clock.pass(400);
  expect([pulls(), loop.replica.cursor]).toEqual([0, server.log.length]);
  expect(shown(loop, getProblem(first)?.n)).toEqual(must(getProblem(first)).review);

  // Two at once, and the second one again.
  const two = await review(second);
  const from = server.log.length - two.length;
  poke(from, two);
  const three = await review(third);
  poke(from + two.length, three);
  poke(from + two.length, three);
  await clock.pass(400);
  expect([pulls(), loop.replica.cursor]).toEqual([0, server.log.length]);
  expect(shown(loop, getProblem(third)?.n)).toEqual(must(getProblem(third)).review);
});

test('SYNC-23: a poke with events that are there in part adds the others', async () => {
  const {
    clock,
    bad,
    server,
    loop,
    review,
    pulls,
    poke,
    problemOf: getProblem,
  } = await startLive();
  const [first, second] = bad() as [number, number];
  const after = server.log.length;
  const one = await review(first);
  poke(after, one);
  await clock.pass(400);
  const two = await review(second);
  pulls();
  poke(after, [...one, ...two]);
  await clock.pass(400);
  expect([pulls(), loop.replica.cursor]).toEqual([0, server.log.length]);
  expect(shown(loop, getProblem(second)?.n)).toEqual(must(getProblem(second)).review);
});

for (const [what, more] of [
  ['after a gap', null],
  ['that is not a page', { page: { cursor: 'x' } }],
  ['that cannot be unpacked', { page: undefined, packed: 'AAAA' }],
  ['that goes back', { page: { after: 0, cursor: 1, events: [] } }],
] as const)
  test(`SYNC-23: the device requests what a poke ${what} does not bring`, async () => {
    const {
      clock,
      bad,
      server,
      loop,
      review,
      pulls,
      poke,
      problemOf: getProblem,
    } = await startLive();
    const [first, second] = bad() as [number, number];
    await review(first);
    const two = await review(second);
    pulls();
    poke(server.log.length - two.length, two, more ?? {});
    // The browser unpacks in its own time; the next poll would be after a minute.
    await expect
      .poll(async () => {
        await clock.pass(20);
        return loop.replica.cursor;
      })
      .toBe(server.log.length);
    expect(pulls()).toBe(1);
    expect(shown(loop, getProblem(first)?.n)).toEqual(must(getProblem(first)).review);
  });

test('SYNC-23, SYNC-14: a page is no answer to another poke', async () => {
  const { clock, bad, server, review, pulls, poke } = await startLive();
  const one = await review(must(bad()[0]));
  pulls();
  poke(server.log.length - one.length, one);
  server.poke({ kind: 'sources' });
  await clock.pass(400);
  expect(pulls()).toBe(1);
});

const makePage = (after: number) => ({
  after,
  cursor: after + 1,
  events: [{ seq: after + 1 }],
});

test('SYNC-23, SYNC-14: pages that come after another poke are no answer to it, until the server has answered', () => {
  const pages = new PushedPages();
  pages.add('e', makePage(1));
  pages.clear();
  pages.add('e', makePage(1));
  expect([pages.continues(1, 'e'), pages.take(1, 'e')]).toEqual([false, null]);
  // The request fails; the next one is answered, but another poke comes meanwhile.
  pages.asking();
  expect(pages.take(1, 'e')).toBeNull();
  const hasAnswered = pages.asking();
  pages.clear();
  hasAnswered();
  pages.add('e', makePage(2));
  expect(pages.take(2, 'e')).toBeNull();
  pages.asking()();
  expect([pages.continues(2, 'e'), pages.take(2, 'e')]).toEqual([true, makePage(2)]);
});

test('SYNC-23: a poke without events after one with events makes the device request the newest', async () => {
  const { clock, bad, server, loop, review } = await startLive();
  const [first, second] = bad() as [number, number];
  const one = await review(first);
  const cursor = server.log.length;
  await review(second);
  const { epoch } = loop.replica;
  // Both arrive in the pause after another pull, which was before the events.
  const news = server.log.splice(cursor - one.length);
  server.poke({ kind: 'sources' });
  await clock.pass(100);
  server.log.push(...news);
  const page = { after: cursor - one.length, cursor, events: one };
  server.poke({ kind: 'head', head: cursor, epoch, page });
  server.poke({ kind: 'head', head: server.log.length, epoch });
  await clock.pass(1_000);
  expect(loop.replica.cursor).toBe(server.log.length);
});

test('SYNC-23: a packed page is raw DEFLATE of JSON in base64', async () => {
  const {
    clock,
    bad,
    server,
    loop,
    review,
    pulls,
    poke,
    problemOf: getProblem,
  } = await startLive();
  const run = must(bad()[0]);
  const events = await review(run);
  pulls();
  const after = server.log.length - events.length;
  const text = JSON.stringify({ after, cursor: server.log.length, events });
  poke(after, [], { page: undefined, packed: deflateRawSync(text).toString('base64') });
  // The browser unpacks in its own time.
  await expect
    .poll(async () => {
      await clock.pass(1);
      return loop.replica.cursor;
    })
    .toBe(server.log.length);
  expect(pulls()).toBe(0);
  expect(shown(loop, getProblem(run)?.n)).toEqual(must(getProblem(run)).review);
});
