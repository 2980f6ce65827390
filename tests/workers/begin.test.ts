import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { WORKER_CHUNKS } from '#workers/chunks.ts';
import { bufferMessages } from '#workers/startup/message-buffer.ts';

/**
 * Files that are loaded before the first of them runs: imports of types, and those that are asked
 * for while it runs, are none.
 */
function loadedWith(file: string, known = new Set<string>()): ReadonlySet<string> {
  // The build replaces the compiler of texts by a line without imports (scripts/vite-messages.ts).
  if (known.has(file) || file === 'contract/i18n/compiler.ts') return known;
  known.add(file);
  for (const [, names = '', spec = ''] of readFileSync(file, 'utf8').matchAll(
    /^import\s+([^'";]+?)\s+from\s+'([^']+)'/gm,
  )) {
    const inner = /^\{(.*)\}$/s
      .exec(names)?.[1]
      ?.split(',')
      .filter((name) => name.trim() !== '');
    if (
      names.startsWith('type ') ||
      inner?.every((name) => name.trim().startsWith('type ')) === true
    )
      continue;
    if (/^[#.]/.test(spec))
      loadedWith(
        spec.startsWith('#') ? spec.slice(1) : normalize(join(dirname(file), spec)),
        known,
      );
    else known.add(spec);
  }
  return known;
}

test('COL-6: before the databases open, only the code that opens them is loaded', () => {
  const loaded = [...loadedWith('workers/worker.ts')];
  const begin = WORKER_CHUNKS.codeSplitting.groups.find(({ name }) => name === 'begin');
  expect(loaded).toContain('workers/disk/database.ts');
  expect(loaded.filter((file) => begin?.test.test(`/${file}`) !== true)).toEqual([]);
  expect(loaded.reduce((sum, file) => sum + readFileSync(file).length, 0)).toBeLessThan(30_000);
});

test("COL-6: the code for the first rows needs no package except luxon's time zones, and only that code is compiled at load", () => {
  const loaded = [
    'workers/startup/cold-start.ts',
    'workers/columns/engine.ts',
    'workers/disk/disk.ts',
  ].flatMap((file) => [...loadedWith(file)]);
  expect(new Set(loaded.filter((file) => !/^(workers|contract)\//.test(file)))).toEqual(
    new Set(['luxon']),
  );
  expect(WORKER_CHUNKS.postBanner({ name: 'store' })).toBe('//# allFunctionsCalledOnLoad');
  expect(WORKER_CHUNKS.postBanner({ name: 'behind' })).toBe('');
});

test("G12: requests of the page before the worker's API is ready are answered once it is, once and in order", () => {
  const port = new EventTarget();
  const sent: unknown[] = [];
  const heard: unknown[] = [];
  const inbox = bufferMessages(
    Object.assign(port, {
      postMessage: (message: unknown) => {
        sent.push(message);
      },
    }),
  );
  const say = (data: unknown): boolean => port.dispatchEvent(new MessageEvent('message', { data }));
  say('first');
  say('second');
  const listener = (event: Event): void => {
    heard.push(event instanceof MessageEvent ? event.data : null);
  };
  inbox.addEventListener('message', listener);
  expect(heard).toEqual(['first', 'second']);
  say('third');
  inbox.addEventListener('message', { handleEvent: () => undefined });
  expect(heard).toEqual(['first', 'second', 'third']);
  inbox.postMessage('answer', []);
  inbox.removeEventListener('message', listener);
  say('fourth');
  expect([heard.length, sent]).toEqual([3, ['answer']]);
});
