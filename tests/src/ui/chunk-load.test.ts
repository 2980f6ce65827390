import { afterEach, expect, test, vi } from 'vitest';
import { isChunkError, loadPart, withChunkTimeout } from '#src/ui/chunk-load.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("LOAD-1: a part of the page that hasn't loaded after 120,000 ms fails with a sentence and an option, and not before", async () => {
  vi.useFakeTimers();
  let failure: unknown = null;
  const part = withChunkTimeout(new Promise(() => {})).catch((error: unknown) => {
    failure = error;
  });
  await vi.advanceTimersByTimeAsync(119_999);
  expect(failure).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  await part;
  expect([isChunkError(failure), failure]).toEqual([
    true,
    new Error("Part of this page didn't load. Reload it to continue. Your changes are saved."),
  ]);
  await expect(withChunkTimeout(Promise.resolve('here'))).resolves.toBe('here');
  expect(vi.getTimerCount()).toBe(0);
});

test("LOAD-1: a part that a deployment replaced is recognized by each browser's message, and a bug is not mistaken for one", () => {
  const missing = [
    'Failed to fetch dynamically imported module: https://portal.example/assets/users-1.js',
    'error loading dynamically imported module: https://portal.example/assets/users-1.js',
    'Importing a module script failed.',
    'Unable to preload CSS for /assets/users-1.css',
  ];
  for (const message of missing)
    expect([message, isChunkError(new TypeError(message))]).toEqual([message, true]);
  for (const error of [
    new TypeError('x is not a function'),
    new Error('Failed'),
    'Importing a module script failed.',
    null,
  ])
    expect(isChunkError(error)).toBe(false);
});

/** A browser that is online or not, and tells of its network as browsers do. */
function stubNetwork(): (online: boolean) => void {
  const window = new EventTarget();
  const navigator = { onLine: true };
  vi.stubGlobal('navigator', navigator);
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
  return (online) => {
    navigator.onLine = online;
    window.dispatchEvent(new Event(online ? 'online' : 'offline'));
  };
}

const missing = (): Promise<string> =>
  Promise.reject(
    new TypeError('Failed to fetch dynamically imported module: https://portal.example/a.js'),
  );

test('LOAD-2: offline, a part loads after each reconnecting until it is there, and the wait is reported', async () => {
  vi.useFakeTimers();
  const setOnline = stubNetwork();
  setOnline(false);
  let isServed = false;
  const load = vi.fn<() => Promise<string>>(() => (isServed ? Promise.resolve('here') : missing()));
  const onOffline = vi.fn<() => void>();
  const part = loadPart(load, onOffline);
  // However long it takes, and without asking meanwhile.
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect([load.mock.calls.length, onOffline.mock.calls.length]).toEqual([1, 1]);
  // The network comes and goes at once.
  setOnline(true);
  setOnline(false);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onOffline).toHaveBeenCalledTimes(2);
  isServed = true;
  setOnline(true);
  await expect(part).resolves.toBe('here');
  expect(load).toHaveBeenCalledTimes(3);
});

test('LOAD-2: while the server is away, a part is requested until it is there, and the wait is reported once', async () => {
  vi.useFakeTimers();
  stubNetwork();
  let isServed = false;
  vi.stubGlobal('fetch', () =>
    isServed ? Promise.resolve(new Response()) : Promise.reject(new TypeError('Failed to fetch')),
  );
  const load = vi.fn<() => Promise<string>>(() => (isServed ? Promise.resolve('here') : missing()));
  const onOffline = vi.fn<() => void>();
  const part = loadPart(load, onOffline);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(onOffline).toHaveBeenCalledTimes(1);
  isServed = true;
  await vi.advanceTimersByTimeAsync(10_000);
  await expect(part).resolves.toBe('here');

  // A deployment removed it meanwhile.
  isServed = false;
  const gone = vi.fn<() => Promise<string>>(missing);
  const failed = loadPart(gone).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  isServed = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isChunkError(await failed)).toBe(true);
});

test('LOAD-1: with a network, a part that fails is requested once more, and an error of its own is not', async () => {
  vi.useFakeTimers();
  stubNetwork();
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()));
  const gone = vi.fn<() => Promise<string>>(missing);
  const failed = loadPart(gone).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(isChunkError(await failed)).toBe(true);
  expect(gone).toHaveBeenCalledTimes(2);

  const late = vi.fn<() => Promise<string>>(() => Promise.resolve('here'));
  late.mockImplementationOnce(missing);
  const part = loadPart(late);
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(part).resolves.toBe('here');

  const broken = vi.fn<() => Promise<string>>(() =>
    Promise.reject(new TypeError('x is not a function')),
  );
  await expect(loadPart(broken)).rejects.toThrow('x is not a function');
  expect(broken).toHaveBeenCalledTimes(1);
});
