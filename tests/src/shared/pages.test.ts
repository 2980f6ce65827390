import { environmentManager } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { queryClient } from '#src/app/worker/server-query.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { useContents } from '#src/features/restore/basket/use-contents.ts';
import type { BasketSessions } from '#src/features/restore/basket/sessions.ts';
import { useFolderComparison } from '#src/features/restore/compare/use-folder-comparison.ts';
import type { FolderComparison } from '#src/features/restore/compare/use-folder-comparison.ts';
import { useServerSearch } from '#src/features/search/use-server-search.ts';
import type { ServerSearch } from '#src/features/search/use-server-search.ts';
import { useDirectory } from '#src/features/shared/directory-picker/use-directory.ts';
import type { LoadedDirectory } from '#src/features/shared/directory-picker/use-directory.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';
import type { RenderedHook } from '../render-hook.ts';

type Input = Readonly<Record<string, unknown>>;

/** A worker that answers when the test says so. */
function fakeWorker() {
  const requests: { name: string; input: Input; answer: (result: Result<unknown>) => void }[] = [];
  setClient({
    ask: (name: string, input: Input) =>
      new Promise((answer) => {
        requests.push({ name, input, answer });
      }),
    watch: (_name: string, _input: unknown, next: (value: object) => void) => {
      next({});
      return Promise.resolve({ close: () => {}, change: () => {} });
    },
  } as unknown as WorkerClient);
  return {
    requests,
    answer: async <P, T>(hook: RenderedHook<P, T>, n: number, result: Result<unknown>) => {
      await hook.run(() => requests[n]?.answer(result));
      await pass(hook, 5);
    },
  };
}

const pass = <P, T>({ run }: RenderedHook<P, T>, ms: number): Promise<void> =>
  run(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
const REFUSED = failed({ kind: 'server-error', message: 'Later.' });

const isServer = environmentManager.isServer();
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { onLine: true });
  // Without a window, the query library takes this for a server, which has no timers.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  queryClient.clear();
  environmentManager.setIsServer(() => isServer);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const site = (id: string, children: number) => ({ id, name: id, address: '', children });
const row = (id: string) => ({ id, name: id });
const group = (object: string, nodes: readonly string[]) =>
  ({ workload: 'outlook', point: 'p1', at: 1, showDeleted: false, object, nodes }) as never;
const toBasket = (...nodes: readonly string[]) => [group('o1', nodes)];
const compared = (ids: readonly string[], next: string | null, count: number | null = null) =>
  ok({ rows: ids.map((id) => ({ id, state: 'changed' })), next, count });
const useComparison = (folder: string) => useFolderComparison('s1', folder);

test('RES-82: a comparison that is paused loses no page that comes then, and goes on after it', async () => {
  const { requests, answer } = fakeWorker();
  const hook = await renderHook<string, FolderComparison>(useComparison, 'f1');
  await answer(hook, 0, compared(['a'], 'c1', 3));
  expect(requests.map(({ input }) => input['cursor'])).toEqual([undefined, 'c1']);
  await hook.run(() => hook.current().pause());
  await answer(hook, 1, compared(['b'], 'c2'));
  expect(hook.current()).toMatchObject({ isRunning: false, isDone: false, total: 3 });
  expect(hook.current().rows.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(requests).toHaveLength(2);
  await hook.run(() => hook.current().start());
  await answer(hook, 2, REFUSED);
  expect(hook.current()).toMatchObject({ isRunning: false, failure: { message: 'Later.' } });
  expect(requests).toHaveLength(3);
  await hook.run(() => hook.current().start());
  expect(hook.current()).toMatchObject({ isRunning: true, failure: null });
  await answer(hook, 3, compared(['c'], null));
  expect(hook.current()).toMatchObject({ isRunning: false, isDone: true, counts: { changed: 3 } });
  expect(requests.map(({ input }) => input['cursor'])).toEqual([undefined, 'c1', 'c2', 'c2']);
  await hook.unmount();
});

test('RES-82: a comparison of another folder takes nothing of the one before', async () => {
  const { answer } = fakeWorker();
  const hook = await renderHook<string, FolderComparison>(useComparison, 'f1');
  await hook.render('f2');
  await answer(hook, 1, compared(['present'], null));
  await answer(hook, 0, compared(['late'], null));
  expect(hook.current().rows.map(({ id }) => id)).toEqual(['present']);
  await hook.unmount();
});

test('VB365-10: the sites of a tenant are read level by level, with all pages of each', async () => {
  const { requests, answer } = fakeWorker();
  const hook = await renderHook<string | null, LoadedDirectory>(
    (id) => useDirectory(id, 'Site', true),
    null,
  );
  expect(requests).toEqual([]);
  await hook.render('o1');
  expect(hook.current().rows).toEqual([]);
  await answer(hook, 0, ok({ rows: [site('a', 2)], next: 'n1' }));
  expect(
    hook
      .current()
      .rows.map(({ id }) => id)
      .slice(1),
  ).toEqual(['a']);
  await answer(hook, 1, ok({ rows: [site('b', 0)], next: null }));
  expect(hook.current().isComplete).toBe(false);
  await answer(hook, 2, ok({ rows: [site('a1', 0)], next: null }));
  expect(hook.current()).toMatchObject({ isComplete: true, failure: null });
  expect(
    hook
      .current()
      .rows.map(({ id }) => id)
      .slice(1),
  ).toEqual(['a', 'b', 'a1']);
  expect(requests.map(({ input }) => [input['siteId'], input['cursor']])).toEqual([
    [undefined, undefined],
    [undefined, 'n1'],
    ['a', undefined],
  ]);
  await hook.unmount();
});

test('SEEK-4: the server is searched when typing pauses, and answers to earlier texts change nothing', async () => {
  const { requests, answer } = fakeWorker();
  const hook = await renderHook<string, ServerSearch>(useServerSearch, 'al');
  expect(hook.current().kind).toBe('waiting');
  await pass(hook, 200);
  expect(hook.current().kind).toBe('asking');
  await hook.render('ald');
  await pass(hook, 100);
  await hook.render('alde');
  await pass(hook, 100);
  await answer(hook, 0, ok('late'));
  expect(hook.current().kind).toBe('waiting');
  await pass(hook, 200);
  await answer(hook, 1, ok('present'));
  expect(hook.current()).toEqual({ kind: 'found', found: 'present' });
  expect(requests.map(({ input }) => input['text'])).toEqual(['al', 'alde']);
  await hook.unmount();
});

test('RES-84: what is added to a basket is named, and what was named before stays meanwhile', async () => {
  const { requests, answer } = fakeWorker();
  const sessions: BasketSessions = { use: (_place, work) => work('s1'), close: () => {} };
  const hook = await renderHook(
    (basket: ReturnType<typeof toBasket>) => useContents(basket, sessions, false),
    toBasket('a'),
  );
  const names = (): readonly string[] | undefined =>
    hook.current().contents[0]?.named?.map(({ id }) => id);
  await answer(hook, 0, ok({ rows: [row('a')] }));
  await answer(hook, 1, ok({ items: 1, bytes: 1 }));
  expect([names(), hook.current().contents[0]?.size]).toEqual([['a'], { items: 1, bytes: 1 }]);
  await hook.render(toBasket('a', 'b'));
  expect([names(), hook.current().contents[0]?.size]).toEqual([['a'], null]);
  await answer(hook, 2, REFUSED);
  expect(hook.current().contents[0]).toMatchObject({ named: null, failure: { message: 'Later.' } });
  expect(requests).toHaveLength(3);
  await hook.run(() => hook.current().retry());
  await answer(hook, 3, ok({ rows: [row('a'), row('b')] }));
  await answer(hook, 4, ok({ items: 2, bytes: 2 }));
  expect([names(), hook.current().contents[0]?.size]).toEqual([['a', 'b'], { items: 2, bytes: 2 }]);
  await hook.render(toBasket('b'));
  expect(names()).toEqual(['b']);
  // What is removed is there at once if that is undone.
  await hook.render([]);
  await pass(hook, 1_000);
  await hook.render(toBasket('b'));
  expect(names()).toEqual(['b']);
  await hook.unmount();
  const opened = await renderHook(
    (basket: ReturnType<typeof toBasket>) => useContents(basket, sessions, true),
    toBasket('a'),
  );
  await pass(opened, 1_000);
  expect(opened.current().contents[0]?.named).toBeNull();
  await opened.unmount();
});
