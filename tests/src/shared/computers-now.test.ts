import { environmentManager } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ok } from '#contract/result.ts';
import { queryClient } from '#src/app/worker/server-query.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { useComputersNow } from '#src/features/shared/lists/computers-now.ts';
import type { ComputersNow } from '#src/features/shared/lists/computers-now.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';

const isServer = environmentManager.isServer();
beforeEach(() => {
  vi.useFakeTimers();
  // Without a window, the query library takes this for a server, which has no timers.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  queryClient.clear();
  environmentManager.setIsServer(() => isServer);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('LIST-1: tab and list share the computers, which are requested again after five minutes', async () => {
  let requests = 0;
  setClient({
    read: async () => {
      requests += 1;
      return ok({ value: [], at: Date.now(), live: true });
    },
    watch: (_name: string, _input: unknown, next: (value: object) => void) => {
      next({});
      return Promise.resolve({ close: () => {}, change: () => {} });
    },
  } as unknown as WorkerClient);
  const list = await renderHook<boolean, ComputersNow>(useComputersNow, true);
  const pass = (ms: number): Promise<void> =>
    list.run(async () => {
      await vi.advanceTimersByTimeAsync(ms);
    });
  await pass(1);
  const tab = await renderHook(useComputersNow, true);
  await pass(1_000);
  expect([requests, list.current().rows, tab.current().rows]).toEqual([1, [], []]);
  await tab.unmount();
  await list.render(false);
  await pass(600_000);
  expect(requests).toBe(1);
  await list.render(true);
  await pass(1);
  expect(requests).toBe(2);
  await pass(301_000);
  expect(requests).toBe(3);
  await list.run(() => list.current().again());
  await pass(1);
  expect(requests).toBe(4);
  await list.unmount();
});
