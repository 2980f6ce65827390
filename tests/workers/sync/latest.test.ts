import { expect, test } from 'vitest';
import { ok } from '#contract/result.ts';
import { makeWire } from '#workers/sync/wire.ts';

const clock = { now: () => 0, after: () => () => {} };
const EMPTY = {
  companies: null,
  jobs: null,
  computers: null,
  users: null,
  repositories: null,
  tickets: null,
  rules: null,
  hints: null,
  results: null,
};

test('SEEK-4: a running search is canceled by the next one, and by nothing else', async () => {
  const under: {
    readonly url: string;
    readonly signal: AbortSignal;
    readonly answer: (response: Response) => void;
  }[] = [];
  const wire = makeWire({
    fetch: (input, init) => {
      const { promise, resolve, reject } = Promise.withResolvers<Response>();
      const request = new Request(input, init);
      request.signal.addEventListener('abort', () => {
        reject(new DOMException('called off', 'AbortError'));
      });
      under.push({ url: request.url, signal: request.signal, answer: resolve });
      return promise;
    },
    origin: 'https://portal.test',
    clock,
    tokens: { get: () => Promise.resolve(ok('token')) },
  });
  const first = wire.ask('search', { text: 'ha' });
  const other = wire.ask('listRepositories', {});
  await expect.poll(() => under.length).toBe(2);
  const second = wire.ask('search', { text: 'harb' });
  expect(await first).toMatchObject({ ok: false, failure: { kind: 'no-answer' } });
  await expect.poll(() => under.length).toBe(3);
  expect(under.map(({ url, signal }) => [url.slice(url.lastIndexOf('/')), signal.aborted])).toEqual(
    [
      ['/search?text=ha', true],
      ['/repositories', false],
      ['/search?text=harb', false],
    ],
  );
  under[2]?.answer(Response.json({ success: true, message: '', data: EMPTY }));
  under[1]?.answer(Response.json({ success: true, message: '', data: [] }));
  expect([await second, await other]).toEqual([ok(EMPTY), ok([])]);
});
