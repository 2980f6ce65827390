import * as v from 'valibot';
import { expect, test, vi } from 'vitest';
import { waitClock } from '#server/engine/embedded/graph/clock.ts';
import type { GraphClient } from '#server/engine/embedded/graph/client.ts';
import { graphError, json, testClock, testGraph, getValue } from './fixtures.ts';

const Row = v.object({ id: v.string() });
const START = Date.UTC(2026, 9, 1);

/** Requests that take a second each. Returns the most that ran at once. */
function slowGraph(answer: (n: number, object: string) => Response | null = () => null) {
  const clock = testClock(START);
  const running = new Map<string, number>();
  const seen = { perObject: 0, inTotal: 0 };
  let total = 0;
  const graph = testGraph(
    async (request, n) => {
      const object = new URL(request.url).pathname.split('/')[3] ?? '';
      const now = (running.get(object) ?? 0) + 1;
      running.set(object, now);
      total += 1;
      seen.perObject = Math.max(seen.perObject, now);
      seen.inTotal = Math.max(seen.inTotal, total);
      await clock.sleep(1_000, new AbortController().signal);
      running.set(object, (running.get(object) ?? 0) - 1);
      total -= 1;
      return answer(n, object) ?? json({ id: object });
    },
    { clock },
  );
  return { graph, seen, clock };
}

const read = (client: GraphClient, object: string) => client.get(`/users/${object}`, Row);

test('ENG-9: four requests at once for a mailbox, sixteen for all of them, each in its turn', async () => {
  const { graph, seen } = slowGraph();
  const work = Array.from({ length: 8 }, (_, mailbox) => {
    const client = graph.clientFor({ service: 'mailbox', object: `m${mailbox}` });
    return Array.from({ length: 8 }, () => read(client, `m${mailbox}`));
  }).flat();
  const results = await Promise.all(work);
  expect(results.every(({ ok }) => ok)).toBe(true);
  expect(seen).toEqual({ perObject: 4, inTotal: 16 });
  // 64 requests of a second, sixteen at once.
  expect(graph.clock.now() - START).toBe(4_000);
});

test('ENG-9: a 429 halves what runs at once for this mailbox alone, and it grows again slowly', async () => {
  const { graph, seen } = slowGraph((n) =>
    n === 1 ? graphError(429, 'TooManyRequests', { 'retry-after': '10' }) : null,
  );
  const ada = graph.clientFor({ service: 'mailbox', object: 'ada' });
  const bob = graph.clientFor({ service: 'mailbox', object: 'bob' });
  await read(ada, 'ada');
  // Estimates ask what it allows now.
  expect(graph.ports.governor.getLimit({ service: 'mailbox', object: 'ada' })).toEqual({
    concurrent: 2,
    pausedMs: 0,
  });
  expect(graph.ports.governor.getLimit({ service: 'mailbox', object: 'bob' }).concurrent).toBe(4);
  seen.perObject = 0;
  await Promise.all(Array.from({ length: 12 }, () => read(ada, 'ada')));
  expect(seen.perObject).toBe(2);
  seen.perObject = 0;
  await Promise.all(Array.from({ length: 12 }, () => read(bob, 'bob')));
  expect(seen.perObject).toBe(4);
  await Promise.all(Array.from({ length: 60 }, () => read(ada, 'ada')));
  seen.perObject = 0;
  await Promise.all(Array.from({ length: 12 }, () => read(ada, 'ada')));
  expect(seen.perObject).toBe(4);
});

test('ENG-9: a wait is as long as Graph asks, shows until when and why, and holds no place', async () => {
  let clock = testClock(START);
  const bobs: number[] = [];
  const graph = testGraph(
    (request, n) => {
      if (request.url.endsWith('/bob')) bobs.push(clock.now() - START);
      return n === 1
        ? graphError(429, 'TooManyRequests', { 'retry-after': '120' })
        : json({ id: 'a' });
    },
    { clock },
  );
  const ada = graph.clientFor({ service: 'directory', object: 'ada' });
  const pending = read(ada, 'ada');
  await Promise.resolve();
  const others = Array.from({ length: 4 }, (_, n) =>
    read(graph.clientFor({ service: 'directory', object: `bob${n}` }), 'bob'),
  );
  await Promise.all(others);
  expect(bobs).toEqual([0, 0, 0, 0]);
  expect((await pending).ok).toBe(true);
  const waited = clock.now() - START;
  expect(waited).toBeGreaterThanOrEqual(120_000);
  expect(waited).toBeLessThanOrEqual(132_000);
  expect(graph.waits).toEqual([
    {
      until: START + waited,
      reason: 'Microsoft 365 limits requests. The session continues when the limit allows it.',
    },
    null,
  ]);
  // The same as a date, and without a word: 2^n seconds, half of it at random.
  clock = testClock(START);
  const dated = testGraph(
    (_, n) =>
      n === 1
        ? graphError(429, 'TooManyRequests', {
            'retry-after': new Date(START + 60_000).toUTCString(),
          })
        : json({ id: 'a' }),
    { clock },
  );
  await read(dated.client, 'ada');
  expect(clock.now() - START).toBeGreaterThanOrEqual(60_000);
  expect(clock.now() - START).toBeLessThanOrEqual(66_000);
  clock = testClock(START);
  const silent = testGraph(
    (_, n) => (n < 8 ? graphError(503, 'serviceNotAvailable') : json({ id: 'a' })),
    { clock },
  );
  await read(silent.client, 'ada');
  const max = [2, 4, 8, 16, 32, 64, 128].reduce((sum, seconds) => sum + seconds * 1_000, 0);
  expect(clock.now() - START).toBeGreaterThanOrEqual(max / 2);
  expect(clock.now() - START).toBeLessThanOrEqual(max);
});

test('ENG-9: a wait of more than some minutes is returned, also to those who come later', async () => {
  const graph = testGraph(() => graphError(429, 'TooManyRequests', { 'retry-after': '3600' }));
  const first = await read(graph.client, 'ada');
  expect(first).toMatchObject({ ok: false, error: { kind: 'busy' } });
  expect(first.ok ? 0 : first.error.waitMs).toBeGreaterThanOrEqual(3_600_000);
  expect(await read(graph.client, 'ada')).toMatchObject({ ok: false, error: { kind: 'busy' } });
  expect(graph.requests.length).toBe(1);
  expect(graph.waits).toEqual([]);
});

test('ENG-9: endless throttling ends as busy, with the time after which to try again', async () => {
  const graph = testGraph(() => graphError(429, 'TooManyRequests', { 'retry-after': '1' }));
  const result = await read(graph.client, 'ada');
  expect(result).toMatchObject({ ok: false, error: { kind: 'busy' } });
  expect(result.ok ? 0 : result.error.waitMs).toBeGreaterThanOrEqual(1_000);
  expect(graph.requests.length).toBe(12);
});

test('ENG-9: requests slow down before a quota is used up', async () => {
  const clock = testClock(START);
  const times: number[] = [];
  const graph = testGraph(
    (_, n) => {
      times.push(clock.now() - START);
      const remaining = Math.max(0, 103 - n);
      return json(
        { id: 'a' },
        {
          headers: {
            'ratelimit-limit': '1000',
            'ratelimit-remaining': String(n < 4 ? 900 : remaining),
            'ratelimit-reset': '100',
          },
        },
      );
    },
    { clock },
  );
  const client = graph.clientFor({ service: 'drive', object: 'd' });
  for (let n = 0; n < 6; n += 1) getValue(await read(client, 'd'));
  // 99 are left for 100 seconds: a second each.
  expect(times).toEqual([0, 0, 0, 0, 1_000, 2_010]);
});

test('ENG-9: a call that is stopped while it waits passes its turn on', async () => {
  const clock = testClock(START);
  const graph = testGraph(
    async () => {
      await clock.sleep(1_000, new AbortController().signal);
      return json({ id: 'a' });
    },
    { clock },
  );
  const all = Array.from({ length: 8 }, () => read(graph.client, 'ada'));
  const other = testGraph(() => json({ id: 'b' }), { clock, governor: graph.ports.governor });
  const queued = read(other.client, 'ada');
  await clock.busy(async () => {
    await vi.waitFor(() => {
      expect(graph.requests.length).toBe(4);
    });
    graph.stop.abort();
  });
  expect((await Promise.all(all)).every(({ ok }) => !ok)).toBe(true);
  expect((await queued).ok).toBe(true);
  expect(graph.requests.length).toBe(4);
});

test('ENG-9: a wait is as long as the clock says, and ends with its call', async () => {
  const timers: { readonly ms: number; readonly work: () => void; isOver: boolean }[] = [];
  const clock = waitClock({
    now: () => 7,
    after(ms, work) {
      const timer = { ms, work, isOver: false };
      timers.push(timer);
      return { cancel: () => (timer.isOver = true) };
    },
  });
  const stop = new AbortController();
  const first = clock.sleep(1_000, stop.signal);
  const second = clock.sleep(2_000, stop.signal);
  timers[0]?.work();
  await first;
  stop.abort();
  await second;
  await clock.sleep(3_000, stop.signal);
  expect(clock.now()).toBe(7);
  expect(timers.map(({ ms, isOver }) => [ms, isOver])).toEqual([
    [1_000, true],
    [2_000, true],
  ]);
});
