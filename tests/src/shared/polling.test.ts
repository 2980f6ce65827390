import { environmentManager, focusManager } from '@tanstack/react-query';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failed, ok } from '#contract/result.ts';
import type { Result } from '#contract/result.ts';
import { queryClient } from '#src/app/worker/server-query.ts';
import { setClient } from '#src/app/worker/worker-client.ts';
import { useBackgroundDownload } from '#src/features/restore/downloads/use-downloads.ts';
import type { WorkerClient } from '#workers/api.ts';
import { renderHook } from '../render-hook.ts';

const ME = { id: 'm', impersonator: null, roles: ['admin'], companies: null };
const LONG_MS = 60_000;

/** A worker whose connection and answers the test sets. */
function fakeWorker() {
  const listeners: ((status: object) => void)[] = [];
  const worker = {
    answer: ok({ state: 'running' }) as Result<unknown>,
    requests: 0,
    tellStatus(status: 'live' | 'offline'): void {
      for (const listener of listeners) listener({ kind: status });
    },
  };
  const shown: Record<string, object> = { status: { kind: 'live' }, who: { kind: 'in', me: ME } };
  setClient({
    ask: () => {
      worker.requests++;
      return Promise.resolve(worker.answer);
    },
    watch: (name: string, _: unknown, next: (value: object) => void) => {
      if (name === 'status') listeners.push(next);
      next(shown[name] ?? {});
      return Promise.resolve({ close: () => {}, change: () => {} });
    },
  } as unknown as WorkerClient);
  return worker;
}

const isServer = environmentManager.isServer();
beforeEach(() => {
  vi.useFakeTimers();
  // Without a window, the query library takes this for a server, which has no timers.
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  queryClient.clear();
  environmentManager.setIsServer(() => isServer);
  focusManager.setFocused(undefined);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Shows a download, and returns how many requests a minute of it sends. */
async function showDownload() {
  const worker = fakeWorker();
  const hook = await renderHook(useBackgroundDownload, 'd1');
  const pass = (): Promise<void> =>
    hook.run(async () => {
      await vi.advanceTimersByTimeAsync(LONG_MS);
    });
  const countRequests = async (): Promise<number> => {
    const before = worker.requests;
    await pass();
    return worker.requests - before;
  };
  return { worker, hook, pass, countRequests };
}

test('OFF-10: what goes on at the server is polled until it has ended', async () => {
  const { worker, hook, pass, countRequests } = await showDownload();
  expect(await countRequests()).toBeGreaterThan(1);
  worker.answer = ok({ state: 'ready' });
  await pass();
  expect(hook.current().value).toEqual({ state: 'ready' });
  expect(await countRequests()).toBe(0);
  await hook.unmount();
});

test('OFF-10: a failed request is repeated, but not for what no longer exists', async () => {
  const { worker, hook, pass, countRequests } = await showDownload();
  worker.answer = failed({ kind: 'forbidden', message: 'forbidden' });
  await pass();
  expect(hook.current()).toMatchObject({
    value: { state: 'running' },
    failure: { kind: 'forbidden' },
  });
  expect(await countRequests()).toBeGreaterThan(1);
  worker.answer = failed({ kind: 'not-found', message: 'not-found' });
  await pass();
  expect(hook.current().failure?.kind).toBe('not-found');
  expect(await countRequests()).toBe(0);
  await hook.unmount();
});

test('OFF-10: nothing is polled while the page is hidden or offline', async () => {
  const { worker, hook, pass, countRequests } = await showDownload();
  focusManager.setFocused(false);
  expect(await countRequests()).toBe(0);
  focusManager.setFocused(true);
  expect(await countRequests()).toBeGreaterThan(1);
  await hook.run(() => worker.tellStatus('offline'));
  await pass(); // one request for the change of the connection
  expect(await countRequests()).toBe(0);
  await hook.run(() => worker.tellStatus('live'));
  expect(await countRequests()).toBeGreaterThan(1);
  await hook.unmount();
});

/** The clock of the page, and the hourly look for a newer build. */
const WITH_TIMER = ['src/app/clock.ts', 'src/app/worker/offline-support.ts'];

test('OFF-10: no screen has a timer of its own that repeats', () => {
  const found = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => /\bsetInterval\(/.test(readFileSync(file, 'utf8')));
  expect(found.toSorted()).toEqual(WITH_TIMER);
});
