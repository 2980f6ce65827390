import { afterEach, expect, test, vi } from 'vitest';
import { isChunkError, withChunkTimeout } from '#src/ui/chunk-load.ts';

afterEach(() => {
  vi.useRealTimers();
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
